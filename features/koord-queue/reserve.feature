@koord-queue
Feature: Preemption before the reservation
  Behind the gate, a unit that fits its quota still waits for the members of the assumed set. Those
  that sort after it, and have something to give back, are marked.

  Rule: A lower reclaimable member is marked, and the unit is not admitted in that cycle

    @KQ-RSV-01 @must
    Scenario: The lower member gives way although the quota has room for both
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object   | state             |
        | "low"    | marked            |
        | "low"    | reserving nothing |
        | "urgent" | admitted          |

  Rule: One round marks every lower reclaimable member, however little the unit asks

    @KQ-RSV-02 @must @needs:hold-extension
    Scenario: Three members of 2 cpu are marked for a unit that asks for 1
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
        | low-3 | 3        | 2   |
      And the gate is turned on for "team"
      And the waiting Job "urgent" with priority 100 asks for 1 cpu
      And the job extension is held
      When the quota "team" is raised to 9 cpu
      Then "low-1", "low-2" and "low-3" are eventually marked

  Rule: Without a lower reclaimable member the unit waits

    @KQ-RSV-03 @must
    Scenario: A member that sorts before the unit is not marked, and the unit waits
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "first" with priority 100 asks for 2 cpu, its pods not bound
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted while the gate is closed
      And "first" is never marked while the gate is closed

  Rule: Preemption before the reservation needs the gate only
    The text also asks for both annotations; its sentence that only the path after the filter needs
    the second one settles it.

    @KQ-RSV-04 @must
    Scenario: With preemption off the lower member is marked all the same
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked

    @KQ-RSV-04 @must
    Scenario: With the gate off nobody is marked, and the unit is admitted at once
      Given a quota "team" of 4 cpu with only preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually admitted
      And "low" is never marked

  Rule: Members that sort before the unit are never marked

    @KQ-RSV-05 @must
    Scenario: Of two members only the one below the unit is marked
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | above | 200      | 2   |
        | below | 1        | 2   |
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "below" is eventually marked
      And "above" is never marked

  Rule: The unit is admitted in a later cycle, after the release was reported

    @KQ-RSV-06 @must
    Scenario: The unit comes in after both victims have been released
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object   | state                          |
        | "low-1"  | marked                         |
        | "low-1"  | reserving nothing and unmarked |
        | "urgent" | admitted                       |
      And these states are seen in this order:
        | object   | state                          |
        | "low-2"  | marked                         |
        | "low-2"  | reserving nothing and unmarked |
        | "urgent" | admitted                       |

    @KQ-RSV-06 @must @needs:hold-extension
    Scenario: As long as the release is not reported the unit waits, although the quota has room
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      When the quota "team" is raised to 4 cpu
      Then "low" is eventually marked
      And "urgent" is never admitted while the job extension is held

  Rule: While the unit waits, its message names each victim with its namespace
    It starts "preemption: waiting for queueUnit preempted, victims: [".

    @KQ-RSV-07 @should
    Scenario: The message names both victims
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually naming the victims "low-1" and "low-2"
