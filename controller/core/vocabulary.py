"""The strings of the contract: phases, annotations, labels, messages, event reasons.

Everything that other programs read or write as text is here and nowhere else in the core. Keys of
our own have the prefix ``queuecheck.dev/``.
"""

ENQUEUED = "Enqueued"
DEQUEUED = "Dequeued"
RUNNING = "Running"
SUCCEED = "Succeed"
FAILED = "Failed"
FINISHED_PHASES = frozenset({SUCCEED, FAILED})

PRIORITY_POLICY = "Priority"
BLOCK_POLICY = "Block"
INTELLIGENT_POLICY = "Intelligent"
POLICIES = frozenset({PRIORITY_POLICY, BLOCK_POLICY, INTELLIGENT_POLICY})

QUEUE_ANNOTATION_PREFIX = "koord-queue/"
GATE_ANNOTATION = "koord-queue/wait-for-pods-running"
PREEMPTION_ANNOTATION = "koord-queue/enable-queueunit-preemption"
MAX_DEPTH_ANNOTATION = "koord-queue/max-depth"
THRESHOLD_ANNOTATION = "koord-queue/priority-threshold"
PRIORITY_ANNOTATION = "scheduling.x-k8s.io/priority"

QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
PARENT_LABEL = "quota.scheduling.koordinator.sh/parent"
POLICY_LABEL = "koord-queue/queue-policy"
ROOT_QUOTAS = frozenset({"", "koordinator-root-quota"})

OWN_PREFIX = "queuecheck.dev/"
MADE_FROM = "queuecheck.dev/made-from"
COPIED_KEYS = "queuecheck.dev/copied-annotations"
JOB_CREATED = "queuecheck.dev/job-created"
RESUMED = "queuecheck.dev/resumed"
WANTED_PARALLELISM = "queuecheck.dev/wanted-parallelism"
LOWERED_PARALLELISM = "queuecheck.dev/lowered-parallelism"

MARKED_MESSAGE = "Waiting job extension to reclaim resources."
ADMITTED_MESSAGE = "Dequeued because schedule successfully"
NO_MORE_MESSAGE = "no more queueUnit allowed to schedule in this queue"
WAITING_PREFIX = "preemption: waiting for queueUnit preempted, victims: ["
SUCCEED_SUFFIX = "; preempt succeed"
FAILED_SUFFIX = "; preempt failed"

GATE_OFF_ERROR = "preemption is disabled because wait-for-pods-running is disabled"
PREEMPTION_OFF_ERROR = "preemption is disabled in queue"
NO_VICTIMS_ERROR = "no victims found"
INTELLIGENT_ERROR = "preemption not supported in intelligent queue yet"


def preempting_error(queue: str) -> str:
    """Why nobody is marked while a round runs."""
    return f"queue {queue} is preempting, not allowed to preempt again"
