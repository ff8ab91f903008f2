@koord-queue
Feature: Silence
  Where nothing happens there is nothing to say: what waits, waits without a write.

  Rule: Nothing is written while nothing happens

    @KQ-OBS-10 @should @slow
    Scenario: Units that run, that hold the gate and that wait stay as they are
      Given a quota "team" of 4 cpu with the gate and preemption on
      And the admitted Job "busy" with priority 50 asks for 1 cpu, its pods running
      And a unit "holder" without a Job, with priority 100, asks for:
        | podSet | count | cpu |
        | main   | 1     | 1   |
      And "holder" is eventually admitted
      And the waiting Job "behind" with priority 1 asks for 1 cpu
      And the waiting Job "too-large" with priority 2 asks for 8 cpu
      When everything has come to rest
      Then nothing is written while nothing happens
