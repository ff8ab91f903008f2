@koord-queue
Feature: Preemption after the quota filter
  A unit that does not fit its quota may take back what lower units hold and do not use yet.

  Rule: Lower members are marked from the lowest priority up

    @KQ-PRE-01 @must
    Scenario: The lowest of three members is marked, the highest is left alone
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
        | low-3 | 3        | 2   |
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the first round for "urgent" marks "low-1"
      And the first round for "urgent" does not mark "low-3"

  Rule: After the filter nobody is marked unless the gate and preemption are on

    @KQ-PRE-04 @must
    Scenario: With preemption off nobody is marked
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked
      And "urgent" is never admitted

    @KQ-PRE-05 @must
    Scenario Outline: With the gate off nobody is marked, with <annotations>
      Given a quota "team" of 2 cpu with <annotations>
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked
      And "urgent" is never admitted

      Examples:
        | annotations                 |
        | only preemption on          |
        | the gate and preemption off |

  Rule: The preemptor is put back, and admitted after the release

    @KQ-PRE-06 @must
    Scenario: The preemptor comes in after the release, not before
      Given a quota "team" of 6 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 6 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 6 cpu
      Then these states are seen in this order:
        | object   | state             |
        | "low"    | marked            |
        | "low"    | reserving nothing |
        | "urgent" | admitted          |

  Rule: A lower unit never preempts a higher one

    @KQ-PRE-09 @must
    Scenario: The later, lower Job waits and marks nobody
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "high" with priority 100 asks for 2 cpu, its pods not bound
      When the Job "lower" with priority 1 asks for 2 cpu
      Then "high" is never marked
      And "lower" is never admitted

  Rule: A request that fits while the assumed set is empty is admitted and marks nobody

    @KQ-PRE-13 @must
    Scenario: Beside a Job whose pods run the urgent Job is admitted at once
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "runs" with priority 1 asks for 2 cpu, its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually admitted
      And "runs" is never marked
