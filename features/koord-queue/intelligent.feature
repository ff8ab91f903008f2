@koord-queue
Feature: The Intelligent policy
  Preemption is not implemented for Intelligent queues: an attempt fails and marks nobody. All
  priorities here are below 4, the default threshold: a waiting unit at or above it would hold back
  the rest.

  Rule: An attempt in an Intelligent queue marks nobody, and says that it failed

    @KQ-INT-01 @must @needs:intelligent
    Scenario: A unit that does not fit fails to preempt
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 3 asks for 2 cpu
      Then the message of "urgent" eventually says that the attempt failed
      And "low" is never marked

  Rule: Every further attempt in an Intelligent queue fails and marks nobody, too

    @KQ-INT-02 @must @needs:intelligent
    Scenario: A change that does not help brings no mark
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 3 asks for 2 cpu
      When the quota "team" is raised to 3 cpu
      Then the message of "urgent" eventually says that the attempt failed
      And "low" is never marked

    @KQ-INT-02 @must @needs:intelligent
    Scenario: Another unit that does not fit fails as well
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 3 asks for 2 cpu
      When the Job "later" with priority 2 asks for 2 cpu
      Then the message of "later" eventually says that the attempt failed
      And "low" is never marked

  Rule: Message and log tell of the failed attempt in upstream's words

    @KQ-INT-03 @should @needs:intelligent @needs:logs
    Scenario: The message ends with the failed preemption, the log tells the reason
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 3 asks for 2 cpu
      Then the message of "urgent" eventually names the quota or the resource, then "; preempt failed"
      And the log eventually has a line with the text "preemption not supported in intelligent queue yet"

  Rule: Once the policy is Priority or Block the same preemptor marks its victim

    @KQ-INT-04 @must @needs:intelligent
    Scenario: The same preemptor marks its victim once the policy is Priority
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 3 asks for 2 cpu
      When the policy of "team" is changed to Priority
      Then "low" is eventually marked

    @KQ-INT-04 @must @needs:intelligent @needs:block
    Scenario: The same preemptor marks its victim once the policy is Block
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 3 asks for 2 cpu
      When the policy of "team" is changed to Block
      Then "low" is eventually marked

  Rule: In an Intelligent queue the gate holds nobody back

    @KQ-INT-05 @should @needs:intelligent
    Scenario: A Job that fits is admitted beside one whose pods are not bound
      Given an Intelligent quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods not bound
      When the Job "second" with priority 1 asks for 2 cpu
      Then "second" is eventually admitted
      And "first" is never marked
