"""Objects come from anybody: nothing they contain makes a ledger fail."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings

from controller.core import JobLedger, QueueLedger
from controller.core.decisions import Kind, Preempt, Write
from controller.core.instants import from_text, to_text

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2**70),
    st.floats(allow_nan=True),
    st.sampled_from(["", "x", "team", "true", "1", "2Gi", "2026-01-01T00:00:00Z", "Complete"]),
)
METADATA = "name namespace uid labels annotations creationTimestamp ownerReferences"
SPEC = "podSet priority max queuePolicy suspend parallelism completions template consumerRef"
STATUS = "phase message admissions lastAllocateTime conditions succeeded uncountedTerminatedPods"
KEYS = {
    "metadata": f"{METADATA} deletionTimestamp finalizers".split(),
    "spec": f"{SPEC} nodeName".split(),
    "status": STATUS.split(),
}
WORDS = "name count replicas running reclaimState template spec containers resources requests"
LABELS = "quota.scheduling.koordinator.sh/name queuecheck.dev/resumed"
INNER = f"{WORDS} kind uid controller type status {LABELS}".split()
anything = st.recursive(
    scalars,
    lambda child: st.one_of(
        st.lists(child, max_size=3), st.dictionaries(st.sampled_from(INNER), child, max_size=4)
    ),
    max_leaves=8,
)
objects = st.fixed_dictionaries(
    {},
    optional={
        part: st.one_of(anything, st.fixed_dictionaries({}, optional=dict.fromkeys(keys, anything)))
        for part, keys in KEYS.items()
    },
)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(Kind), objects, st.booleans()), max_size=6))
def test_ledgers_bear_whatever_comes(changes: list[tuple[Kind, Any, bool]]) -> None:
    queues, jobs = QueueLedger(namespace="x"), JobLedger()
    named: set[str] = {"team", "x"}
    keys: set[tuple[str, str]] = set()
    for kind, raw, deleted in changes:
        named |= queues.apply(kind, raw, deleted=deleted)
        keys |= jobs.apply(kind, raw, deleted=deleted)
    decisions: list[object] = []
    for name in sorted(named):
        decisions += queues.plan(name, 1e9).decisions
    for key in sorted(keys):
        decisions += jobs.reconcile(key, 1e9).decisions
        decisions += jobs.reconcile(key, 1e9, []).decisions
    for decision in decisions:
        writes = decision.marks if isinstance(decision, Preempt) else (decision,)
        for write in writes:
            if isinstance(write, Write):
                for _, raw, _ in changes:
                    write.change(raw)
    queues.active()


@given(st.integers(0, 4_000_000_000_000_000))
def test_an_instant_survives_being_written(microseconds: int) -> None:
    instant = microseconds / 1e6
    text = to_text(instant)
    assert len(text) == len("2026-01-02T03:04:05.678901Z")
    back = from_text(text)
    assert back is not None
    assert abs(back - instant) < 1e-6


def test_what_is_no_time_is_none() -> None:
    assert from_text("yesterday") is None
    assert from_text(None) is None
    assert from_text("2026-01-01T00:00:00") == from_text("2026-01-01T00:00:00Z")
    assert from_text("2026-01-01T01:00:00+01:00") == from_text("2026-01-01T00:00:00Z")
