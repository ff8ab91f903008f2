"""When a unit was allocated, and how soon after that it was marked.

``status.lastAllocateTime`` says the one, the server's record of who wrote which field the other. It
has whole seconds, so what is counted is the latest moment that it allows: nothing is called too
soon that may have been in time.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from queuecheck.kube import KubeObject
from queuecheck.timeline import State, Subject
from steps.states import units

RECORDED_TO = timedelta(seconds=1)
_UNITS = {"s": "seconds", "m": "minutes"}


def duration(text: str) -> timedelta:
    """``5 s`` or ``10 m``. Raises ValueError for anything else."""
    found = re.fullmatch(r"(\d+) ([sm])", text)
    if found is None:
        raise ValueError(f"a time is written 5 s or 10 m, not {text!r}")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def instant(text: str) -> datetime:
    """A time as the API server writes it."""
    return datetime.fromisoformat(text)


def timestamp(moment: datetime) -> str:
    """A time as the API server reads it, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def allocated(unit: KubeObject) -> datetime | None:
    """``status.lastAllocateTime``, or None where there is none."""
    text = (unit.get("status") or {}).get("lastAllocateTime")
    return instant(text) if text else None


def marked_within_protection(unit: Subject, time: str) -> State:
    """The unit is marked, and its mark was written before so much time had passed."""
    protection = duration(time)

    def too_soon(found: KubeObject) -> bool:
        since = allocated(found)
        if since is None or not units.marks(found):
            return False
        return _mark_written_by(found) < since + protection

    state = units.of_unit(unit, f"marked within its protection of {time}", too_soon)
    return replace(state, fields=("status.lastAllocateTime", *state.fields))


def _mark_written_by(unit: KubeObject) -> datetime:
    """The latest moment at which the last change to what the unit holds can have been written."""
    times = [
        instant(entry["time"])
        for entry in unit["metadata"].get("managedFields") or ()
        if "f:admissions" in ((entry.get("fieldsV1") or {}).get("f:status") or {})
        and entry.get("time")
    ]
    return max(times, default=datetime.max.replace(tzinfo=UTC) - RECORDED_TO) + RECORDED_TO
