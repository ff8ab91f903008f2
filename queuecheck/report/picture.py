"""What a picture of a scenario needs: what became of each object, and what was claimed about it.

Times are milliseconds since the scenario's timeline began, ``version`` is a resourceVersion. Of
each object only those observations are kept in which something changed that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Moment:
    """One distinct state of an object. ``shown`` has a value for each word that the profile shows.

    ``verb`` is listed, added, modified or deleted. Of a deletion ``shown`` is empty.
    """

    ms: int
    version: int
    verb: str
    shown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lane:
    """One object. ``alias`` is what the scenario calls it, ``owner`` is ``Kind/name`` or "".

    ``left_out`` is how many moments after the first ones were dropped to keep the report small.
    """

    kind: str
    namespace: str
    name: str
    alias: str
    owner: str = ""
    moments: tuple[Moment, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class Happening:
    """A Kubernetes event: ``about`` is ``Kind/name``, ``type`` Normal or Warning."""

    ms: int
    version: int
    about: str
    type: str
    reason: str
    message: str = ""
    count: int = 1


@dataclass(frozen=True)
class Blank:
    """Writes of a kind may have been missed from ``ms`` on, until ``until`` or the end (None)."""

    ms: int
    until: int | None
    kind: str
    reason: str


@dataclass(frozen=True)
class Picture:
    """Everything that was seen, an object a lane, in order of their first moments."""

    ended: int
    lanes: tuple[Lane, ...] = ()
    events: tuple[Happening, ...] = ()
    blanks: tuple[Blank, ...] = ()


@dataclass(frozen=True)
class Mark:
    """A place in the picture that a claim points at.

    ``role`` is ``state`` (a state that was waited for; ``number`` counts those of an order from 1,
    and is 0 for one alone), ``missing`` (such a state that was not seen: no time), ``fence`` (what
    closed a window) or ``culprit`` (the write that broke the claim). ``kind``, ``namespace`` and
    ``name`` are those of the object that was written, or "".
    """

    role: str
    sentence: str
    number: int = 0
    ms: int | None = None
    version: int = 0
    kind: str = ""
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True)
class Claimed:
    """A claim that a step made: ``step`` counts the scenario's steps from 0.

    ``claim`` is eventually, stays, never or in order; ``outcome`` passed, failed or
    harness-error; ``closed_by`` fence, quiet or "".
    """

    step: int
    claim: str
    sentence: str
    began: int
    ended: int
    outcome: str
    closed_by: str = ""
    marks: tuple[Mark, ...] = ()
