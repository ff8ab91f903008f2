@koord-queue
Feature: Troubleshooting by settings
  The governing text's troubleshooting table, where a setting is the remedy.

  Rule: Without the gate there is never a victim

    @KQ-LIM-01 @must
    Scenario: Turned on for the quota, the gate brings a victim
      Given a quota "team" of 2 cpu with only preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is not yet marked
      When the annotation "koord-queue/wait-for-pods-running" of the quota "team" is set to "true"
      Then "low" is eventually marked

    @KQ-LIM-01 @must
    Scenario: Turned on for the Queue, the gate brings a victim
      Given a quota "team" of 2 cpu with only preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is not yet marked
      When the annotation "koord-queue/wait-for-pods-running" of the Queue "team" is set to "true"
      Then "low" is eventually marked

  Rule: Without preemption nobody is marked after a filter failure

    @KQ-LIM-02 @must
    Scenario: Turned on for the quota, preemption brings a victim
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is not yet marked
      When the annotation "koord-queue/enable-queueunit-preemption" of the quota "team" is set to "true"
      Then "low" is eventually marked

    @KQ-LIM-02 @must
    Scenario: Turned on for the Queue, preemption brings a victim
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is not yet marked
      When the annotation "koord-queue/enable-queueunit-preemption" of the Queue "team" is set to "true"
      Then "low" is eventually marked

  Rule: In an Intelligent queue every attempt to preempt fails

    @KQ-LIM-03 @must @needs:intelligent
    Scenario: Changed to Priority, the queue brings a victim
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 3 asks for 2 cpu
      And "low" is not yet marked
      When the policy of "team" is changed to Priority
      Then "low" is eventually marked

    @KQ-LIM-03 @must @needs:intelligent @needs:block
    Scenario: Changed to Block, the queue brings a victim
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 3 asks for 2 cpu
      And "low" is not yet marked
      When the policy of "team" is changed to Block
      Then "low" is eventually marked

  Rule: A Job just admitted is protected for as long as the protection time says

    @KQ-LIM-05 @must @slow @needs:protection @needs:reconfigure
    Scenario: It is chosen once the protection has ended
      Given the protection time is set to 3 s
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is never marked within its protection of 3 s
      And the protection of 3 s is over for "low"
      When the quota "team" is raised to 3 cpu
      Then "urgent" is eventually admitted

    @KQ-LIM-05 @must @slow @needs:protection @needs:reconfigure
    Scenario: It is chosen when the time is lowered
      Given the protection time is set to 5 m
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the Job "urgent" with priority 100 asks for 2 cpu
      And "low" is not yet marked
      When the protection time is set to 0 s
      Then "low" is eventually marked
