@koord-queue
Feature: The use of a quota
  However Jobs come and go, what they hold stays within max, and what they have left is free.

  Rule: Raising max lets waiting units in

    @KQ-QTA-06 @should
    Scenario: The Job that did not fit is admitted
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods running
      And the waiting Job "second" with priority 1 asks for 2 cpu
      When the quota "team" is raised to 4 cpu with nothing else happening
      Then "second" is eventually admitted

  Rule: Lowering max takes nothing from anybody, and admits nobody until there is room

    @KQ-QTA-06 @should
    Scenario Outline: A Job with <progress> keeps what it holds
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "first" with priority 2 asks for 2 cpu, <progress>
      When the quota "team" is lowered to 1 cpu with nothing else happening
      Then "first" stays holding 1 replica
      And "first" is never marked

      Examples:
        | progress           |
        | its pods not bound |
        | its pods running   |

    @KQ-QTA-06 @should
    Scenario: What one Job leaves is not enough yet, what both leave is
      Given a quota "team" of 4 cpu with the gate and preemption off
      And the admitted Job "first" with priority 3 asks for 2 cpu, its pods running
      And the admitted Job "second" with priority 2 asks for 2 cpu, its pods running
      And the quota "team" is lowered to 2 cpu
      And the waiting Job "third" with priority 1 asks for 2 cpu
      And the pods of "first" finish
      And "third" is not yet admitted
      When the pods of "second" finish
      Then "third" is eventually admitted

  Rule: What units hold is within max at every instant

    @KQ-QTA-07 @should
    Scenario: Of ten Jobs at once so many are admitted as fit, and at no time more
      Given a quota "team" of 4 cpu with the gate and preemption off
      When 10 Jobs at once ask for 1 cpu each
      Then the quota "team" is eventually used for 4 cpu
      And the quota "team" is never used beyond 4 cpu

    @KQ-QTA-07 @should
    Scenario: The room that a Job leaves is given once
      Given a quota "team" of 4 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 3 cpu, its pods running
      And 10 Jobs at once ask for 2 cpu each
      When the pods of "first" finish
      Then the quota "team" is eventually used for 4 cpu
      And the quota "team" is never used beyond 4 cpu

  Rule: The use of an idle queue is exactly what its units hold

    @KQ-QTA-10 @should
    Scenario: After a reclaim, a deletion and a completion the whole quota is free, and no more
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 4 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 4 cpu
      And "urgent" is eventually admitted
      And the Job "urgent" is deleted
      And the Job "low" completes once its pods have run
      And the gate and preemption are turned off for "team"
      When 10 Jobs at once ask for 1 cpu each
      Then the quota "team" is eventually used for 4 cpu
      And the quota "team" is never used beyond 4 cpu
