@koord-queue
Feature: How much preemption after the quota filter takes
  Members are taken from the lowest up until what they give back covers the request, and nobody is
  taken for a request that cannot be met.

  Rule: Accumulation stops as soon as the request is covered
    A round is over when no mark is left, or when the preemptor has been put back. Once it then fits,
    preemption before the reservation may take the members that are left.

    Background:
      Given a quota "team" of 6 cpu with the gate and preemption off
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu |
        | low-1 | 1        | 2   |
        | low-2 | 2        | 2   |
        | low-3 | 3        | 2   |
      And the gate is turned on for "team"

    @KQ-PRE-02 @must @needs:hold-extension
    Scenario: The two lowest members cover the request, the third is not marked
      Given the waiting Job "urgent" with priority 100 asks for 4 cpu
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" and "low-2" are eventually marked
      And the first round for "urgent" does not mark "low-3"

    @KQ-PRE-02 @must @needs:hold-extension
    Scenario: What is free already does not count, the two lowest members cover the request
      Given the quota "team" is raised to 7 cpu
      And the waiting Job "urgent" with priority 100 asks for 3 cpu
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" and "low-2" are eventually marked
      And the first round for "urgent" does not mark "low-3"

    @KQ-PRE-02 @must
    Scenario: The third is left alone until the first round is over
      Given preemption is turned on for "team"
      When the Job "urgent" with priority 100 asks for 4 cpu
      Then the first round for "urgent" does not mark "low-3"
      And "urgent" is eventually admitted

  Rule: One resource covered and another not, accumulation goes on

    @KQ-PRE-03 @must @needs:hold-extension
    Scenario: The lowest member covers the cpu, the memory takes the next one too
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max |
        | cpu      | 4   |
        | memory   | 4Gi |
      And these admitted Jobs, their pods not bound:
        | job   | priority | cpu | memory |
        | low-1 | 1        | 2   | 1Gi    |
        | low-2 | 2        | 1   | 2Gi    |
        | low-3 | 3        | 1   | 1Gi    |
      And the gate is turned on for "team"
      And these waiting Jobs:
        | job    | priority | cpu | memory |
        | urgent | 100      | 2   | 3Gi    |
      And the job extension is held
      When preemption is turned on for "team"
      Then "low-1" and "low-2" are eventually marked
      And the first round for "urgent" does not mark "low-3"

  Rule: If all that could be freed does not cover the request, nobody is marked

    @KQ-PRE-10 @should
    Scenario: One member and what is free are too little for the request
      Given a quota "team" of 7 cpu with the gate and preemption on
      And the admitted Job "busy" with priority 1 asks for 4 cpu, its pods running
      And the admitted Job "low" with priority 2 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 4 cpu
      Then "low" is never marked
      And "urgent" is never admitted

  Rule: A request above the quota's max marks nobody and does not stop the queue

    @KQ-PRE-12 @should
    Scenario: Nobody is marked for a request that the quota can never hold
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 4 cpu, its pods not bound
      When the Job "huge" with priority 100 asks for 5 cpu
      Then "low" is never marked
      And "huge" is never admitted

    @KQ-PRE-12 @should
    Scenario: A later Job that fits is admitted past it
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the waiting Job "huge" with priority 100 asks for 5 cpu
      When the Job "small" with priority 1 asks for 2 cpu
      Then "small" is eventually admitted
