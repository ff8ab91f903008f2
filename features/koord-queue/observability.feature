@koord-queue
Feature: What can be observed
  Whoever waits can see why, and how often it was tried.

  Rule: A preemptor that cannot be admitted keeps phase Enqueued

    @KQ-OBS-01 @must
    Scenario: The phase is Enqueued for as long as the unit is refused
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "urgent" is eventually in phase Enqueued
      And "urgent" is never in a phase other than Enqueued

    @KQ-OBS-01 @must @needs:hold-extension
    Scenario: The phase is Enqueued while a preemptor waits for the release
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      When preemption is turned on for "team"
      Then "low" is eventually marked
      And "urgent" stays in phase Enqueued while the job extension is held

  Rule: The message tells what is short, and whether an attempt marked victims

    @KQ-OBS-02 @must @needs:hold-extension
    Scenario: The message changes when an attempt marks a victim
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the message of "urgent" eventually names the quota or the resource
      And the job extension is held
      When preemption is turned on for "team"
      Then "low" is eventually marked
      And the message of "urgent" eventually names the quota or the resource, and reads differently

  Rule: The message is the filter's result, followed by the outcome of preemption

    @KQ-OBS-11 @should
    Scenario: A victim was marked
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the message of "urgent" eventually names the quota or the resource, then "; preempt succeed"

    @KQ-OBS-11 @should
    Scenario: Nobody could be marked
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then the message of "urgent" eventually names the quota or the resource, then "; preempt failed"

  Rule: status.attempts is at least 1 after the first refusal, and grows with a later one

    @KQ-OBS-03 @must
    Scenario: A change that does not help makes one more attempt
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the attempts of "urgent" are eventually at least 1
      When the quota "team" is raised to 3 cpu
      Then the attempts of "urgent" eventually grow

  Rule: Each refusal by the filter raises job_schedule_attempts with the result unschedulable

    @KQ-OBS-04 @must @needs:metrics
    Scenario: Each refusal by the filter counts as unschedulable
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the metric job_schedule_attempts of "team" with result "unschedulable" is eventually at least 1
      When the quota "team" is raised to 3 cpu
      Then the metric job_schedule_attempts of "team" with result "unschedulable" eventually grows

  Rule: queueunits_in_active_queue is at least 1 while a unit waits, and falls when fewer wait

    @KQ-OBS-05 @must @needs:metrics
    Scenario: The number of units in the active queue falls when the one that waits is gone
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "second" with priority 1 asks for 2 cpu
      And the metric queueunits_in_active_queue of "team" is eventually at least 1
      When the Job "second" is deleted
      Then the metric queueunits_in_active_queue of "team" eventually falls
