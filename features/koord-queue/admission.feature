@koord-queue
Feature: Admission
  An admitted unit holds a reservation in its quota before its pods run.

  Rule: Admission reserves every replica of every podSet

    @KQ-ADM-01 @must
    Scenario: A Job of three pods is Dequeued with three replicas
      Given a quota "team" of 3 cpu with the gate and preemption off
      When the Job "train" with priority 10 asks for 3 pods of 1 cpu
      Then "train" is eventually Dequeued with 3 replicas and no reclaimState
