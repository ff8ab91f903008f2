@koord-queue
Feature: The governing text's kubectl commands
  Whoever follows the worked example by hand sees these lines.

  Background:
    Given the governing text's example: its quota of 2 cpu and its PriorityClasses

  Rule: The commands print phase, replicas and mark of a unit, and the events of a reclaim

    @KQ-SEQ-03 @must
    Scenario: An admitted unit shows Dequeued, one replica and no mark
      When the example's Job "low-priority-job" is admitted, its pod not bound
      Then the command for the unit "low-priority-job" prints:
        | phase    | replicas | reclaimState |
        | Dequeued | 1        | none         |

    @KQ-SEQ-03 @must @needs:hold-extension
    Scenario: A marked unit shows its mark as long as the job extension has not acted
      Given preemption is turned off for "team-a"
      And the example's Job "low-priority-job" is admitted, its pod not bound
      And the example's Job "high-priority-job" is submitted
      And "high-priority-job" is eventually refused
      And the job extension is held
      When preemption is turned on for "team-a"
      Then the command for the unit "low-priority-job" prints:
        | replicas | reclaimState |
        | 1        | 1            |

    @KQ-SEQ-03 @must
    Scenario: The preemptor shows Dequeued in the end, the victim's events tell the reclaim
      Given the example's Job "low-priority-job" is admitted, its pod not bound
      When the example's Job "high-priority-job" is submitted
      Then the command for the unit "high-priority-job" prints:
        | phase    | replicas | reclaimState |
        | Dequeued | 1        | none         |
      And the command for the events of "low-priority-job" prints the rows:
        | reason    | type    |
        | Preempted | Warning |
        | Reclaimed | Normal  |
