@koord-queue
Feature: The Intelligent policy
  Preemption is not implemented for Intelligent queues: an attempt fails and marks nobody.

  Rule: An attempt in an Intelligent queue marks nobody, and says that it failed

    @KQ-INT-01 @must @needs:intelligent
    Scenario: A unit that does not fit fails to preempt
      Given an Intelligent quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked
      And the message of "urgent" eventually says that the attempt failed
