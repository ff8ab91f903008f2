@koord-queue
Feature: Jobs changed by hand while they are managed
  A user may suspend an admitted Job or raise its parallelism. Nobody gets past the queue by hand.

  Rule: A waiting Job resumed by hand is suspended again and leaves no pod

    @KQ-JOB-20 @should
    Scenario: It goes on waiting for its turn
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "train" with priority 1 asks for 2 cpu
      When the Job "train" is resumed by hand
      Then the Job "train" is eventually suspended
      And no pod of "train" stays
      And "train" stays waiting

    @KQ-JOB-20 @should
    Scenario: A Job suspended and resumed by hand waits for its turn again
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      And the Job "first" is suspended by hand
      And "next" is eventually admitted
      When the Job "first" is resumed by hand
      Then the Job "first" is eventually suspended
      And no pod of "first" stays

  Rule: An admitted Job suspended by hand stays so, and its quota is released

    @KQ-JOB-20 @should
    Scenario Outline: With <how far> it makes room for the next one
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 10 asks for 2 cpu, <how far>
      And the waiting Job "next" with priority 1 asks for 2 cpu
      When the Job "first" is suspended by hand
      Then "next" is eventually admitted
      And the Job "first" stays suspended

      Examples:
        | how far            |
        | its pods not bound |
        | its pods running   |

  Rule: Parallelism raised on an admitted Job is asked for before it is used

    @KQ-JOB-19 @should
    Scenario: Pods beyond the grant do not stay, the granted one does
      Given a quota "team" of 1 cpu with the gate and preemption off
      And the Job "train" with priority 10 is submitted with:
        """
        spec: {parallelism: 1, completions: 3}
        """
      And "train" is eventually admitted
      And the pods of "train" run
      When the parallelism of the Job "train" is set to 3
      Then "train" is eventually asking for 3 replicas
      And no more than 1 pod of "train" stays
      And no bound pod of "train" is ever removed

    @KQ-JOB-19 @should
    Scenario: Once the rest is granted its pods come
      Given a quota "team" of 1 cpu with the gate and preemption off
      And the Job "train" with priority 10 is submitted with:
        """
        spec: {parallelism: 1, completions: 3}
        """
      And "train" is eventually admitted
      And the parallelism of the Job "train" is set to 3
      And "train" is eventually asking for 3 replicas
      When the quota "team" is raised to 3 cpu
      Then "train" is eventually admitted
      And the pods of "train" are eventually 3 in number, none bound
