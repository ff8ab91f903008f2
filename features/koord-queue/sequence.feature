@koord-queue
Feature: The worked example
  Two Jobs of 2 cpu share a quota of 2 cpu. The urgent one comes second, and takes back what the
  first one holds and does not use yet.

  Rule: The urgent Job is admitted once the release is reported, and not before
    The mark and its message need not come in one write, so each has its table.

    Background:
      Given the governing text's example: its quota of 2 cpu and its PriorityClasses
      And the example's Job "low-priority-job" is admitted, its pod not bound

    @KQ-SEQ-01 @must
    Scenario: The victim is marked, emptied and reported before the preemptor comes in
      When the example's Job "high-priority-job" is submitted
      Then these states are seen in this order:
        | object                         | state                                       |
        | "low-priority-job"             | Dequeued with 1 replica and no reclaimState |
        | "low-priority-job"             | marked for 1 replica                        |
        | the pods of "low-priority-job" | being deleted or gone                       |
        | "low-priority-job"             | reserving nothing and unmarked              |
        | "high-priority-job"            | Dequeued with 1 replica and no reclaimState |
      And these states are seen in this order:
        | object                     | state                                                |
        | the Job "low-priority-job" | resumed                                              |
        | "low-priority-job"         | saying "Waiting job extension to reclaim resources." |
        | "high-priority-job"        | admitted                                             |
      And eventually "low-priority-job" has an event Normal "Reclaimed"

    @KQ-SEQ-04 @should
    Scenario: The victim returns when the preemptor is done, and completes
      Given the example's Job "high-priority-job" is submitted
      And "high-priority-job" is eventually admitted
      And the pods of "high-priority-job" run
      When the pods of "high-priority-job" finish
      Then "low-priority-job" is eventually admitted
      And the Job "low-priority-job" completes once its pods have run

  Rule: An admitted unit whose pods are unbound is a member of the assumed set

    @KQ-SEQ-02 @must
    Scenario: An equal, later Job waits although the quota has room for it
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "first" with priority 100 asks for 2 cpu, its pods not bound
      When the Job "later" with priority 100 asks for 2 cpu
      Then "later" is never admitted while the gate is closed
