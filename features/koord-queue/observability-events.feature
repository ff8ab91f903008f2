@koord-queue
Feature: What events tell of a unit that waits
  A refusal is said in an event, once for all its repetitions and in few words.

  Rule: A failed attempt gives an event FailedScheduling with the unit's message; equal events are counted up

    @KQ-OBS-07 @should
    Scenario: The second refusal makes no second event of the same words
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      When the quota "team" is raised to 3 cpu
      Then eventually "urgent" has an event "FailedScheduling" with its message
      And eventually "urgent" has had the event "FailedScheduling" 2 times
      And "urgent" never has two equal events "FailedScheduling"

  Rule: Event messages stay within 1,024 bytes

    @KQ-OBS-09 @should
    Scenario: A refusal for the sake of many victims with long names is told in a short event
      Given a quota "team" of 30 cpu with the gate and preemption off
      And 20 admitted units without Jobs, of priority 1 and with names of 60 characters
      And the gate is turned on for "team"
      When the Job "urgent" with priority 100 asks for 1 cpu
      Then "urgent" is eventually saying why it waits
      And no event about "urgent" has a message of more than 1024 bytes
