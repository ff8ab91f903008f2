@koord-queue
Feature: The unit that stands for a Job
  A QueueUnit says on behalf of its Job what is asked for, how urgent it is, and where it belongs.

  Rule: The unit carries what identifies its Job and what the Job asks for

    @KQ-JOB-05 @should
    Scenario: The unit names its Job and speaks for it
      Given a quota "team" of 1 cpu with the gate and preemption off
      When the Job "train" with priority 10 is submitted with:
        """
        metadata:
          labels: {research.example/group: vision}
          annotations: {research.example/contact: somebody}
        """
      Then "train" is eventually standing for its Job
      And "train" is eventually carrying the labels and annotations of its Job
      And "train" is eventually of priority 10
      And "train" is eventually of its Job's PriorityClass

    @KQ-JOB-05 @should
    Scenario Outline: <parallelism> pods at once of <completions> to complete make <count> replicas
      Given a quota "team" of 1 cpu with the gate and preemption off
      When the Job "train" with priority 10 is submitted with:
        """
        spec:
          parallelism: <parallelism>
          completions: <completions>
          template: {spec: {containers: [{name: main, resources: {requests: {cpu: 1500m}}}]}}
        """
      Then "train" is eventually asking for <count> replicas in one podSet of its Job's name
      And "train" is eventually asking for 3 cpu in all

      Examples:
        | parallelism | completions | count |
        | 2           | 5           | 2     |
        | 5           | 2           | 2     |

    @KQ-JOB-05 @should
    Scenario: What has succeeded is not asked for again
      Given a quota "team" of 3 cpu with the gate and preemption off
      And the admitted Job "train" with priority 10 asks for 3 pods of 1 cpu, its pods running
      When 1 of the pods of "train" finishes
      Then "train" is eventually asking for 2 replicas in one podSet of its Job's name

  Rule: A unit's priority is the value of its pod template's PriorityClass

    @KQ-JOB-06 @must
    Scenario: Of those that wait the one of the higher class is admitted, though it came last
      Given a quota "team" of 1 cpu with the gate and preemption off
      And the admitted Job "first" with priority 1 asks for 1 cpu, its pods running
      And these waiting Jobs:
        | job   | priority | cpu |
        | below | -5       | 1   |
        | nine  | 9        | 1   |
        | ten   | 10       | 1   |
      When the pods of "first" finish
      Then "ten" is eventually admitted
      And "nine" is never admitted
      And "below" is never admitted

  Rule: A change of parallelism while a Job waits changes the charge and keeps its place

    @KQ-JOB-07 @should
    Scenario: A Job made smaller comes in with what it asks for now
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the Job "train" with priority 10 is submitted with:
        """
        spec: {parallelism: 3, completions: 3}
        """
      And "train" is eventually refused
      When the parallelism of the Job "train" is set to 2
      Then "train" is eventually admitted
      And "train" is eventually holding 2 replicas

    @KQ-JOB-07 @should
    Scenario: A Job made larger needs the larger room
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the Job "train" with priority 1 is submitted with:
        """
        spec: {parallelism: 2, completions: 3}
        """
      And the parallelism of the Job "train" is set to 3
      And "train" is eventually asking for 3 replicas
      When the pods of "first" finish
      Then "train" is never admitted

    @KQ-JOB-07 @should
    Scenario: A Job that was changed is not put behind an equal one that came later
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "first" with priority 1 asks for 2 cpu, its pods running
      And the Job "early" with priority 10 is submitted with:
        """
        spec: {parallelism: 1, completions: 2}
        """
      And the Job "later" with priority 10 asks for 2 cpu
      And the parallelism of the Job "early" is set to 2
      And "early" is eventually asking for 2 replicas
      When the pods of "first" finish
      Then "early" is eventually admitted
      And "later" is never admitted

