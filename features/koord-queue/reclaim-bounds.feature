@koord-queue
Feature: What the job extension removes, and what it leaves
  The mark is the decision, whoever wrote it. It takes so many replicas at most, and only pods that
  are neither bound nor finished.

  Rule: A mark written by anyone is acted on

    @KQ-RCL-16 @must
    Scenario: A unit that nobody preempts is reclaimed when it is marked by hand
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      When "low" is marked by hand for 3 replicas
      Then these states are seen in this order:
        | object | state                          |
        | "low"  | marked for 3 replicas          |
        | "low"  | reserving nothing and unmarked |

  Rule: No more pods are removed than the mark names

    @KQ-RCL-03 @must @needs:hold-queue
    Scenario: Of three unbound pods at least two stay when one is marked
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      And the queue component is held
      When "low" is marked by hand for 1 replica
      Then "low" is eventually holding 2 replicas
      And the pods of "low" are never fewer than 2 while nothing changes

  Rule: Finished pods are passed over

    @KQ-RCL-04 @must
    Scenario: The finished pod stays when what was marked has been given back
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      And 1 of the pods of "low" finishes
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked
      And "low" is eventually unmarked again
      And no finished pod of "low" is ever removed

  Rule: A unit marked before its pods exist is reclaimed all the same

    @KQ-RCL-14 @should
    Scenario: The victim has had no pod, and has none before it is admitted again
      Given a quota "team" of 2 cpu with the gate and preemption on
      And no pods can be created
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not created
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      When pods can be created again
      Then the pods of "urgent" are eventually there
      And the pods of "low" are never there while nothing changes
