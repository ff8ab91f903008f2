"""A whole run as plain values: what every view of a report is made from.

``Report`` is the root. Everything in it is a frozen dataclass of plain data, so that it can be
written as JSON and read again (``plain``). It holds nothing secret (``secrecy``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from queuecheck.report.picture import Claimed, Picture

API_VERSION = "queuecheck.dev/v1"
KIND = "Report"
NOT_RUN = "not-run"
UNDEFINED = "undefined"
# Why a run ended early in which pytest itself broke.
INTERNAL_ERROR = "internal error"


@dataclass(frozen=True)
class StepRun:
    """A step as it was played. ``outcome`` is passed, failed, undefined or not-run.

    ``began`` and ``ms`` are milliseconds, ``began`` since the timeline began. ``table`` has the
    heading as its first row.
    """

    keyword: str
    text: str
    line: int
    outcome: str = NOT_RUN
    began: int = 0
    ms: int = 0
    table: tuple[tuple[str, ...], ...] = ()
    doc: str = ""


@dataclass(frozen=True)
class ScenarioRun:
    """One run of one scenario, or of one row of an outline.

    ``file`` and ``line`` say where it stands, ``text`` is its source with its tags. ``example`` is
    the row, ``repetition`` counts from 1. ``outcome`` is a word of ``queuecheck.verdict.Outcome``
    and ``reason`` one line about it. ``failure`` is the whole text of a failure, ``evidence`` the
    directory of what was kept, ``reproduce`` the command that plays it alone. ``latencies`` has
    milliseconds by what was measured. ``picture`` is None where nothing was recorded, or where a
    repetition of a scenario that passed leaves it out.
    """

    requirements: tuple[str, ...]
    name: str
    feature: str
    rule: str
    file: str
    line: int
    tags: tuple[str, ...]
    text: str
    outcome: str
    reason: str = ""
    ms: int = 0
    started: str = ""
    example: Mapping[str, str] = field(default_factory=dict)
    repetition: int = 1
    worker: str = ""
    namespace: str = ""
    reproduce: str = ""
    failure: str = ""
    evidence: str = ""
    steps: tuple[StepRun, ...] = ()
    claims: tuple[Claimed, ...] = ()
    latencies: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    picture: Picture | None = None

    @property
    def place(self) -> str:
        """``file:line``, as editors understand it."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class RequirementRow:
    """A requirement and what came of it: the worst of its scenarios, and that one's reason.

    ``outcome`` may be ``not-run``. ``scenarios`` are places in ``Report.scenarios``, from 0.
    ``runs`` and ``passed`` give the pass rate. ``ms`` is the longest of its scenarios. ``whole``:
    each of its scenarios was run.
    """

    id: str
    level: str
    area: str
    text: str
    basis: str
    needs: tuple[str, ...] = ()
    outcome: str = NOT_RUN
    reason: str = ""
    ms: int = 0
    runs: int = 0
    passed: int = 0
    scenarios: tuple[int, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Area:
    """A chapter of the catalogue."""

    code: str
    title: str


@dataclass(frozen=True)
class CatalogueFacts:
    """Which requirements were judged: ``digest`` is that of the catalogue's content."""

    profile: str
    title: str
    size: int
    digest: str
    areas: tuple[Area, ...]


@dataclass(frozen=True)
class RunFacts:
    """When, and whether to the end. ``started`` and ``ended`` are UTC, as in RFC 3339.

    ``ended_early`` is why the run did not come to its end, or "". ``selection`` says that fewer
    scenarios were asked for than there are. ``failed_beside`` are the tests that are no scenarios,
    were run with them and failed. ``reproduce`` is the command of the whole run.
    """

    id: str
    started: str
    ended: str
    reproduce: str
    ended_early: str = ""
    selection: bool = False
    failed_beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """The verdict, the exit code of the run, and the sentences that explain both.

    ``verdict`` is conformant, partial, not conformant or no verdict. Of a selection that could be
    judged it is only selection passed or selection failed: it says nothing of conformance.
    """

    verdict: str
    exit_code: int
    headline: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """A requirement that an implementation is known to fail, why, and where more is said.

    ``intermittent``: it fails in some runs only.
    """

    id: str
    reason: str
    link: str = ""
    intermittent: bool = False


@dataclass(frozen=True)
class ImplementationFacts:
    """Who was judged.

    ``features`` are what it declares. ``missing`` are those that a full verdict needs and that it
    does not declare, ``absent`` those that it may do without.
    """

    name: str
    version: str
    url: str = ""
    features: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    baseline: tuple[Known, ...] = ()

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class ClusterFacts:
    """What the scenarios ran on. ``reason`` says which cluster it was and why."""

    kind: str
    reason: str
    server: str = ""
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True)
class Latency:
    """How long something took, in milliseconds; it is not judged."""

    name: str
    count: int
    p50: int
    p95: int


@dataclass(frozen=True)
class Report:
    """A run. ``digest`` is that of everything else in it; it is no signature.

    ``versions`` has the suite's own under ``queuecheck``. ``configuration`` are the effective
    settings. ``requirements`` has a row for each that stands, run or not.
    """

    run: RunFacts
    judgement: Judgement
    implementation: ImplementationFacts
    clusters: tuple[ClusterFacts, ...]
    versions: Mapping[str, str]
    configuration: Mapping[str, str]
    catalogue: CatalogueFacts
    requirements: tuple[RequirementRow, ...]
    scenarios: tuple[ScenarioRun, ...]
    latencies: tuple[Latency, ...] = ()
    digest: str = ""
