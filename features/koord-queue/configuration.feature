@koord-queue
Feature: Configuration
  A configuration file sets the protection time and names the plugins. What the controller does not
  know in it, it refuses before it touches anything.

  Rule: The governing text's configuration is accepted, with and without its plugins

    @KQ-CFG-01 @must @slow @needs:config-file @needs:reconfigure
    Scenario: The controller works with the configuration as the governing text has it
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the controller is started with the configuration:
        """
        apiVersion: scheduling.k8s.io/v1
        kind: KoordQueueConfiguration
        defaultReclaimProtectTime: 5m
        plugins:
          - name: Priority
          - name: ElasticQuotaV2
        """
      When the Job "train" with priority 1 asks for 2 cpu
      Then "train" is eventually admitted

    @KQ-CFG-01 @must @slow @needs:config-file @needs:reconfigure
    Scenario: The controller works with a configuration that names no plugins
      Given a quota "team" of 2 cpu with the gate and preemption on
      And the controller is started with the configuration:
        """
        apiVersion: scheduling.k8s.io/v1
        kind: KoordQueueConfiguration
        defaultReclaimProtectTime: 5m
        """
      When the Job "train" with priority 1 asks for 2 cpu
      Then "train" is eventually admitted

  Rule: What the controller does not know in its configuration stops the start, and nothing in the cluster changes

    Background:
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the controller is stopped
      And the Job "train" with priority 1 asks for 2 cpu

    @KQ-CFG-02 @should @slow @needs:config-file @needs:restart
    Scenario Outline: <what> stops the start
      When a start of the controller is tried with <setting> set to "<content>"
      Then the start fails with one line that names the file, "<setting>" and "<content>"
      And nothing in the cluster has changed

      Examples:
        | what                      | setting                   | content          |
        | An unknown kind           | kind                      | KoordQueueConfig |
        | An unknown plugin         | plugins                   | Elastic          |
        | A duration that is none   | defaultReclaimProtectTime | soon             |
        | A field that nobody knows | reclaimProtection         | 5m               |

  Rule: When the controller is uninstalled, what it served stays as it is and can be taken away

    Background:
      Given a quota "team" of 2 cpu with the gate and preemption off
      And the admitted Job "busy" with priority 1 asks for 2 cpu, its pods running
      And the waiting Job "next" with priority 1 asks for 2 cpu

    @KQ-CFG-03 @should @slow @needs:restart
    Scenario: Suspended Jobs stay suspended, running ones run
      When the controller is uninstalled
      Then the Job "next" stays suspended while nothing changes
      And the pods of "busy" stay running while nothing changes

    @KQ-CFG-03 @should @slow @needs:restart
    Scenario: Nothing hangs when the namespace is deleted with all that is in it
      Given the controller is uninstalled
      When the namespace of "next" is deleted
      Then the namespace of "next" is eventually gone, with all that was in it
