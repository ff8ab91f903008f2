@koord-queue
Feature: What the log tells
  At verbosity 2 the log names, in one line, the queue and the unit that a decision is about.

  Rule: A victim that is chosen is in the log

    @KQ-OBS-06 @must @needs:logs
    Scenario: A line names the queue and the victim
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the log eventually has a line with the Queue "team" and "low"

  Rule: A unit that is passed over for protection is in the log

    @KQ-OBS-06 @must @slow @needs:logs @needs:protection @needs:reconfigure
    Scenario: A line names the queue and the protected unit
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the protection time is set to 5 m
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the log eventually has a line with the Queue "team" and "low"

  Rule: The end of a round is in the log

    @KQ-OBS-06 @must @needs:logs @needs:hold-extension
    Scenario: A line names the queue and a unit of the round
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And preemption is turned on for "team"
      And "low" is eventually marked
      When the job extension is let go
      Then the log eventually has a line with the Queue "team" and "low" or "urgent"
