@koord-queue
Feature: The return of what was reclaimed
  A victim loses its reservation, not its place: it is admitted again in its turn.

  Rule: A reclaimed unit is admitted again when its turn comes

    @KQ-RCL-07 @must
    Scenario: The victim comes back after the preemptor, and before a lower unit
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the waiting Job "lowest" with priority 1 asks for 2 cpu
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low" is eventually admitted
      And "lowest" is never admitted before "low" is admitted

  Rule: A unit that is admitted again gets its full count

    @KQ-RCL-18 @should
    Scenario: All three replicas and their pods are back
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 3 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low" is eventually holding 3 replicas
      And the pods of "low" are eventually 3 in number, none bound
      And "low" is never holding more than 3 replicas

  Rule: A Job reclaimed in part goes on, and gets back what it misses

    @KQ-RCL-11 @should
    Scenario: The bound pod runs on, the other two return, and the Job completes
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low" is eventually admitted
      And no bound pod of "low" is ever removed
      And the Job "low" completes once its pods have run
