@koord-queue
Feature: Admission
  An admitted unit holds a reservation in its quota before its pods run.

  Rule: Admission reserves every replica of every podSet

    @KQ-ADM-01 @must
    Scenario: A Job of three pods is Dequeued with three replicas
      Given a quota "team" of 3 cpu with the gate and preemption off
      When the Job "train" with priority 10 asks for 3 pods of 1 cpu
      Then "train" is eventually Dequeued with 3 replicas and no reclaimState
      And "train" stays unmarked

    @KQ-ADM-05 @should @needs:multi-podset
    Scenario: A unit of two podSets is admitted whole, with one admission for each
      Given a quota "team" of 5 cpu with the gate and preemption off
      When a unit "pair" without a Job, with priority 10, asks for:
        | podSet  | count | cpu |
        | leader  | 1     | 2   |
        | workers | 3     | 1   |
      Then "pair" is eventually admitted

    @KQ-ADM-05 @should @needs:multi-podset
    Scenario: A unit of which only one podSet fits holds nothing
      Given a quota "team" of 4 cpu with the gate and preemption off
      When a unit "pair" without a Job, with priority 10, asks for:
        | podSet  | count | cpu |
        | leader  | 1     | 2   |
        | workers | 3     | 1   |
      Then "pair" is never holding anything
      And "pair" is eventually refused

  Rule: lastAllocateTime is the time of this allocation

    @KQ-ADM-02 @must
    Scenario: It lies between the unit's creation and the write that set it
      Given a quota "team" of 2 cpu with the gate and preemption off
      When the Job "train" with priority 10 asks for 2 cpu
      Then the allocation time of "train" lies between its creation and the write that set it

    @KQ-ADM-02 @must
    Scenario: A unit that is admitted again has another one
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the clock has moved on since "low" was admitted
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then the allocation time of "low" is eventually later than at its first admission

  Rule: The admission is told in the message and by an event

    @KQ-ADM-03 @should
    Scenario: The admitted unit says so, and has an event Scheduled
      Given a quota "team" of 2 cpu with the gate and preemption off
      When the Job "train" with priority 10 asks for 2 cpu
      Then "train" is eventually saying "Dequeued because schedule successfully"
      And eventually "train" has an event Normal "Scheduled"

    @KQ-ADM-03 @should
    Scenario: A unit that is refused has no event Scheduled
      Given a quota "team" of 2 cpu with the gate and preemption off
      When the Job "big" with priority 10 asks for 3 cpu
      Then "big" is eventually refused
      And "big" never has an event "Scheduled"

  Rule: The admission's running replicas follow the bound pods

    Background:
      Given a quota "team" of 3 cpu with the gate and preemption off
      And the admitted Job "train" with priority 10 asks for 3 pods of 1 cpu, its pods not bound

    @KQ-ADM-04 @should
    Scenario: Two of three pods bound are two running replicas
      When 2 of the pods of "train" run
      Then "train" is eventually reporting 2 running replicas

    @KQ-ADM-04 @should
    Scenario: With every pod running, and not before any does, the phase is Running
      Given "train" is not yet in phase Running
      When the pods of "train" run
      Then "train" is eventually reporting 3 running replicas
      And "train" is eventually in phase Running

  Rule: An admitted unit is admitted once

    @KQ-ADM-06 @should
    Scenario: No second grant comes on top while others write to the unit
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the waiting Job "train" with priority 10 asks for 3 pods of 1 cpu
      When the quota "team" is raised to 9 cpu while others write to "train"
      Then "train" is eventually admitted
      And "train" is never holding more than 3 replicas
