@koord-queue
Feature: Priorities that a Job gives itself
  A Job may say its priority in an annotation, and need not name a PriorityClass.

  Background:
    Given a quota "team" of 2 cpu with the gate and preemption off

  Rule: The annotation wins over the class

    @KQ-JOB-18 @should
    Scenario: A Job of a low class with a high annotation goes first
      Given the admitted Job "first" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "plain" with priority 10 asks for 2 cpu
      And the Job "urgent" with priority 1 is submitted with:
        """
        metadata: {annotations: {scheduling.x-k8s.io/priority: "50"}}
        """
      And "urgent" is eventually refused
      When the pods of "first" finish
      Then "urgent" is eventually admitted
      And "plain" is never admitted

    @KQ-JOB-18 @should
    Scenario: An annotation changed while the Job waits changes its place
      Given the admitted Job "first" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "plain" with priority 10 asks for 2 cpu
      And the waiting Job "urgent" with priority 1 asks for 2 cpu
      And the annotation "scheduling.x-k8s.io/priority" of the Job "urgent" is set to "50"
      And "urgent" is eventually of priority 50
      When the pods of "first" finish
      Then "urgent" is eventually admitted
      And "plain" is never admitted

  Rule: A value that is no integer is ignored with a Warning event

    @KQ-JOB-18 @should
    Scenario Outline: The annotation <value> leaves the priority to the class
      When the Job "train" with priority 10 is submitted with:
        """
        metadata: {annotations: {scheduling.x-k8s.io/priority: "<value>"}}
        """
      Then "train" is eventually of priority 10
      And the Job "train" or its unit eventually has an event Warning

      Examples:
        | value      |
        | high       |
        | 2.5        |
        | 3000000000 |

  Rule: A missing class counts as 0, and so does none

    @KQ-JOB-18 @should
    Scenario Outline: A Job with <priorityClassName> for its class has priority 0
      When the Job "train" with priority 10 is submitted with:
        """
        spec: {template: {spec: {priorityClassName: <priorityClassName>}}}
        """
      Then "train" is eventually of priority 0

      Examples:
        | priorityClassName |
        | nobody-made-this  |
        | null              |
