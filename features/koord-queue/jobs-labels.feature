@koord-queue
Feature: Jobs and the queues that they name
  A Job names its queue in the label quota.scheduling.koordinator.sh/name. It may get the label
  late, or another one.

  Rule: A suspended Job without the label waits until it has one

    @KQ-JOB-11 @should
    Scenario: It has a unit, and nobody admits or touches it
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the Job "stray" with priority 10 asks for 1 cpu from no quota
      And "stray" is eventually waiting
      When the Job "train" with priority 1 asks for 1 cpu
      Then "train" is eventually admitted
      And "stray" is never admitted
      And the Job "stray" is never changed

    @KQ-JOB-11 @should
    Scenario: It is nobody's victim
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the Job "stray" with priority 1 asks for 2 cpu from no quota
      And "stray" is eventually waiting
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually admitted
      And "stray" is never marked

    @KQ-JOB-11 @should
    Scenario: Given the label, it takes part
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the Job "stray" with priority 10 asks for 1 cpu from no quota
      And "stray" is eventually waiting
      When the Job "stray" names the quota "team"
      Then "stray" is eventually admitted

  Rule: A label naming no queue gives one Warning
    In the text {late} stands for the name that the quota would have on the cluster, {namespace} for
    the Job's namespace.

    @KQ-JOB-12 @should
    Scenario: The Warning says which queue is missing, and for whom
      When the Job "early" with priority 10 asks for 1 cpu from "late"
      Then eventually "early" has an event Warning "QueueNotFound" saying "queue {late} not found for queueUnit {namespace}/early"

    @KQ-JOB-12 @should
    Scenario: There is one Warning however often the unit is looked at
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the Job "early" with priority 10 asks for 1 cpu from "late"
      And eventually "early" has an event Warning "QueueNotFound"
      And the annotation "scheduling.x-k8s.io/priority" of the Job "early" is set to "20"
      When the Job "another" with priority 1 asks for 1 cpu from "late"
      Then eventually "another" has an event Warning "QueueNotFound"
      And "early" has exactly one event Warning "QueueNotFound"

    @KQ-JOB-12 @should
    Scenario: When the quota appears the unit is admitted
      Given the Job "early" with priority 10 asks for 1 cpu from "late"
      And eventually "early" has an event Warning "QueueNotFound"
      When a quota "late" of 1 cpu with the gate and preemption off is created
      Then "early" is eventually admitted

  Rule: A waiting Job whose quota label changes moves to the other queue

    Background:
      Given a quota "other" of 1 cpu with the gate and preemption off
      And a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 10 asks for 2 cpu from "team", its pods running

    @KQ-JOB-21 @should
    Scenario: It is admitted where there is room for it
      Given the waiting Job "train" with priority 1 asks for 1 cpu from "team"
      When the Job "train" names the quota "other"
      Then "train" is eventually admitted
      And the quota "other" is eventually used for 1 cpu

    @KQ-JOB-21 @should
    Scenario: It does not wait any more where it was
      Given the waiting Job "train" with priority 1 asks for 2 cpu from "team"
      And the Job "train" names the quota "other"
      And "train" is eventually naming the quota "other"
      When the pods of "first" finish
      Then "train" is never admitted
