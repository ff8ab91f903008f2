@koord-queue
Feature: What the metrics count
  The series of a queue tell how many units ask, and how often one was admitted or refused.

  Rule: No series goes negative

    @KQ-OBS-08 @should @needs:metrics
    Scenario: What has waited, run, ended and gone leaves no negative number
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "second" with priority 1 asks for 2 cpu
      And the Job "second" is deleted
      When the pods of "low" finish
      Then no series of "team" is ever negative

  Rule: The series of a deleted queue are gone

    @KQ-OBS-08 @should @needs:metrics
    Scenario: The quota is deleted while a unit waits
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "large" with priority 1 asks for 3 cpu
      And the metric queueunits_in_active_queue of "team" is eventually exactly 1
      When the quota "team" is deleted
      Then the metrics eventually have no series of "team"

  Rule: The units in the active queue are those that ask

    @KQ-OBS-12 @should @needs:metrics
    Scenario: A unit counts from its arrival until it is admitted
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the metric queueunits_in_active_queue of "team" is eventually exactly 0
      And the waiting Job "second" with priority 1 asks for 2 cpu
      And the waiting Job "third" with priority 1 asks for 4 cpu
      And the metric queueunits_in_active_queue of "team" is eventually exactly 2
      When the quota "team" is raised to 4 cpu with nothing else happening
      Then the metric queueunits_in_active_queue of "team" is eventually exactly 1

    @KQ-OBS-12 @should @needs:metrics
    Scenario: A unit that has lost a part of what it held counts again
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      And the metric queueunits_in_active_queue of "team" is eventually exactly 0
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      When the Job "later" with priority 0 asks for 4 cpu
      Then the metric queueunits_in_active_queue of "team" is eventually exactly 2

  Rule: Each admission counts as scheduled

    @KQ-OBS-13 @should @needs:metrics
    Scenario: Two more admissions count twice
      Given a quota "team" of 3 cpu with the gate and preemption off
      And the admitted Job "first" with priority 1 asks for 1 cpu, its pods not bound
      And the metric job_schedule_attempts of "team" with result "scheduled" is eventually at least 1
      When these Jobs are submitted one after the other:
        | job    | priority | cpu |
        | second | 2        | 1   |
        | third  | 3        | 1   |
      Then the metric job_schedule_attempts of "team" with result "scheduled" eventually grows by 2
