"""What the core can ask the shell to do. Values only; the shell executes them in order.

A write carries a pure function from the object as it is *when it is written* to a merge patch, or
to None when the decision no longer applies. So a conflict needs no special care anywhere: the
shell reads the object again and asks the same function again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

Object = Mapping[str, Any]
Patch = dict[str, Any]


class Kind(Enum):
    """The kinds of object that the controller reads or writes, by their names in logs."""

    QUOTA = "ElasticQuota"
    QUEUE = "Queue"
    UNIT = "QueueUnit"
    JOB = "Job"
    POD = "Pod"
    PRIORITY_CLASS = "PriorityClass"
    RUNTIME_CLASS = "RuntimeClass"


@dataclass(frozen=True, order=True)
class Ref:
    """One object. ``uid`` "" means: whichever has the name now."""

    kind: Kind = field(compare=False)
    namespace: str
    name: str
    uid: str = ""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class Write:
    """A guarded merge patch of one object.

    ``change`` gets the latest known object and returns the patch, or None for nothing to do. An
    object with another UID than ``target.uid`` is not touched. ``why`` is for the log. ``then`` is
    carried out, in order, once the write has taken place; not when ``change`` returned None.
    """

    target: Ref
    change: Callable[[Object], Patch | None]
    why: str
    subresource: Literal["status"] | None = None
    then: tuple["Decision", ...] = ()


@dataclass(frozen=True)
class Create:
    """Creation of one object; if one of that name exists, nothing is done."""

    target: Ref
    body: Patch
    why: str


@dataclass(frozen=True)
class Delete:
    """Deletion of one object, guarded by its UID."""

    target: Ref
    why: str


@dataclass(frozen=True)
class EmitEvent:
    """An event on ``target``.

    With ``once`` set it is the event's own name: it exists at most once, also after a crash or a
    retry. Without it, equal events (target, type, reason, message) are counted up in one object.
    """

    target: Ref
    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    once: str | None = None


@dataclass(frozen=True)
class CountAttempt:
    """One more sample of ``job_schedule_attempts{queue,result}``."""

    queue: str
    result: Literal["unschedulable", "scheduled"]


@dataclass(frozen=True)
class Log:
    """A line of the log at verbosity ``level``; ``fields`` are its structured part."""

    level: int
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Preempt:
    """Marks victims, then says to the preemptor what came of it.

    ``marks`` are status writes, one per victim; a mark whose ``change`` returns None, or whose
    object is gone, failed. All are tried before anything is told. Then ``marked`` (per victim, in
    the order of ``marks``) is carried out for each success; then ``succeeded`` if at least one
    victim was marked, else ``failed``.
    """

    marks: tuple[Write, ...]
    marked: tuple[tuple["Decision", ...], ...]
    succeeded: tuple["Decision", ...]
    failed: tuple["Decision", ...]


Decision = Write | Create | Delete | EmitEvent | CountAttempt | Log | Preempt
