@koord-queue
Feature: How much of a victim is marked
  What runs stays; what does not run yet is marked, podSet by podSet.

  Rule: The marked amount is replicas − running

    @KQ-VIC-04 @must
    Scenario Outline: Two of three replicas are marked when one runs and <request> cpu are asked for
      Given a quota "team" of 3 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, 1 of its pods running
      When the Job "urgent" with priority 100 asks for <request> cpu
      Then "low" is eventually marked for 2 replicas
      And "low" is never marked for a number of replicas other than 2

      Examples:
        | request |
        | 1       |
        | 2       |

  Rule: Of several podSets only those with replicas that do not run are marked

    @KQ-VIC-15 @must @needs:multi-podset
    Scenario: Of two podSets only the one that does not run is marked
      Given a quota "team" of 3 cpu with the gate and preemption on
      And a unit "pair" without a Job, with priority 1, asks for:
        | podSet  | count | cpu |
        | leader  | 1     | 1   |
        | workers | 2     | 1   |
      And "pair" is eventually admitted
      And "pair" is reported by hand to hold:
        | podSet  | replicas | running | marked |
        | leader  | 1        | 1       | none   |
        | workers | 2        | 0       | none   |
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "pair" is eventually marked in "workers"
      And "pair" is never marked in "leader"
