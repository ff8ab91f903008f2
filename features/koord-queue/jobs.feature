@koord-queue
Feature: Taking Jobs over
  A Job that is created suspended, with a quota label, waits in its queue until it is admitted.

  Background:
    Given a quota "team" of 2 cpu with the gate and preemption off

  Rule: A suspended Job with a quota label gets one QueueUnit of its name in its namespace

    @KQ-JOB-01 @must
    Scenario: One unit stands for the Job
      When the Job "train" with priority 10 asks for 2 cpu
      Then exactly one QueueUnit "train" exists in the Job's namespace

  Rule: A Job created unsuspended is left alone

    @KQ-JOB-02 @must
    Scenario: Its pods come at once, also when its quota is full
      Given the admitted Job "full" with priority 10 asks for 2 cpu, its pods not bound
      When the Job "free" is created unsuspended and asks for 2 cpu
      Then the pods of "free" are eventually there
      And the Job "free" is never suspended

    @KQ-JOB-02 @must
    Scenario: Nothing keeps its pods from running
      Given the admitted Job "full" with priority 10 asks for 2 cpu, its pods not bound
      And the Job "free" is created unsuspended and asks for 2 cpu
      When the pods of "free" run
      Then the Job "free" is never suspended

    @KQ-JOB-17 @should
    Scenario: It gets no unit
      When the Job "free" is created unsuspended and asks for 1 cpu
      Then no QueueUnit "free" ever exists

  Rule: No pod exists before admission

    @KQ-JOB-03 @must
    Scenario: The pods of a waiting Job come after its admission
      Given the admitted Job "first" with priority 10 asks for 2 cpu, its pods running
      And the waiting Job "train" with priority 1 asks for 2 cpu
      When the pods of "first" finish
      Then no pod of "train" exists before "train" is admitted

  Rule: Admission resumes the Job

    @KQ-JOB-04 @must
    Scenario: A Job whose unit holds its count is not suspended any more
      When the Job "train" with priority 10 asks for 2 cpu
      Then "train" is eventually holding 1 replica
      And the Job "train" stays resumed
