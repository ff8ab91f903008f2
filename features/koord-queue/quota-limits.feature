@koord-queue
Feature: The limits of a quota
  A unit is limited by what its quota and that quota's ancestors name under max, and by nothing
  else.

  Rule: Max is what limits, resource by resource

    @KQ-QTA-04 @should
    Scenario: A request above min and within max is admitted
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | min | max |
        | cpu      | 1   | 3   |
      When the Job "train" with priority 1 asks for 3 cpu
      Then "train" is eventually admitted

    @KQ-QTA-04 @should
    Scenario: A resource that max does not list is unlimited
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max |
        | memory   | 1Gi |
      When the Job "train" with priority 1 asks for 1000 cpu
      Then "train" is eventually admitted

    @KQ-QTA-04 @should
    Scenario: Of a resource set to 0 nothing is admitted
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max |
        | cpu      | 0   |
      When the Job "train" with priority 1 asks for 1 cpu
      Then "train" is eventually refused
      And "train" is never admitted

    @KQ-QTA-04 @should
    Scenario: A resource that the unit does not request has no veto
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max |
        | cpu      | 2   |
        | memory   | 0   |
      When the Job "train" with priority 1 asks for 2 cpu
      Then "train" is eventually admitted

    @KQ-QTA-04 @should
    Scenario: A request of nothing needs no room, listed or not
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max |
        | cpu      | 2   |
        | memory   | 0   |
      When the Job "train" with priority 1 is submitted with:
        """
        spec: {template: {spec: {containers: [
          {name: main, resources: {requests: {cpu: 2, memory: 0, ephemeral-storage: 0}}}]}}}
        """
      Then "train" is eventually admitted

  Rule: The max of every ancestor limits, too

    Background:
      Given a quota "company" of 3 cpu with the gate and preemption off
      And a quota "left" of 9 cpu below "company" with the gate and preemption off
      And the admitted Job "first" with priority 2 asks for 2 cpu from "left", its pods running
      And a quota "right" of 9 cpu below "company" with the gate and preemption off

    @KQ-QTA-05 @should
    Scenario: What one child holds is not there for the other
      When the Job "second" with priority 1 asks for 2 cpu from "right"
      Then "second" is never admitted

    @KQ-QTA-05 @should
    Scenario: What the one leaves is there for the other
      When the Job "second" with priority 1 asks for 1 cpu from "right"
      Then "second" is eventually admitted

    @KQ-QTA-05 @should
    Scenario: The limit reaches down over a quota in between
      Given a quota "group" of 9 cpu below "right" with the gate and preemption off
      When the Job "second" with priority 1 asks for 2 cpu from "group"
      Then "second" is never admitted

  Rule: A chain of ancestors ends at the root, or in a message

    @KQ-QTA-05 @should
    Scenario: A quota below the root has no other limit than its own
      Given a quota "team" of 2 cpu below the root with the gate and preemption off
      When the Job "train" with priority 1 asks for 2 cpu
      Then "train" is eventually admitted

    @KQ-QTA-05 @should
    Scenario: A missing ancestor is named, and waited for
      Given a quota "team" of 2 cpu below "company" with the gate and preemption off
      And the waiting Job "train" with priority 1 asks for 2 cpu
      And the message of "train" eventually names the quota "company"
      When a quota "company" of 2 cpu with the gate and preemption off is created
      Then "train" is eventually admitted

    @KQ-QTA-05 @should
    Scenario: A cycle is told by the name of a quota in it, and the other queues go on
      Given a quota "left" of 2 cpu below "right" with the gate and preemption off
      And a quota "right" of 2 cpu below "left" with the gate and preemption off
      And the waiting Job "train" with priority 1 asks for 2 cpu from "right"
      And a quota "other" of 2 cpu with the gate and preemption off
      When the Job "second" with priority 2 asks for 2 cpu from "other"
      Then "second" is eventually admitted
      And the message of "train" eventually names the quota "left" or "right"
