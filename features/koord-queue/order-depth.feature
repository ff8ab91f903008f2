@koord-queue
Feature: How deep a cycle looks
  With many units waiting, one cycle need not look at all of them.

  Rule: koord-queue/max-depth limits how far a cycle looks

    Background:
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/max-depth" of the quota "team" is set to "2"
      And these waiting Jobs:
        | job   | priority | cpu |
        | big-1 | 100      | 3   |
        | big-2 | 99       | 3   |

    @KQ-ORD-07 @should
    Scenario: With a depth of two the third unit is not reached before one of the others is gone
      Given the Job "small" with priority 1 asks for 1 cpu
      And "small" is never admitted while nothing changes
      When the Job "big-1" is deleted
      Then "small" is eventually admitted

    @KQ-ORD-07 @should
    Scenario: With a depth of three the third unit is reached
      Given the annotation "koord-queue/max-depth" of the quota "team" is set to "3"
      When the Job "small" with priority 1 asks for 1 cpu
      Then "small" is eventually admitted
