@koord-queue
Feature: Order under the three policies
  What a unit that does not fit its quota means to those behind it is the queue's policy.

  Rule: Under Priority a unit that does not fit does not stop a later one that fits

    @KQ-ORD-04 @should
    Scenario: The smaller Job behind a head that does not fit is admitted
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 100 asks for 3 cpu
      When the Job "small" with priority 1 asks for 2 cpu
      Then "small" is eventually admitted
      And "big" stays waiting

  Rule: Under Block a unit that does not fit stops every later one

    @KQ-ORD-05 @should @needs:block
    Scenario: Nobody passes a head that does not fit, and once it fits both are admitted
      Given a Block quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 100 asks for 3 cpu
      And the Job "small" with priority 1 asks for 1 cpu
      And "small" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "big" and "small" are eventually admitted

    @KQ-ORD-05 @should @needs:block
    Scenario: A Job that sorts before the one that does not fit is admitted
      Given a Block quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 1 asks for 3 cpu
      When the Job "small" with priority 100 asks for 1 cpu
      Then "small" is eventually admitted
      And "big" stays waiting

  Rule: Under Intelligent nobody below the threshold is served while a unit at or above it waits

    @KQ-ORD-06 @should @needs:intelligent
    Scenario: A waiting unit of priority 4 holds back those below until it is admitted
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 4 asks for 3 cpu
      And the Job "small" with priority 3 asks for 1 cpu
      And "small" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "big" and "small" are eventually admitted

    @KQ-ORD-06 @should @needs:intelligent
    Scenario: A waiting unit of priority 3 holds nobody back
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "big" with priority 3 asks for 3 cpu
      When the Job "small" with priority 2 asks for 1 cpu
      Then "small" is eventually admitted
      And "big" stays waiting

    @KQ-ORD-06 @should @needs:intelligent
    Scenario Outline: With the threshold at 10, a waiting unit of priority <rank> <effect>
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/priority-threshold" of the quota "team" is set to "10"
      And the waiting Job "big" with priority <rank> asks for 3 cpu
      When the Job "small" with priority 8 asks for 1 cpu
      Then "big" is eventually refused
      And "small" is <outcome> admitted

      Examples:
        | rank | effect                | outcome    |
        | 9    | holds nobody back     | eventually |
        | 10   | holds back the others | never      |
