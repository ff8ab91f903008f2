@koord-queue
Feature: Settings taken from a Queue
  A queue is served by what its Queue says now; nothing has to be restarted.

  Rule: Annotations are read again whenever the Queue changes

    @KQ-QUE-07 @must
    Scenario: The gate, turned off, lets the next Job in
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods not bound
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When the gate is turned off for "team"
      Then "later" is eventually admitted

    @KQ-QUE-07 @must
    Scenario: The gate, turned on, holds the next Job
      Given a quota "team" of 4 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods not bound
      And the gate is turned on for "team"
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted while the gate is closed

    @KQ-QUE-07 @must
    Scenario: Preemption, turned on, marks the victim of the Job that waits
      Given a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      When preemption is turned on for "team"
      Then "low" is eventually marked

    @KQ-QUE-07 @must
    Scenario: Preemption, turned off, marks nobody
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And preemption is turned off for "team"
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked

  Rule: Only the literal "true" turns an annotation on

    @KQ-QUE-08 @must
    Scenario Outline: With the gate <gate> and preemption <preemption> nobody is marked
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/wait-for-pods-running" of the quota "team" is set to <gate>
      And the annotation "koord-queue/enable-queueunit-preemption" of the quota "team" is set to <preemption>
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked

      Examples:
        | gate   | preemption |
        | "True" | "true"     |
        | "1"    | "true"     |
        | "yes"  | "true"     |
        | ""     | "true"     |
        | "true" | "True"     |
        | "true" | "1"        |
        | "true" | "yes"      |
        | "true" | ""         |

    @KQ-QUE-08 @must
    Scenario: With both "true" the lower one is marked
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/wait-for-pods-running" of the quota "team" is set to "true"
      And the annotation "koord-queue/enable-queueunit-preemption" of the quota "team" is set to "true"
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked

  Rule: Changing the policy loses no unit that waits

    @KQ-QUE-12 @should @needs:block @needs:intelligent
    Scenario Outline: From <before> to <after>, both that wait are admitted in the end
      Given a <before> quota "team" of 1 cpu with the gate and preemption off
      And the waiting Job "high" with priority 8 asks for 2 cpu
      And the waiting Job "low" with priority 1 asks for 2 cpu
      And the policy of "team" is changed to <after>
      When the quota "team" is raised to 4 cpu
      Then "high" is eventually admitted
      And "low" is eventually admitted

      Examples:
        | before      | after       |
        | Priority    | Block       |
        | Block       | Priority    |
        | Priority    | Intelligent |
        | Intelligent | Priority    |
        | Block       | Intelligent |
        | Intelligent | Block       |
