@koord-queue
Feature: Annotations of quotas and Queues
  What is annotated on the quota is on its Queue; what is annotated on the Queue stays there.

  Rule: Every koord-queue/ annotation that a quota is created with is on its Queue

    @KQ-QUE-02 @must
    Scenario: The Queue has them all
      When a quota "team" of 2 cpu is created with these annotations:
        | annotation                              | value    |
        | koord-queue/wait-for-pods-running       | "true"   |
        | koord-queue/enable-queueunit-preemption | "false"  |
        | koord-queue/of-no-known-meaning         | "a, b=c" |
      Then the Queue "team" eventually carries these annotations:
        | annotation                              | value    |
        | koord-queue/wait-for-pods-running       | "true"   |
        | koord-queue/enable-queueunit-preemption | "false"  |
        | koord-queue/of-no-known-meaning         | "a, b=c" |

  Rule: A koord-queue/ annotation that the quota gets or changes later is on its Queue, too

    @KQ-QUE-03 @must
    Scenario: An annotation that is added comes to the Queue
      Given a quota "team" of 2 cpu with the gate and preemption off
      When the annotation "koord-queue/of-no-known-meaning" of the quota "team" is set to "1"
      Then the Queue "team" is eventually carrying the annotation "koord-queue/of-no-known-meaning" with "1"

    @KQ-QUE-03 @must
    Scenario: An annotation that is changed is changed on the Queue, and no other one is
      Given a quota "team" of 2 cpu with the gate and preemption on
      When the annotation "koord-queue/enable-queueunit-preemption" of the quota "team" is set to "false"
      Then the Queue "team" is eventually carrying the annotation "koord-queue/enable-queueunit-preemption" with "false"
      And the Queue "team" is never carrying the annotation "koord-queue/wait-for-pods-running" other than "true"

  Rule: An annotation without the prefix is not copied

    @KQ-QUE-18 @should
    Scenario: Only the one with the prefix comes to the Queue
      When a quota "team" of 2 cpu is created with these annotations:
        | annotation                      | value  |
        | koord-queue/of-no-known-meaning | "1"    |
        | koord-queue-of-no-known-meaning | "2"    |
        | example.com/colour              | "blue" |
      Then the Queue "team" is eventually there
      And the Queue "team" is never carrying "koord-queue-of-no-known-meaning" as a label or an annotation
      And the Queue "team" is never carrying "example.com/colour" as a label or an annotation

  Rule: An annotation set directly on the Queue survives changes of the quota

    @KQ-QUE-05 @must
    Scenario Outline: The Queue keeps <annotation> while the quota brings another
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "<annotation>" of the Queue "team" is set to "1"
      And the annotation "koord-queue/brought-by-the-quota" of the quota "team" is set to "2"
      When the quota "team" is raised to 3 cpu
      Then the Queue "team" is never carrying the annotation "<annotation>" other than "1"

      Examples:
        | annotation                      |
        | koord-queue/of-no-known-meaning |
        | example.com/colour              |

  Rule: An annotation that is removed from the quota goes from the Queue if it came from there

    @KQ-QUE-10 @should
    Scenario: The quota's annotation goes, the Queue's own one stays
      Given a quota "team" of 2 cpu with these annotations:
        | annotation                        | value  |
        | koord-queue/wait-for-pods-running | "true" |
      And the annotation "koord-queue/of-no-known-meaning" of the Queue "team" is set to "1"
      When the annotation "koord-queue/wait-for-pods-running" of the quota "team" is removed
      Then the Queue "team" is eventually carrying no annotation "koord-queue/wait-for-pods-running"
      And the Queue "team" is never carrying the annotation "koord-queue/of-no-known-meaning" other than "1"

  Rule: Where both carry the same key, the quota's value wins

    @KQ-QUE-19 @should
    Scenario: What is changed on the Queue alone is changed back
      Given a quota "team" of 2 cpu with the gate and preemption on
      When the annotation "koord-queue/wait-for-pods-running" of the Queue "team" is set to "false"
      Then the Queue "team" is eventually carrying the annotation "koord-queue/wait-for-pods-running" with "true" again

    @KQ-QUE-19 @should
    Scenario: What the Queue had first is overruled when the quota says otherwise
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/wait-for-pods-running" of the Queue "team" is set to "false"
      When the annotation "koord-queue/wait-for-pods-running" of the quota "team" is set to "true"
      Then the Queue "team" is eventually carrying the annotation "koord-queue/wait-for-pods-running" with "true"
