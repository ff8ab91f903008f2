@koord-queue
Feature: How a Job ends
  A unit ends with its Job, and what it held is free again.

  Background:
    Given a quota "team" of 2 cpu with the gate and preemption off

  Rule: Completion and failure end the unit and release its quota

    @KQ-JOB-08 @should
    Scenario: The unit of a completed Job has phase Succeed and holds nothing
      Given the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      When the pods of "first" finish
      Then "first" is eventually in phase Succeed
      And "first" is eventually without admissions
      And "next" is eventually admitted

    @KQ-JOB-08 @should
    Scenario: The unit of a failed Job has phase Failed and holds nothing
      Given the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      When the pods of "first" fail
      Then "first" is eventually in phase Failed
      And "first" is eventually without admissions
      And "next" is eventually admitted

    @KQ-JOB-08 @should
    Scenario: A Job of which one pod has finished is not over
      Given the admitted Job "first" with priority 10 asks for 2 pods of 1 cpu, its pods running
      When 1 of the pods of "first" finishes
      Then the Job "first" is eventually counting 1 finished pod
      And "first" is never in phase Succeed

  Rule: A deleted Job takes its unit with it, and its quota is free once its pods are gone

    @KQ-JOB-09 @should
    Scenario: The unit of a waiting Job goes, the admitted one stays
      Given the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      When the Job "next" is deleted
      Then "next" is eventually gone
      And "first" stays admitted

    @KQ-JOB-09 @should
    Scenario: Nobody is admitted while the pods of an admitted Job are still going
      Given the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      And the pods of "first" linger once they are deleted
      When the Job "first" is deleted
      Then "first" is eventually gone
      And "next" is not yet admitted
      And "next" is admitted once the pods of "first" are gone, not before

  Rule: A Job created again under its name gets a fresh unit

    @KQ-JOB-10 @should
    Scenario: The new Job does not run on the old reservation
      Given the admitted Job "train" with priority 10 asks for 2 cpu, its pods not bound
      And the unit "train" lingers once it is deleted
      And the Job "train" is deleted
      When the Job "train" is created again
      Then the Job "train" is never resumed while nothing changes
      And "train" is a new unit once the old one is gone

    @KQ-JOB-10 @should
    Scenario: The old reservation does not stand in the way of the new Job
      Given the admitted Job "train" with priority 10 asks for 2 cpu, its pods not bound
      And the Job "train" is deleted
      When the Job "train" is created again
      Then "train" is eventually standing for its Job
      And the Job "train" is eventually resumed
      And the pods of "train" are eventually there
