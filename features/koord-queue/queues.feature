@koord-queue
Feature: Queues made from quotas
  Users maintain an ElasticQuota. The Queue of its name follows, in the component's namespace.

  Rule: Each quota gets a Queue of its name in the component's namespace

    @KQ-QUE-01 @must
    Scenario: Two quotas, two Queues
      Given a quota "team" of 2 cpu with the gate and preemption off
      When a quota "other" of 2 cpu with the gate and preemption off is created
      Then the Queue "other" is eventually there
      And the Queue "team" is never gone

  Rule: The policy label becomes the policy, and is not copied

    @KQ-QUE-04 @must
    Scenario Outline: The label <label> makes a Queue of the policy <label>
      When a <label> quota "team" of 2 cpu with the gate and preemption off is created
      Then the Queue "team" is eventually of the policy <label>
      And the Queue "team" is never carrying "koord-queue/queue-policy" as a label or an annotation

      Examples:
        | label       |
        | Priority    |
        | Block       |
        | Intelligent |

    @KQ-QUE-04 @must
    Scenario: Another label makes it a Queue of another policy
      Given a Block quota "team" of 2 cpu with the gate and preemption on
      When the policy of "team" is changed to Priority
      Then the Queue "team" is eventually of the policy Priority
      And the Queue "team" is never carrying "koord-queue/queue-policy" as a label or an annotation

  Rule: What the quota does not say has a default

    @KQ-QUE-09 @should
    Scenario: Without a label the policy is Priority, and the priority 1000
      When a quota "team" of 2 cpu without a policy label is created
      Then the Queue "team" is eventually of the policy Priority
      And the Queue "team" is eventually of the priority 1000

    @KQ-QUE-09 @should
    Scenario: A policy that nobody knows is Priority
      When a Lottery quota "team" of 2 cpu with the gate and preemption off is created
      Then the Queue "team" is eventually of the policy Priority

    @KQ-QUE-09 @should
    Scenario: The label that names the parent is copied
      Given a quota "company" of 2 cpu with the gate and preemption off
      When a quota "team" of 2 cpu below "company" with the gate and preemption off is created
      Then the Queue "team" is eventually below "company"
      And the Queue "company" is never carrying "quota.scheduling.koordinator.sh/parent" as a label or an annotation

  Rule: The governing text's manifests work as they stand

    @KQ-QUE-16 @must @serial
    Scenario: The governing text's ElasticQuota makes a Queue with its policy and annotations
      When the governing text's ElasticQuota "team-a" is created as it stands
      Then the Queue "team-a" is eventually of the policy Priority
      And the Queue "team-a" eventually carries these annotations:
        | annotation                              | value  |
        | koord-queue/wait-for-pods-running       | "true" |
        | koord-queue/enable-queueunit-preemption | "true" |

    @KQ-QUE-16 @must @serial
    Scenario: The governing text's Queue stays as it is written, and serves a Job of 4 cpu
      Given the governing text's Queue "team-a" is created as it stands
      And the governing text's ElasticQuota "team-a" is created as it stands
      When the Job "train" with priority 1 asks for 4 cpu
      Then "train" is eventually admitted
      And the Queue "team-a" stays of the policy Priority
      And the Queue "team-a" stays of the priority 1000

  Rule: A Queue lists the units that wait, in queue order
    They are in status.queueItemDetails.active.

    Background:
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "full" with priority 9 asks for 2 cpu, its pods running
      And the waiting Job "low" with priority -1 asks for 2 cpu

    @KQ-QUE-14 @should
    Scenario: Whoever waits is listed with priority and position
      When the Job "high" with priority 5 asks for 2 cpu
      Then the Queue "team" eventually lists these waiting units:
        | position | unit | priority |
        | 1        | high | 5        |
        | 2        | low  | -1       |

    @KQ-QUE-14 @should
    Scenario: Whoever is admitted is listed no more
      Given the waiting Job "high" with priority 5 asks for 2 cpu
      When the pods of "full" finish
      Then the Queue "team" eventually lists these waiting units:
        | position | unit | priority |
        | 1        | low  | -1       |
