@koord-queue
Feature: Two copies of the queue component
  One of them decides, for as long as it can. When it no longer can, the other one does.

  Background:
    Given a quota "team" of 2 cpu with the gate and preemption off
    And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
    And the waiting Job "next" with priority 1 asks for 2 cpu

  Rule: The queue goes on, and no unit is granted twice

    @KQ-ROB-03 @should @slow @needs:second-instance @needs:kill
    Scenario: When the first copy is killed, the second one goes on
      Given a second queue component beside the first
      And the first queue component is killed
      When the pods of "low" finish
      Then "next" is eventually admitted
      And "next" is granted exactly once

    @KQ-ROB-03 @should @slow @needs:second-instance @needs:hold-queue
    Scenario: A first copy that was held grants nothing again when it is let go
      Given a second queue component beside the first
      And the first queue component is held
      And the pods of "low" finish
      And "next" is eventually admitted
      When the first queue component is let go
      Then "next" is granted exactly once while nothing changes

    @KQ-ROB-03 @should @slow @needs:second-instance @needs:api-proxy
    Scenario: A first copy that was cut off grants nothing again when it is connected
      Given a proxy between the first queue component and the API server
      And a second queue component beside the first
      And the first queue component is cut off from the API server
      And the pods of "low" finish
      And "next" is eventually admitted
      When the first queue component is connected again
      Then "next" is granted exactly once while nothing changes

    @KQ-ROB-03 @should @slow @needs:second-instance
    Scenario: Both copies run, and every unit is granted once
      Given a second queue component beside the first
      When the pods of "low" finish
      Then "next" is eventually admitted
      And "next" is granted exactly once
