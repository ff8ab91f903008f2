@koord-queue
Feature: Reclaiming by the job extension
  The job extension removes the unbound pods that a mark names, and reports what it has removed.

  Rule: The unbound pods of the marked podSet are removed

    @KQ-RCL-01 @must
    Scenario: All pods of a victim that has none bound are removed
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 3 cpu
      Then these states are seen in this order:
        | object            | state                 |
        | "low"             | marked                |
        | the pods of "low" | being deleted or gone |

  Rule: A pod bound to a node is never removed

    @KQ-RCL-02 @must
    Scenario: Of three pods the two unbound ones go, the bound one runs on
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the unbound pods of "low" are eventually removed
      And no bound pod of "low" is ever removed

  Rule: A unit reclaimed as a whole gets one event Reclaimed

    @KQ-RCL-06 @must
    Scenario: The victim has exactly one event Reclaimed, the preemptor none
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low" is eventually admitted
      And "low" has exactly one event Normal "Reclaimed"
      And "urgent" never has an event "Reclaimed"

    @KQ-RCL-06 @must @needs:hold-extension
    Scenario: A mark that took nothing ends without an event Reclaimed
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      And the pods of "low" run
      When the job extension is let go
      Then "low" never has an event "Reclaimed"

    @KQ-RCL-06 @must
    Scenario: A victim that keeps a running pod has no event Reclaimed
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually admitted
      And "low" never has an event "Reclaimed"

  Rule: What is bound by the time the job extension acts is not removed

    @KQ-RCL-08 @must @needs:hold-extension
    Scenario: Pods bound between the mark and the job extension's turn run on
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      And the pods of "low" run
      When the job extension is let go
      Then no bound pod of "low" is ever removed

  Rule: Reclaiming costs the Job no retry

    @KQ-RCL-10 @should
    Scenario: A Job without retries survives its reclaim and completes later
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then the Job "low" completes once its pods have run
      And the Job "low" has never counted a failed pod
