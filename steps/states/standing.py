"""What a QueueUnit says about the Job that it stands for, and about what that Job asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from queuecheck.kube import KubeObject
from queuecheck.timeline import State, Subject
from steps.states import units
from steps.story.settings import QUOTA_LABEL

SPEC_FIELDS = ("spec.priority", "spec.priorityClassName", "spec.resource", "spec.podSet[0].count")


def stands_for(unit: Subject, job: KubeObject) -> State:
    """Its consumerRef names the Job, and an ownerReference of it has the Job's UID."""
    metadata = job["metadata"]

    def test(found: KubeObject | None) -> bool:
        if found is None:
            return False
        consumer = found["spec"].get("consumerRef") or {}
        owners = found["metadata"].get("ownerReferences") or ()
        return (
            (consumer.get("apiVersion"), consumer.get("kind")) == ("batch/v1", "Job")
            and consumer.get("name") == metadata["name"]
            and consumer.get("uid") in {None, "", metadata["uid"]}
            and any(owner["uid"] == metadata["uid"] for owner in owners)
        )

    sentence = f"{unit.label} stands for the Job {metadata['uid']}"
    fields = ("spec.consumerRef", "metadata.ownerReferences")
    return State(unit, sentence, test, fields, may_return=True)


def carries_metadata(unit: Subject, job: KubeObject) -> State:
    """It has the labels and annotations that the Job was created with, perhaps among others."""
    wanted = {key: (job["metadata"].get(key) or {}).items() for key in ("labels", "annotations")}
    return State(
        unit,
        f"{unit.label} is carrying the labels and annotations of its Job",
        lambda found: (
            found is not None
            and all(
                items <= (found["metadata"].get(key) or {}).items() for key, items in wanted.items()
            )
        ),
        ("metadata.labels", "metadata.annotations"),
        may_return=True,
    )


def names_quota(unit: Subject, quota: str) -> State:
    """Its label has the quota's real name."""
    return State(
        unit,
        f"{unit.label} is naming the quota {quota}",
        lambda found: (
            found is not None and (found["metadata"].get("labels") or {}).get(QUOTA_LABEL) == quota
        ),
        ("metadata.labels",),
        may_return=True,
    )


def of_class(unit: Subject, job: KubeObject) -> State:
    """Its priorityClassName is that of the Job's pod template."""
    wanted = job["spec"]["template"]["spec"].get("priorityClassName")
    return _of_spec(
        unit,
        f"of the PriorityClass {wanted}",
        lambda found: found.get("priorityClassName") == wanted,
    )


def of_priority(unit: Subject, value: str) -> State:
    """Its priority, where none counts as 0."""
    return _of_spec(
        unit, f"of priority {value}", lambda found: int(found.get("priority") or 0) == int(value)
    )


def asking_for(unit: Subject, replicas: str) -> State:
    """So many replicas in all its podSets, whatever it holds."""
    return units.of_unit(
        unit,
        f"asking for {replicas} replicas",
        lambda found: sum(units.counts(found).values()) == int(replicas),
    )


def asking_by_its_name(unit: Subject, replicas: str) -> State:
    """One podSet, named after the Job, with that count."""
    return units.of_unit(
        unit,
        f'asking for {replicas} replicas in one podSet "{unit.name}"',
        lambda found: units.counts(found) == {unit.name: int(replicas)},
    )


def asking_in_all(unit: Subject, cpu: str) -> State:
    """The cpu in ``spec.resource``, the total of all its replicas."""
    return _of_spec(
        unit,
        f"asking for {cpu} cpu in all",
        lambda found: _cpu((found.get("resource") or {}).get("cpu")) == Decimal(cpu),
    )


def _of_spec(unit: Subject, sentence: str, test: Callable[[Mapping[str, Any]], bool]) -> State:
    return State(
        unit,
        f"{unit.label} is {sentence}",
        lambda found: found is not None and test(found["spec"]),
        SPEC_FIELDS,
        may_return=True,
    )


def _cpu(quantity: object) -> Decimal | None:
    text = str(quantity)
    try:
        return Decimal(text[:-1]) / 1000 if text.endswith("m") else Decimal(text)
    except ArithmeticError:
        return None
