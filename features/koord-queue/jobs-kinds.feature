@koord-queue
Feature: Jobs of every kind
  How a Job is named and how it replaces its pods makes no difference to its queue.

  Background:
    Given a quota "team" of 2 cpu with the gate and preemption on

  Rule: A Job name of 63 characters works from admission to reclaim

    @KQ-JOB-13 @should
    Scenario: The longest name there is gets in and is reclaimed
      Given the admitted Job "a-job-with-a-name-as-long-as-it-can-get-has-sixty-three-letters" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object                                                                        | state                          |
        | "a-job-with-a-name-as-long-as-it-can-get-has-sixty-three-letters"             | marked                         |
        | the pods of "a-job-with-a-name-as-long-as-it-can-get-has-sixty-three-letters" | being deleted or gone          |
        | "a-job-with-a-name-as-long-as-it-can-get-has-sixty-three-letters"             | reserving nothing and unmarked |
        | "urgent"                                                                      | admitted                       |
      And eventually "a-job-with-a-name-as-long-as-it-can-get-has-sixty-three-letters" has an event Normal "Reclaimed"

  Rule: Indexed Jobs, and those that replace failed pods only, go the way of any other

    @KQ-JOB-22 @should
    Scenario Outline: A Job with <setting> is reclaimed, comes back and completes
      Given the Job "low" with priority 1 is submitted with:
        """
        spec: {parallelism: 2, completions: 2, <setting>}
        """
      And the pods of "low" are eventually 2 in number, none bound
      And the admitted Job "urgent" with priority 100 asks for 2 cpu, its pods running
      When the pods of "urgent" finish
      Then the Job "low" completes once its pods have run
      And eventually "low" has an event Normal "Reclaimed"

      Examples:
        | setting                      |
        | completionMode: Indexed      |
        | podReplacementPolicy: Failed |
