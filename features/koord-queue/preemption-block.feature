@koord-queue
Feature: Preemption in a Block queue
  Preemption after the filter and before the reservation work under Block as under Priority.

  Rule: After the filter and before the reservation a Block queue marks the same victims as a Priority queue

    Background:
      Given a Block quota "team" of 8 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
        | low-3 | 3        | 2   |
        | above | 200      | 2   |
      And the gate is turned on for "team"

    @KQ-PRE-16 @must @needs:block @needs:hold-extension
    Scenario: After the filter the lowest members are marked until the request is covered
      Given the waiting Job "urgent" with priority 100 asks for 4 cpu
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" and "low-2" are eventually marked
      And the first round for "urgent" does not mark "low-3" or "above"

    @KQ-PRE-16 @must @needs:block @needs:hold-extension
    Scenario: Before the reservation every lower member is marked
      Given the waiting Job "urgent" with priority 100 asks for 1 cpu
      And the job extension is held
      When the quota "team" is raised to 9 cpu
      Then "low-1", "low-2" and "low-3" are eventually marked
      And "above" is never marked while the job extension is held

  Rule: In a Block queue the worked example ends as in a Priority queue

    @KQ-PRE-16 @must @needs:block
    Scenario: The urgent Job is admitted once the release is reported
      Given the governing text's example: its quota of 2 cpu and its PriorityClasses
      And the policy of "team-a" is changed to Block
      And the example's Job "low-priority-job" is admitted, its pod not bound
      When the example's Job "high-priority-job" is submitted
      Then these states are seen in this order:
        | object                         | state                                       |
        | "low-priority-job"             | marked for 1 replica                        |
        | the pods of "low-priority-job" | being deleted or gone                       |
        | "low-priority-job"             | reserving nothing and unmarked              |
        | "high-priority-job"            | Dequeued with 1 replica and no reclaimState |
      And eventually "low-priority-job" has an event Normal "Reclaimed"
