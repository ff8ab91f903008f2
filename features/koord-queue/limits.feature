@koord-queue
Feature: Troubleshooting
  The governing text's troubleshooting table: what surprises at first, and what helps.

  Rule: A running Job is not reclaimed

    @KQ-LIM-04 @must
    Scenario: A Job whose pods run is no victim, however urgent the other
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked
      And no bound pod of "low" is ever removed
      And "urgent" is never admitted

  Rule: The preemptor waits until the job extension has reported

    @KQ-LIM-06 @must @needs:hold-extension
    Scenario: The preemptor waits while the job extension is held, then comes in
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      And "urgent" is never admitted while the job extension is held
      When the job extension is let go
      Then "urgent" is eventually admitted

  Rule: A queue whose members cannot be reclaimed for the unit that waits admits nobody

    @KQ-LIM-07 @must
    Scenario: The queue goes on once the members' pods are bound and have started
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "first" with priority 100 asks for 2 cpu, its pods not bound
      And the Job "later" with priority 1 asks for 2 cpu
      And "later" is not yet admitted
      When the pods of "first" run
      Then "later" is eventually admitted
      And "first" is never marked
