@koord-queue
Feature: After a round of preemption
  Victims stay in their queue. They come back when there is room, in the queue's order, and are not
  taken again for a need that cannot be met.

  Rule: A preemptor deleted during its round leaves no trace

    @KQ-PRE-14 @should @needs:hold-extension
    Scenario: Its victim is released, admitted again, and completes
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      And the Job "urgent" is deleted
      When the job extension is let go
      Then "low" is eventually admitted again
      And the Job "low" completes once its pods have run

  Rule: No unit is marked, admitted again and marked again for a need that cannot be met

    @KQ-PRE-15 @should @needs:hold-extension
    Scenario: One of two victims has begun to run, the other one is marked only once
      Given a quota "team" of 4 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
      And the gate is turned on for "team"
      And the waiting Job "urgent" with priority 100 asks for 4 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low-1" and "low-2" are eventually marked
      And the pods of "low-2" run
      When the job extension is let go
      Then "low-1" is eventually admitted again
      And "low-1" and "low-2" are marked only once

  Rule: A preemptor that does not run yet is itself a victim of a higher one, and comes back

    @KQ-PRE-19 @should
    Scenario: The first preemptor gives way to the second and is admitted after it
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "middle" with priority 50 asks for 2 cpu
      And "middle" is eventually admitted
      And the Job "high" with priority 100 asks for 2 cpu
      And "middle" is eventually marked
      And "high" is eventually admitted
      And the pods of "high" run
      When the pods of "high" finish
      Then "middle" is eventually admitted

  Rule: Reclaimed victims are admitted again in the queue's order

    @KQ-PRE-20 @should
    Scenario: The higher of two victims comes back first, though it was created second
      Given a quota "team" of 4 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
      And the gate and preemption are turned on for "team"
      And the Job "urgent" with priority 100 asks for 4 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low-1" is never admitted before "low-2" is admitted
