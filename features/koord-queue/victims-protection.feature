@koord-queue
Feature: Protection after an allocation
  What has just been admitted may be pulling its images. For the protection time after its
  allocation nobody takes it back.

  Rule: A unit allocated less than the protection time ago is passed over after the quota filter

    @KQ-VIC-05 @must @slow @needs:protection @needs:reconfigure
    Scenario: The lowest unit is protected, the next one is marked in its place
      Given the protection time is set to 10 m
      And a quota "team" of 4 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | fresh | 1        | 2   |
        | old   | 2        | 2   |
      And "old" was last allocated 20 m ago
      And the gate and preemption are turned on for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "old" is eventually marked
      And "fresh" is never marked

  Rule: A protected unit is passed over before the reservation as well

    @KQ-VIC-06 @must @slow @needs:protection @needs:reconfigure
    Scenario: A unit that fits the quota waits for a protected member
      Given the protection time is set to 10 m
      And a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked
      And "urgent" is never admitted

  Rule: After the protection time a unit is eligible; each allocation begins it afresh

    @KQ-VIC-07 @must @slow @needs:protection @needs:reconfigure
    Scenario: A member whose protection is over is marked
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the protection time is set to 2 s
      And the protection of 2 s is over for "low"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked

    @KQ-VIC-07 @must @slow @needs:protection @needs:reconfigure
    Scenario: A member that is admitted again is protected again
      Given the protection time is set to 10 m
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And "low" was last allocated 20 m ago
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      And the pods of "urgent" finish
      And "low" is eventually admitted
      When the Job "next" with priority 100 asks for 2 cpu
      Then "low" is never marked

  Rule: The default is no protection

    @KQ-VIC-08 @must @slow @needs:reconfigure
    Scenario: A unit that has just been admitted is marked
      Given the configuration names no protection time
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked

  Rule: A preemptor held back by protection alone is tried again when that ends

    @KQ-VIC-09 @should @slow @needs:protection @needs:reconfigure
    Scenario: The member is marked when its protection ends, with nothing else happening
      Given the protection time is set to 3 s
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked
      And "low" is never marked within its protection of 3 s
