@koord-queue
Feature: A place in the queue is kept
  Order comes from the objects alone: nothing that happens to a unit while it waits changes it.

  Rule: Neither a refusal nor a reclaim nor a restart of the controller changes a unit's place

    @KQ-ORD-08 @should
    Scenario: A unit that was refused several times is still before a later one
      Given a quota "team" of 1 cpu with the gate and preemption off
      And the waiting Job "older" with priority 10 asks for 4 cpu
      And the quota "team" is raised to 2 cpu
      And the quota "team" is raised to 3 cpu
      And the waiting Job "newer" with priority 10 asks for 4 cpu
      When the quota "team" is raised to 4 cpu
      Then "older" is eventually admitted
      And "newer" is never admitted

    @KQ-ORD-08 @should
    Scenario: A unit that was reclaimed is still before a later one
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "older" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "newer" with priority 1 asks for 2 cpu
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "older" is eventually admitted
      And "newer" is never admitted

    @KQ-ORD-08 @should @slow @needs:restart
    Scenario: A restart of the controller changes no place
      Given a quota "team" of 1 cpu with the gate and preemption off
      And these waiting Jobs:
        | job   | priority | cpu |
        | zebra | 10       | 2   |
        | ant   | 10       | 2   |
      And the controller is stopped
      And the quota "team" is raised to 2 cpu
      When the controller is started
      Then "zebra" is eventually admitted
      And "ant" is never admitted

  Rule: A head that cannot be admitted neither spins nor starves a unit behind it

    @KQ-ORD-09 @should @slow
    Scenario: The head is left alone, and the Job behind it is admitted
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 100 asks for 3 cpu
      When the Job "small" with priority 1 asks for 2 cpu
      Then "small" is eventually admitted
      And "big" is written to at most 10 times while nothing happens
