@koord-queue
Feature: Rounds in which something else happens
  Between the mark and the report of the job extension a victim may end, vanish, or find its queue
  changed. The round ends all the same.

  Rule: A victim that ends in the middle of a round ends it

    @KQ-ROB-07 @should @needs:hold-extension
    Scenario Outline: The preemptor is admitted when <what>
      Given a round in the quota "team" that waits for the job extension: "low" is marked, "urgent" waits
      And the pods of "low" run
      And <happening>
      When the job extension is let go
      Then "low" is eventually reserving nothing and unmarked
      And "urgent" is eventually admitted

      Examples:
        | what                         | happening                |
        | the victim's Job is complete | the pods of "low" finish |
        | the victim's Job has failed  | the pods of "low" fail   |

    @KQ-ROB-07 @should @needs:hold-extension
    Scenario: The preemptor is admitted when the victim's Job was deleted
      Given a round in the quota "team" that waits for the job extension: "low" is marked, "urgent" waits
      And the Job "low" is deleted
      When the job extension is let go
      Then "urgent" is eventually admitted

    @KQ-ROB-05 @should @slow @needs:hold-extension
    Scenario: The preemptor is admitted when the victim's namespace was deleted
      Given a round in the quota "team" that waits for the job extension: "low" of another namespace is marked, "urgent" waits
      And the namespace of "low" is deleted
      And "low" is eventually gone
      When the job extension is let go
      Then "urgent" is eventually admitted

  Rule: When settings change in the middle of a round, its marks are finished and no others made
    Each Job asks for 2 cpu, and those that are admitted fill the quota.

    @KQ-ROB-07 @should @needs:hold-extension @needs:intelligent
    Scenario Outline: The next preemptor marks nobody any more when <change>
      Given a round in the quota "team" that waits for the job extension: "low-1" is marked, "low-2" is not, "urgent-1" and "urgent-2" wait
      And <change>
      When the job extension is let go
      Then "low-1" is eventually reserving nothing and unmarked
      And "urgent-1" is eventually admitted
      And "low-2" is never marked

      Examples:
        | change                                            |
        | the gate and preemption are turned off for "team" |
        | the policy of "team" is changed to Intelligent    |

    @KQ-ROB-07 @should @needs:hold-extension
    Scenario: A preemptor that a lowered quota cannot hold any more marks nobody else
      Given a round in the quota "team" that waits for the job extension: "low-1" is marked, "low-2" is not, "urgent-1" and "urgent-2" wait
      And the quota "team" is lowered to 1 cpu
      When the job extension is let go
      Then "low-1" is eventually reserving nothing and unmarked
      And "low-2" is never marked
      And "urgent-1" is never admitted
