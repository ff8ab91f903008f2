@koord-queue
Feature: Staying right when the controller is stopped or killed
  What a round has come to is in the objects alone. Whoever is started in the middle of it goes on
  from there.

  Rule: A controller stopped or killed at any point of a round finishes it when it is started again

    @KQ-ROB-01 @should @slow @needs:restart
    Scenario: Stopped before it could mark, it marks when it is started
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods not bound
      And the controller is stopped
      And the Job "urgent" with priority 100 asks for 2 cpu
      When the controller is started
      Then these states are seen in this order:
        | object   | state             |
        | "low"    | marked            |
        | "low"    | reserving nothing |
        | "urgent" | admitted          |
      And "low" has exactly one event Normal "Reclaimed"

    @KQ-ROB-01 @should @slow @needs:restart @needs:kill @needs:hold-extension
    Scenario: Killed after the mark, it finishes the round without a second event
      Given a round in the quota "team" that waits for the job extension: "low" is marked, "urgent" waits
      And the controller is killed
      When the controller is started
      Then these states are seen in this order:
        | object   | state             |
        | "low"    | reserving nothing |
        | "urgent" | admitted          |
      And "low" has exactly one event Warning "Preempted"
      And "low" has exactly one event Normal "Reclaimed"

    @KQ-ROB-01 @should @slow @needs:restart @needs:kill @needs:hold-extension @needs:api-proxy
    Scenario Outline: Killed when the pods were gone, <moment> its report, it reports once
      Given a proxy between the controller and the API server
      And a round in the quota "team" that waits for the job extension: "low" is marked, "urgent" waits
      And the job extension is let go up to <write>
      And the controller is killed
      When the controller is started
      Then "urgent" is eventually admitted
      And "low" has exactly one event Warning "Preempted"
      And "low" has exactly one event Normal "Reclaimed"

      Examples:
        | moment | write                                 |
        | before | its next write to "low"               |
        | after  | the answer to its next write to "low" |

  Rule: A restart changes nothing of what was decided

    @KQ-ROB-02 @should @slow @needs:restart
    Scenario: Finished units stay finished, and the quota's use is what it was
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "done" with priority 1 asks for 2 cpu, its pods running
      And the pods of "done" finish
      And the admitted Job "busy" with priority 1 asks for 1 cpu, its pods running
      And the controller is restarted
      When these Jobs are submitted one after the other:
        | job   | priority | cpu |
        | large | 10       | 2   |
        | small | 1        | 1   |
      Then "small" is eventually admitted
      And "large" is never admitted
      And "done" stays finished

  Rule: The first decision waits until everything is known

    @KQ-ROB-02 @should @slow @needs:restart @needs:api-proxy
    Scenario Outline: Late <kind> lead to no rash decision
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the admitted Job "low" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "urgent" with priority 100 asks for 2 cpu
      When the controller is restarted, and lists of <kind> are late
      Then "low" is never marked
      And "urgent" is never admitted
      And "urgent" never has an event "QueueNotFound"

      Examples:
        | kind          |
        | pods          |
        | QueueUnits    |
        | ElasticQuotas |
