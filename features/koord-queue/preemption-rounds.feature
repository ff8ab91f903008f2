@koord-queue
Feature: Rounds of preemption
  In one queue there is one round at a time. It lasts until the release of its victims is reported,
  and what they release is the preemptor's.

  Background:
    Given a quota "team" of 4 cpu with the gate and preemption off
    And these admitted Jobs, their pods not bound:
      | job   | priority | cpu | pods |
      | low-1 | 1        | 2   | 1    |
      | low-2 | 2        | 1   | 2    |
    And the gate is turned on for "team"

  Rule: Two preemptors never mark one admission twice

    @KQ-PRE-07 @must
    Scenario: Each victim of two preemptors that start together is marked once
      Given these waiting Jobs:
        | job    | priority | cpu |
        | first  | 101      | 2   |
        | second | 100      | 2   |
      When preemption is turned on for "team"
      Then "first" is eventually admitted
      And no admission of "low-1" and "low-2" is marked twice

  Rule: A marked admission is not marked again before the job extension has acted

    @KQ-PRE-08 @must @needs:hold-extension
    Scenario: The mark does not change when a running replica is reported and the preemptor is tried again
      Given the waiting Job "urgent" with priority 100 asks for 4 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low-2" is eventually marked for 2 replicas
      And "low-2" is reported by hand to hold:
        | podSet | replicas | running | marked |
        | low-2  | 2        | 1       | 2      |
      When the quota "team" is raised to 5 cpu
      Then "low-2" stays marked for 2 replicas while the job extension is held
      And "low-2" never has a second event "Preempted"

  Rule: What is released goes to the preemptor

    @KQ-PRE-11 @must @needs:hold-extension
    Scenario: Neither the victim released first nor a lower unit is admitted before the preemptor
      Given these waiting Jobs:
        | job    | priority | cpu |
        | lowest | 0        | 2   |
        | urgent | 100      | 4   |
      And the job extension is held
      And preemption is turned on for "team"
      And "low-1" and "low-2" are eventually marked
      And "low-1" is reported by hand to hold:
        | podSet | replicas | running | marked |
        | low-1  | 0        | 0       | none   |
      And "low-1" and "lowest" are never holding anything while the job extension is held
      When the job extension is let go
      Then "low-1" and "lowest" are never holding anything before "urgent" is admitted

  Rule: A round in one queue does not hold up a round in another

    @KQ-PRE-17 @must @needs:hold-extension
    Scenario: The other queue marks its victim while the first round lasts
      Given the waiting Job "urgent" with priority 100 asks for 4 cpu
      And a quota "other" of 2 cpu with only the gate on
      And the admitted Job "other-low" with priority 3 asks for 2 cpu from "other", its pods not bound
      And the waiting Job "other-urgent" with priority 101 asks for 2 cpu from "other"
      And the job extension is held
      And preemption is turned on for "team"
      And "low-1" is eventually marked
      When preemption is turned on for "other"
      Then "other-low" is eventually marked
      And "low-1" stays marked while the job extension is held

  Rule: Until the release is reported, no further unit is marked in that queue

    @KQ-PRE-18 @should @needs:hold-extension
    Scenario: A second preemptor has to wait for the first one's round to end
      Given these waiting Jobs:
        | job    | priority | cpu |
        | first  | 101      | 2   |
        | second | 100      | 2   |
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" is eventually marked
      And "low-2" is never marked while the job extension is held
