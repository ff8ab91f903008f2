@koord-queue
Feature: The assumed set and its gate
  With the gate on, the queue waits until the pods of those that it has admitted have started. Until
  then an admitted unit is a member of the assumed set.

  Rule: With the gate on, a unit that does not outrank a member is not admitted although the quota has room

    @KQ-ASM-01 @must
    Scenario Outline: A later Job of <kind> priority waits for the member's pods
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      When the Job "later" with priority <rank> asks for 2 cpu
      Then "later" is never admitted while the gate is closed

      Examples:
        | kind  | rank |
        | equal | 10   |
        | lower | 1    |

    @KQ-ASM-06 @should
    Scenario: The unit that waits says that no more units are allowed
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is eventually saying "no more queueUnit allowed to schedule in this queue"

  Rule: The gate opens when the members' pods are bound and have started

    @KQ-ASM-02 @must
    Scenario: The waiting Job is admitted once the member's pods run
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When the pods of "first" run
      Then "later" is eventually admitted

  Rule: A unit of which some pods are unbound is still a member

    @KQ-ASM-04 @must
    Scenario: With two of three pods bound the unit is still a member
      Given a quota "team" of 5 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 3 pods of 1 cpu, 2 of its pods running
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted while the gate is closed

    @KQ-ASM-04 @must
    Scenario: The last of three pods opens the gate
      Given a quota "team" of 5 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 3 pods of 1 cpu, 2 of its pods running
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When 3 of the pods of "first" run
      Then "later" is eventually admitted

  Rule: With the gate off the assumed set is empty

    @KQ-ASM-03 @must
    Scenario Outline: The next unit that fits is admitted at once, with <annotations>
      Given a quota "team" of 4 cpu with <annotations>
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is eventually admitted
      And "first" stays admitted

      Examples:
        | annotations                 |
        | the gate and preemption off |
        | only preemption on          |

  Rule: A gate that is turned on later holds for what was admitted before

    @KQ-ASM-05 @must
    Scenario: Units admitted before, and still not running, are members from then on
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | one   | 11       | 2   |
        | other | 10       | 2   |
      And the gate is turned on for "team"
      And the pods of "one" run
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted while the gate is closed

    @KQ-ASM-05 @must
    Scenario: Once all of those run, the gate is open
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | one   | 11       | 2   |
        | other | 10       | 2   |
      And the gate is turned on for "team"
      And the waiting Job "later" with priority 1 asks for 2 cpu
      And the pods of "one" run
      When the pods of "other" run
      Then "later" is eventually admitted
