@koord-queue
Feature: How deep a cycle looks
  With many units waiting, one cycle need not look at all of them.

  Rule: koord-queue/max-depth limits how far a cycle looks

    @KQ-ORD-07 @should
    Scenario: The third unit is not reached with a depth of two
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/max-depth" of the quota "team" is set to "2"
      And these waiting Jobs:
        | job   | priority | cpu |
        | big-1 | 100      | 3   |
        | big-2 | 99       | 3   |
      When the Job "small" with priority 1 asks for 1 cpu
      Then "small" is never admitted while nothing changes

    @KQ-ORD-07 @should
    Scenario: The third unit is reached with a depth of three
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/max-depth" of the quota "team" is set to "3"
      And these waiting Jobs:
        | job   | priority | cpu |
        | big-1 | 100      | 3   |
        | big-2 | 99       | 3   |
      When the Job "small" with priority 1 asks for 1 cpu
      Then "small" is eventually admitted
