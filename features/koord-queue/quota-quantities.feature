@koord-queue
Feature: Quantities
  A quota's max and a pod's requests are written as Kubernetes writes quantities, and count the
  same.

  Rule: A request that is as much as max, however it is written, fits

    @KQ-QTA-08 @should
    Scenario Outline: Within cpu <cpu> and memory <memory> fit <asked cpu> and <asked memory>
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max      |
        | cpu      | <cpu>    |
        | memory   | <memory> |
      When the Job "train" with priority 1 is submitted with:
        """
        spec: {template: {spec: {containers: [
          {name: main, resources: {requests: {cpu: <asked cpu>, memory: <asked memory>}}}]}}}
        """
      Then "train" is eventually admitted

      Examples:
        | cpu  | memory | asked cpu | asked memory |
        | 1.5  | 1E     | 1500m     | 1000P        |
        | 100m | 128e6  | 0.1       | 128M         |
        | 0.1m | 2Gi    | 1m        | 2048Mi       |

  Rule: A request of a little more than max does not fit

    @KQ-QTA-08 @should
    Scenario Outline: Within cpu <cpu> and memory <memory> do not fit <asked cpu> and <asked memory>
      Given a quota "team" with the gate and preemption off and these limits:
        | resource | max      |
        | cpu      | <cpu>    |
        | memory   | <memory> |
      When the Job "train" with priority 1 is submitted with:
        """
        spec: {template: {spec: {containers: [
          {name: main, resources: {requests: {cpu: <asked cpu>, memory: <asked memory>}}}]}}}
        """
      Then "train" is eventually refused
      And "train" is never admitted

      Examples:
        | cpu  | memory | asked cpu | asked memory |
        | 1.5  | 1E     | 1501m     | 1000P        |
        | 1.5  | 1E     | 1500m     | 1Ei          |
        | 100m | 128e6  | 0.101     | 128M         |
        | 100m | 128e6  | 0.1       | 128Mi        |
        | 0.1m | 2Gi    | 2m        | 2048Mi       |
        | 0.1m | 2Gi    | 1m        | 2049Mi       |
