@koord-queue
Feature: Leaving the assumed set
  A unit is a member for as long as it holds a reservation and its pods are not all running.

  Rule: A pod bound to a node counts as running, even if its image cannot be pulled

    @KQ-ASM-07 @should
    Scenario: The unit leaves the set when its pods are bound and do not start
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When the pods of "first" are bound and do not start
      Then "later" is eventually admitted

    @KQ-ASM-07 @should
    Scenario: A unit whose pods are bound and do not start is no victim
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the pods of "low" are bound and do not start
      And "low" is eventually reporting 1 running replica
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then "low" is never marked

  Rule: A member that completes, fails or is deleted leaves the set, and the queue goes on
    By its success policy a Job of two pods is complete with one of them, though the other was never
    bound.

    @KQ-ASM-08 @should
    Scenario: The queue goes on when a member completes
      Given a quota "team" of 4 cpu with only the gate on
      And the Job "first" with priority 10 is submitted with:
        """
        spec:
          parallelism: 2
          completions: 2
          completionMode: Indexed
          successPolicy:
            rules:
              - succeededCount: 1
        """
      And "first" is eventually admitted
      And 1 of the pods of "first" runs
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When 1 of the pods of "first" finishes
      Then "later" is eventually admitted

    @KQ-ASM-08 @should
    Scenario: The queue goes on when a member fails
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 pods of 1 cpu, 1 of its pods running
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When 1 of the pods of "first" fails
      Then "later" is eventually admitted

    @KQ-ASM-08 @should
    Scenario: The queue goes on when a member is deleted
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 cpu, its pods not bound
      And the waiting Job "later" with priority 1 asks for 2 cpu
      When the Job "first" is deleted
      Then "later" is eventually admitted

  Rule: An unbound replacement makes a running unit a member again, a pod that has succeeded does not

    @KQ-ASM-09 @may
    Scenario: While the replacement of a failed pod is unbound the next unit waits
      Given a quota "team" of 4 cpu with only the gate on
      And the Job "first" with priority 10 is submitted with:
        """
        spec:
          backoffLimit: 3
          parallelism: 2
          completions: 2
        """
      And "first" is eventually admitted
      And the pods of "first" run
      And no further pod of "first" finds room
      And 1 of the pods of "first" fails
      And "first" is eventually reporting 1 running replica
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is never admitted

    @KQ-ASM-09 @may
    Scenario: A pod that has succeeded leaves the gate open
      Given a quota "team" of 4 cpu with only the gate on
      And the admitted Job "first" with priority 10 asks for 2 pods of 1 cpu, its pods running
      And 1 of the pods of "first" finishes
      When the Job "later" with priority 1 asks for 2 cpu
      Then "later" is eventually admitted
