@koord-queue
Feature: Staying right when the API server makes trouble
  Requests are refused, answers get lost, watches end. All of it passes, and the round ends as if
  nothing had happened.

  Rule: A round ends the same, whatever the API server answers on the way

    @KQ-ROB-04 @should @slow @needs:api-proxy
    Scenario Outline: The preemptor comes in although <trouble>
      Given a proxy between the controller and the API server
      And a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And <trouble>
      When the Job "urgent" with priority 100 asks for 2 cpu
      Then these states are seen in this order:
        | object   | state             |
        | "low"    | marked            |
        | "low"    | reserving nothing |
        | "urgent" | admitted          |
      And "low" has exactly one event Warning "Preempted"
      And "low" has exactly one event Normal "Reclaimed"

      Examples:
        | trouble                                                                    |
        | every other write is refused as a conflict                                 |
        | the next 2 writes are refused as too many requests, to be sent again later |
        | every other write fails inside the server                                  |
        | the answer to every other write is lost                                    |
        | every watch breaks off after an event, two times                           |
        | every watch ends as too old after an event                                 |

  Rule: What somebody else writes to a unit between the controller's read and write is not lost

    @KQ-ROB-06 @should @slow @needs:api-proxy
    Scenario: A mark that is written just before a report of running pods is acted on
      Given a quota "team" of 3 cpu with the gate and preemption off
      And a proxy between the controller and the API server
      And the admitted Job "low" with priority 1 asks for 3 pods of 1 cpu, its pods not bound
      And somebody else marks "low" for 2 replicas just before the controller's next write to it arrives
      When 1 of the pods of "low" runs
      Then the unbound pods of "low" are eventually removed
      And no bound pod of "low" is ever removed

    @KQ-ROB-06 @should @slow @needs:api-proxy @needs:hold-extension
    Scenario: A unit that is reported to run just before it would be marked is not marked
      Given a proxy between the controller and the API server
      And a quota "team" of 2 cpu with only the gate on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      And the job extension is held
      And somebody else reports 1 running replica of "low" just before the controller's next write to it arrives
      When preemption is turned on for "team"
      Then "low" is eventually reporting 1 running replica
      And "low" is never marked
