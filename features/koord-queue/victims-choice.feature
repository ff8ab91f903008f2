@koord-queue
Feature: Who is a victim
  A victim is a member of the assumed set that sorts after the preemptor and holds replicas that do
  not run yet.

  Rule: At the same priority, a unit created later is eligible
    The older unit has to ask after the newer one was admitted, so it first gives up what it held.

    @KQ-VIC-01 @must @needs:multi-podset
    Scenario: The older of two equal units takes back what the newer one holds
      Given a quota "team" of 4 cpu with the gate and preemption off
      And a unit "older" without a Job, with priority 1, asks for:
        | podSet | count | cpu |
        | main   | 1     | 2   |
      And "older" is eventually admitted
      And the admitted Job "newer" with priority 1 asks for 2 cpu, its pods not bound
      And the gate and preemption are turned on for "team"
      When "older" is reported by hand to hold:
        | podSet | replicas | running | marked |
        | main   | 0        | 0       | none   |
      Then "newer" is eventually marked

  Rule: At the same priority, a unit created earlier is never a victim

    @KQ-VIC-02 @must
    Scenario Outline: The newer of two equal units waits, in a quota of <max> cpu
      Given a quota "team" of <max> cpu with the gate and preemption on
      And the admitted Job "older" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "newer" with priority 1 asks for 2 cpu
      Then "older" is never marked
      And "newer" is never admitted

      Examples:
        | max |
        | 2   |
        | 4   |

  Rule: An admission of which every replica runs is not marked

    @KQ-VIC-03 @must
    Scenario: The lowest unit runs and is passed over, the next one is marked
      Given a quota "team" of 4 cpu with the gate and preemption off
      And the admitted Job "lowest" with priority 1 asks for 2 cpu, its pods running
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "lowest" is never marked
      And "low" is eventually marked

  Rule: Units that hold nothing or are finished are passed over

    @KQ-VIC-12 @must
    Scenario: A unit that waits is passed over, the one that holds something is marked
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      And the waiting Job "lowest" with priority 1 asks for 2 cpu
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked
      And "lowest" is never marked
      And no unit but "low" ever has an event "Preempted"

    @KQ-VIC-12 @must
    Scenario: A unit that is finished is passed over, the one that holds something is marked
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "lowest" with priority 1 asks for 2 cpu, its pods running
      And the pods of "lowest" finish
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked
      And "lowest" is never marked
      And no unit but "low" ever has an event "Preempted"

  Rule: Units of other queues are never victims

    @KQ-VIC-14 @must
    Scenario: A lower unit of another queue is left alone
      Given a quota "neighbours" of 2 cpu with the gate and preemption on
      And the admitted Job "stranger" with priority 1 asks for 2 cpu from "neighbours", its pods not bound
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 2 asks for 2 cpu from "team", its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu from "team"
      Then "low" is eventually marked
      And "stranger" is never marked

    @KQ-VIC-14 @must
    Scenario: A lower unit that fills the common parent is left alone
      Given a quota "company" of 2 cpu with the gate and preemption on
      And a quota "neighbours" of 2 cpu below "company" with the gate and preemption on
      And the admitted Job "stranger" with priority 1 asks for 2 cpu from "neighbours", its pods not bound
      And a quota "team" of 2 cpu below "company" with the gate and preemption on
      When the Job "urgent" with priority 100 asks for 2 cpu from "team"
      Then "stranger" is never marked
