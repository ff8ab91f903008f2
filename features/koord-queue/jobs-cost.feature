@koord-queue
Feature: What a pod is charged
  A pod is charged what the scheduler will count for it, no more and no less.

  Background:
    Given a quota "team" of 3 cpu with the gate and preemption off

  Rule: Containers and restartable init containers add up

    @KQ-JOB-14 @should
    Scenario: Two containers and a sidecar need the sum of the three
      Given the Job "train" with priority 10 is submitted with:
        """
        spec:
          template:
            spec:
              initContainers:
              - {name: sidecar, restartPolicy: Always, resources: {requests: {cpu: 1}}}
              containers:
              - {name: main, resources: {requests: {cpu: 2}}}
              - {name: logger, resources: {requests: {cpu: 1}}}
        """
      And "train" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "train" is eventually admitted

  Rule: The largest init step counts with the sidecars declared before it

    @KQ-JOB-14 @should
    Scenario: An init step behind a sidecar needs the room of both
      Given the Job "train" with priority 10 is submitted with:
        """
        spec:
          template:
            spec:
              initContainers:
              - {name: sidecar, restartPolicy: Always, resources: {requests: {cpu: 1}}}
              - {name: prepare, resources: {requests: {cpu: 3}}}
              containers:
              - {name: main, resources: {requests: {cpu: 1}}}
        """
      And "train" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "train" is eventually admitted

    @KQ-JOB-14 @should
    Scenario: Init steps neither add up nor count with a sidecar declared after them
      When the Job "train" with priority 10 is submitted with:
        """
        spec:
          template:
            spec:
              initContainers:
              - {name: fetch, resources: {requests: {cpu: 2}}}
              - {name: prepare, resources: {requests: {cpu: 3}}}
              - {name: sidecar, restartPolicy: Always, resources: {requests: {cpu: 1}}}
              containers:
              - {name: main, resources: {requests: {cpu: 2}}}
        """
      Then "train" is eventually admitted

  Rule: The overhead of the RuntimeClass comes on top

    @KQ-JOB-14 @should
    Scenario: A pod of 3 cpu in a sandbox that takes 1 needs 4
      Given a RuntimeClass "sandbox" with an overhead of 1 cpu
      And the Job "train" with priority 10 is submitted with:
        """
        spec:
          template:
            spec:
              runtimeClassName: sandbox
              containers: [{name: main, resources: {requests: {cpu: 3}}}]
        """
      And "train" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "train" is eventually admitted

  Rule: Limits stand in for missing requests

    @KQ-JOB-15 @should
    Scenario: A container with limits alone needs its limits
      Given the Job "train" with priority 10 is submitted with:
        """
        spec: {template: {spec: {containers: [{name: main, resources: {limits: {cpu: 4}}}]}}}
        """
      And "train" is not yet admitted
      When the quota "team" is raised to 4 cpu
      Then "train" is eventually admitted

    @KQ-JOB-15 @should
    Scenario: A container with requests below its limits needs its requests
      When the Job "train" with priority 10 is submitted with:
        """
        spec:
          template:
            spec:
              containers:
              - {name: main, resources: {requests: {cpu: 3}, limits: {cpu: 4}}}
        """
      Then "train" is eventually admitted

  Rule: A unit that cannot be charged is reported and stops nobody

    @KQ-JOB-16 @should
    Scenario: The next one is admitted although an unreadable one is before it
      Given a unit "odd" without a Job, with priority 100, asks for:
        | podSet | count | cpu  |
        | main   | 1     | lots |
      And "odd" is eventually saying why it waits
      When the Job "train" with priority 10 asks for 3 cpu
      Then "train" is eventually admitted
      And "odd" is never admitted

    @KQ-JOB-16 @should @needs:block
    Scenario: Nobody stays behind it in a Block queue either
      Given a Block quota "strict" of 3 cpu with the gate and preemption off
      And a unit "odd" without a Job, with priority 100, asks for:
        | podSet | count | cpu  |
        | main   | 1     | lots |
      And "odd" is eventually saying why it waits
      When the Job "train" with priority 10 asks for 3 cpu from "strict"
      Then "train" is eventually admitted
