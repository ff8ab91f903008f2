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

  Rule: Without a lower reclaimable member the unit waits

    @KQ-RSV-03 @must
    Scenario: A member that sorts before the unit is not marked, and the unit waits
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "first" with priority 100 asks for 2 cpu, its pods not bound
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted while the gate is closed
      And "first" is never marked while the gate is closed
