@koord-queue
Feature: Victims
  A mark is a decision that others can see: on the victim, and on nobody else.

  Background:
    Given a quota "team" of 4 cpu with the gate and preemption off
    And these admitted Jobs, their pods not bound:
      | job   | priority | cpu |
      | low-1 | 1        | 2   |
      | low-2 | 2        | 2   |
    And the gate and preemption are turned on for "team"

  Rule: Marking sets the victim's message

    @KQ-VIC-10 @must
    Scenario: The victim says that it waits for the job extension
      When the Job "urgent" with priority 100 asks for 4 cpu
      Then "low-1" and "low-2" are eventually saying "Waiting job extension to reclaim resources."

  Rule: Each victim gets a Warning event Preempted, nobody else does

    @KQ-VIC-11 @must
    Scenario: Both victims have the event, no other unit has one
      When the Job "urgent" with priority 100 asks for 4 cpu
      Then eventually "low-1" has an event Warning "Preempted"
      And eventually "low-2" has an event Warning "Preempted"
      And no unit but "low-1" and "low-2" ever has an event "Preempted"

  Rule: Marking does not change the victim's phase

    @KQ-VIC-13 @should @needs:hold-extension
    Scenario: Both victims stay Dequeued until the job extension acts
      Given preemption is turned off for "team"
      And the waiting Job "urgent" with priority 100 asks for 4 cpu
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" and "low-2" are eventually marked
      And "low-1" and "low-2" are never marked in a phase other than Dequeued
