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
      Then "low-1" is eventually saying "Waiting job extension to reclaim resources."
      And "low-2" is eventually saying "Waiting job extension to reclaim resources."

  Rule: Each victim gets a Warning event Preempted, nobody else does

    @KQ-VIC-11 @must
    Scenario: Both victims have the event, no other unit has one
      When the Job "urgent" with priority 100 asks for 4 cpu
      Then eventually "low-1" has an event Warning "Preempted"
      And eventually "low-2" has an event Warning "Preempted"
      And no unit but "low-1" and "low-2" ever has an event "Preempted"
