"""The labels and annotations by which users speak to the implementation."""

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
POLICY_LABEL = "koord-queue/queue-policy"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"
