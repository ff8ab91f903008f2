"""Jobs and their pods as values.

A Job's *wanted* parallelism is the value remembered when we lowered it, as long as the Job's own
value is the one we wrote; otherwise the user has changed it, and theirs is wanted. Suspended *by
hand* means: suspended, and still with the annotation that we write on resuming and remove on
suspending.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from controller.core import decode
from controller.core.decisions import Kind, Object, Ref
from controller.core.vocabulary import (
    FAILED,
    LOWERED_PARALLELISM,
    PRIORITY_ANNOTATION,
    RESUMED,
    SUCCEED,
    WANTED_PARALLELISM,
)

_INTERVAL = re.compile("([0-9]{1,10})(?:-([0-9]{1,10}))?")
_TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"


@dataclass(frozen=True)
class Job:
    """What of a Job matters here. ``finished`` is the phase its unit gets, "" while it goes on.

    ``lowered``: its parallelism is what we wrote; ``remembered``: it bears our annotations, though
    perhaps out of date. ``failed_indexes`` is how many indexes get no pod any more. ``uncounted``
    are UIDs of finished pods that the counters of its status do not contain yet. ``own_selector``:
    its pods need not bear its name as a label, so they cannot be found.
    """

    ref: Ref
    suspended: bool
    resumed: bool
    parallelism: int
    wanted: int
    lowered: bool
    remembered: bool
    completions: int | None
    succeeded: int
    failed_indexes: int
    uncounted: frozenset[str]
    suspension_reported: bool
    finished: str
    deleting: bool
    own_selector: bool

    @property
    def by_hand(self) -> bool:
        """Whether somebody else suspended it after we had resumed it."""
        return self.suspended and self.resumed


@dataclass(frozen=True)
class Pod:
    """What of a pod matters here. ``tracked``: the Job controller has not let go of it yet."""

    uid: str
    job_key: tuple[str, str]
    job_uid: str
    bound: bool
    terminal: bool
    succeeded: bool
    deleting: bool
    tracked: bool


def job(raw: Object) -> Job:
    """A Job as a value; never raises."""
    ref = decode.ref(Kind.JOB, raw)
    annotations = decode.mapping(raw, "metadata", "annotations")
    parallelism = decode.number(raw, "spec", "parallelism")
    parallelism = 1 if parallelism is None else parallelism
    wanted = decode.int32(annotations.get(WANTED_PARALLELISM))
    written = decode.int32(annotations.get(LOWERED_PARALLELISM))
    lowered = wanted is not None and written == parallelism
    uncounted = decode.mapping(raw, "status", "uncountedTerminatedPods")
    return Job(
        ref=ref,
        suspended=decode.mapping(raw, "spec").get("suspend") is True,
        resumed=bool(ref.uid) and annotations.get(RESUMED) == ref.uid,
        parallelism=parallelism,
        wanted=wanted if lowered and wanted is not None else parallelism,
        lowered=lowered,
        remembered=WANTED_PARALLELISM in annotations or LOWERED_PARALLELISM in annotations,
        completions=decode.number(raw, "spec", "completions"),
        succeeded=decode.number(raw, "status", "succeeded") or 0,
        failed_indexes=_indexes(decode.text(raw, "status", "failedIndexes")),
        uncounted=frozenset((*_texts(uncounted, "succeeded"), *_texts(uncounted, "failed"))),
        suspension_reported=_condition(raw, "Suspended"),
        finished=_finished(raw),
        deleting="deletionTimestamp" in decode.mapping(raw, "metadata"),
        own_selector=decode.mapping(raw, "spec").get("manualSelector") is True,
    )


def pod(raw: Object) -> Pod | None:
    """A pod as a value, or None if no Job controls it; never raises."""
    owner = next(
        (
            item
            for item in decode.mappings(raw, "metadata", "ownerReferences")
            if item.get("controller") is True and item.get("kind") == "Job"
        ),
        None,
    )
    if owner is None:
        return None
    meta = decode.mapping(raw, "metadata")
    phase = decode.text(raw, "status", "phase")
    return Pod(
        uid=decode.text(meta, "uid") or decode.text(meta, "name"),
        job_key=(decode.text(meta, "namespace"), decode.text(owner, "name")),
        job_uid=decode.text(owner, "uid"),
        bound=bool(decode.text(raw, "spec", "nodeName")),
        terminal=phase in {"Succeeded", "Failed"},
        succeeded=phase == "Succeeded",
        deleting=bool(meta.get("deletionTimestamp")),
        tracked=_TRACKING_FINALIZER in _texts(meta, "finalizers"),
    )


def pods(raws: Iterable[Object], uid: str) -> tuple[Pod, ...]:
    """Those of some pods that the Job of a UID controls."""
    found = (pod(raw) for raw in raws)
    return tuple(item for item in found if item is not None and item.job_uid == uid)


def priority_annotation(raw: Object) -> tuple[int | None, str]:
    """The priority that a Job's annotation gives, and its text where that is no int32."""
    text = decode.mapping(raw, "metadata", "annotations").get(PRIORITY_ANNOTATION)
    if text is None:
        return None, ""
    value = decode.int32(text)
    return (None, str(text)) if value is None else (value, "")


def _indexes(text: str) -> int:
    """How many indexes a text like ``0,3-5`` names; what is no interval names none."""
    found = (_INTERVAL.fullmatch(part) for part in text.split(","))
    bounds = ((int(each[1]), int(each[2] or each[1])) for each in found if each)
    return sum(max(last - first + 1, 0) for first, last in bounds)


def _finished(raw: Object) -> str:
    if _condition(raw, "Complete"):
        return SUCCEED
    return FAILED if _condition(raw, "Failed") else ""


def _condition(raw: Object, kind: str) -> bool:
    return any(
        item.get("type") == kind and item.get("status") == "True"
        for item in decode.mappings(raw, "status", "conditions")
    )


def _texts(holder: Object, key: str) -> list[str]:
    found = holder.get(key)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []
