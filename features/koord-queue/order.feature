@koord-queue
Feature: Order in the queue
  Priority, creation and name decide who leaves the queue first. Each Job asks for all that the
  quota has once it is raised, so that only the first one gets in.

  Background:
    Given a quota "team" of 1 cpu with the gate and preemption off

  Rule: The higher priority leaves the queue first

    @KQ-ORD-01 @must
    Scenario: The highest of three priorities is admitted, whatever the order of creation
      Given the waiting Job "early" with priority 50 asks for 2 cpu
      And the clock has moved on since "early" was created
      And these waiting Jobs:
        | job    | priority | cpu |
        | urgent | 100      | 2   |
        | late   | 1        | 2   |
      When the quota "team" is raised to 2 cpu
      Then "urgent" is eventually admitted
      And "early" and "late" are never admitted

  Rule: At equal priority the earlier creation is first

    @KQ-ORD-02 @must
    Scenario: The Job that was created first is admitted, whatever its name
      Given these waiting Jobs:
        | job   | priority | cpu |
        | zebra | 10       | 2   |
        | ant   | 10       | 2   |
      When the quota "team" is raised to 2 cpu
      Then "zebra" is eventually admitted
      And "ant" is never admitted

  Rule: At equal creation the name decides

    @KQ-ORD-03 @should
    Scenario: Of two Jobs created in one second the first in the alphabet is admitted
      Given these waiting Jobs, created in the same second:
        | job   | priority | cpu |
        | zebra | 10       | 2   |
        | ant   | 10       | 2   |
      When the quota "team" is raised to 2 cpu
      Then "ant" is eventually admitted
      And "zebra" is never admitted

  Rule: A missing priority is 0, and negative ones sort below it

    @KQ-ORD-03 @should
    Scenario Outline: Of priority <one> and then <other>, <first> is admitted first
      Given these waiting Jobs:
        | job     | priority | cpu |
        | earlier | <one>    | 2   |
        | later   | <other>  | 2   |
      When the quota "team" is raised to 2 cpu
      Then "<first>" is eventually admitted
      And "<second>" is never admitted

      Examples:
        | one  | other | first   | second  |
        | none | 0     | earlier | later   |
        | 0    | none  | earlier | later   |
        | -1   | none  | later   | earlier |
