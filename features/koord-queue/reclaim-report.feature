@koord-queue
Feature: What the job extension reports
  Once the marked pods are gone the unit holds less, carries no mark, and the quota is free.

  Rule: The unit holds less by what was removed, and that quota is free

    @KQ-RCL-05 @must
    Scenario: Of three replicas the running one is left, and the preemptor takes the other two
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object   | state                 |
        | "low"    | marked for 2 replicas |
        | "low"    | holding 1 replica     |
        | "urgent" | admitted              |

  Rule: After the pods are removed the mark is cleared

    @KQ-RCL-12 @must
    Scenario Outline: The mark goes after the pods, with <bound> and <left> left
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, <bound>
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object            | state                       |
        | "low"             | marked                      |
        | the pods of "low" | being deleted or gone       |
        | "low"             | holding <left> and unmarked |

      Examples:
        | bound                 | left       |
        | its pods not bound    | 0 replicas |
        | 1 of its pods running | 1 replica  |

  Rule: On an idle cluster the mark is cleared without delay

    @KQ-RCL-17 @should
    Scenario: A mark is dealt with although nobody waits for what it frees
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      When "low" is marked by hand for 1 replica
      Then these states are seen in this order:
        | object | state                           |
        | "low"  | marked                          |
        | "low"  | holding 2 replicas and unmarked |

  Rule: A mark under which every pod has been bound is cleared, and the queue goes on

    @KQ-RCL-09 @should @needs:hold-extension
    Scenario: The mark is cleared, and the preemptor comes in when the Job has finished
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      And the pods of "low" run
      And the job extension is let go
      And "low" is eventually unmarked
      When the pods of "low" finish
      Then "urgent" is eventually admitted

  Rule: What lasts of a reclaim is the pair of events Preempted and Reclaimed

    @KQ-RCL-13 @must
    Scenario: A victim that has been admitted again still has both events
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "urgent" is eventually admitted
      And the pods of "urgent" run
      When the pods of "urgent" finish
      Then "low" is eventually admitted
      And "low" still has an event Warning "Preempted"
      And "low" still has an event Normal "Reclaimed"
