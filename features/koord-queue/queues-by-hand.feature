@koord-queue
Feature: Queues made, deleted and left behind by hand
  A Queue need not come from a quota, and may go before it.

  Rule: A hand-made Queue is served with its own annotations
    The quota of its name carries neither annotation. It is there because without a quota nobody is
    admitted.

    @KQ-QUE-06 @must
    Scenario: Both annotations on the Queue alone: the lower Job is marked
      Given a hand-made Queue "own" with the policy Priority and the gate and preemption on
      And a quota "own" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is eventually marked

    @KQ-QUE-06 @must
    Scenario: Only the gate on the Queue: nobody is marked
      Given a hand-made Queue "own" with the policy Priority and only the gate on
      And a quota "own" of 2 cpu with the gate and preemption off
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked

  Rule: A deleted quota takes its Queue along; a new one of its name takes up who waits

    @KQ-QUE-11 @should
    Scenario: The Queue goes, and the Job that waits reports it
      Given a quota "team" of 1 cpu with the gate and preemption off
      And the waiting Job "train" with priority 1 asks for 2 cpu
      When the quota "team" is deleted
      Then the Queue "team" is eventually gone
      And eventually "train" has an event Warning "QueueNotFound"
      And "train" is never admitted

    @KQ-QUE-11 @should
    Scenario: The Job that waits is admitted when a new quota comes
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "full" with priority 2 asks for 2 cpu, its pods running
      And the waiting Job "train" with priority 1 asks for 2 cpu
      And the quota "team" is deleted
      And the Queue "team" is eventually gone
      And the pods of "full" finish
      When the quota "team" is created again
      Then "train" is eventually admitted

  Rule: A policy that is not supported stops its own Queue, and no other

    @KQ-QUE-13 @should
    Scenario: The Queue gets a Warning, and another queue goes on
      Given a hand-made Queue "own" with the policy Lottery and the gate and preemption off
      And a quota "team" of 2 cpu with the gate and preemption off
      When the Job "train" with priority 2 asks for 2 cpu
      Then "train" is eventually admitted
      And eventually the Queue "own" has an event Warning "AddQueueFail"

    @KQ-QUE-13 @should
    Scenario: Other queues go on while that Queue is edited again
      Given a hand-made Queue "own" with the policy Lottery and the gate and preemption off
      And eventually the Queue "own" has an event Warning "AddQueueFail"
      And a quota "team" of 2 cpu with the gate and preemption off
      And the annotation "koord-queue/max-depth" of the Queue "own" is set to "5"
      When the Job "train" with priority 1 asks for 2 cpu
      Then "train" is eventually admitted

  Rule: A Queue that is deleted by hand comes back with what its quota says

    @KQ-QUE-15 @should
    Scenario: It comes back with policy and annotations
      Given a Block quota "team" of 2 cpu with the gate and preemption on
      When the Queue "team" is deleted by hand
      Then the Queue "team" is eventually of the policy Block again
      And the Queue "team" is eventually carrying the annotation "koord-queue/wait-for-pods-running" with "true" again

    @KQ-QUE-15 @should
    Scenario: Its units take part again
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "full" with priority 2 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu
      And the Queue "team" is deleted by hand
      When the pods of "full" finish
      Then "next" is eventually admitted

  Rule: A Queue outside the component's namespace is not served

    @KQ-QUE-17 @should
    Scenario: Its annotations count for nobody
      Given a hand-made Queue "team" outside the component's namespace with the policy Priority and only the gate on
      And a quota "team" of 4 cpu with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu, its pods not bound
      When the Job "second" with priority 1 asks for 2 cpu
      Then "second" is eventually admitted
