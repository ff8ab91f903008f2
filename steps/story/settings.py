"""The labels and annotations by which users speak to the implementation."""

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
PARENT_LABEL = "quota.scheduling.koordinator.sh/parent"
POLICY_LABEL = "koord-queue/queue-policy"
SYNCED_PREFIX = "koord-queue/"
GATE = "koord-queue/wait-for-pods-running"
PREEMPTION = "koord-queue/enable-queueunit-preemption"

# What quotas and Queues are made with, in the words of the features.
SETTINGS = {
    "the gate and preemption on": {GATE: "true", PREEMPTION: "true"},
    "the gate and preemption off": {},
    "only the gate on": {GATE: "true"},
    "only preemption on": {PREEMPTION: "true"},
}
