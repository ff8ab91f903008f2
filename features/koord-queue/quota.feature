@koord-queue
Feature: Quota
  What a unit has been given counts against its quota, from its admission until it ends.

  Rule: A reservation counts from admission until the unit ends

    @KQ-QTA-01 @must
    Scenario Outline: A Job with <progress> keeps its quota full
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu, <progress>
      When the Job "second" with priority 1 asks for 2 cpu
      Then "second" is never admitted

      Examples:
        | progress           |
        | its pods not bound |
        | its pods running   |

    @KQ-QTA-01 @must
    Scenario: Its share is free once it has ended
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods running
      And the waiting Job "second" with priority 1 asks for 2 cpu
      When the pods of "first" finish
      Then "second" is eventually admitted

  Rule: A unit that does not fit waits, and its message holds the filter's result

    @KQ-QTA-02 @must
    Scenario: The message names what is short, and the unit waits
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 1 cpu, its pods running
      When the Job "second" with priority 1 asks for 2 cpu
      Then the message of "second" eventually names the quota or the resource
      And "second" is never admitted

    @KQ-QTA-02 @must
    Scenario: A more urgent unit that fits is admitted while it waits
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 1 cpu, its pods running
      And the waiting Job "second" with priority 1 asks for 2 cpu
      When the Job "small" with priority 3 asks for 1 cpu
      Then "small" is eventually admitted

  Rule: The filter's result names quota and resource in upstream's words

    @KQ-QTA-03 @should
    Scenario: The message has the quota's name and the resource's
      Given a quota "team" of 2 cpu with the gate and preemption off
      When the Job "second" with priority 1 asks for 3 cpu
      Then the message of "second" eventually contains "limited quotaName:{team}, limited resKey:cpu,"

    @KQ-QTA-03 @should
    Scenario: Where an ancestor is short its name is there
      Given a quota "company" of 2 cpu with the gate and preemption off
      And a quota "team" of 4 cpu below "company" with the gate and preemption off
      When the Job "second" with priority 1 asks for 3 cpu from "team"
      Then the message of "second" eventually contains "limited quotaName:{company}, limited resKey:cpu,"

  Rule: Pods that do not exist yet are not pods that are gone

    @KQ-QTA-09 @should
    Scenario: Nobody takes the place of a Job whose pods do not exist yet
      Given a quota "team" of 3 cpu with the gate and preemption off
      And no pods can be created
      And the admitted Job "first" with priority 2 asks for 3 pods of 1 cpu, its pods not created
      When the Job "second" with priority 1 asks for 1 cpu
      Then "first" stays holding 3 replicas while nothing changes
      And "second" is never admitted

  Rule: What has finished and is not replaced gives its share back

    @KQ-QTA-11 @should
    Scenario: Of three pods one has succeeded: two are held, one share is free
      Given a quota "team" of 3 cpu with the gate and preemption off
      And the admitted Job "train" with priority 2 asks for 3 pods of 1 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 1 cpu
      When 1 of the pods of "train" finishes
      Then "train" is eventually holding 2 replicas
      And "next" is eventually admitted
      And the quota "team" is never used beyond 3 cpu
