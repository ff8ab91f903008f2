"""What was seen of a cluster, and claims about it.

A ``Recorder`` fills a ``Timeline`` from the watches of a ``Feed``; ``Claims`` judges it. Nothing
here knows any kind: states, as sentences with predicates, come in from outside.

    timeline = Timeline()
    recorder = Recorder(Feed(api, wide=False), timeline, [(JOBS, namespace), (PODS, namespace)])
    recorder.start()
    claims = Claims(timeline, budgets=Budgets(), cross_kind_order=True)
    claims.eventually(exists(Subject("Job", namespace, "low")), within="create")
"""

from queuecheck.budgets import DEFAULTS, BudgetError, Budgets
from queuecheck.timeline.attempt import Sighting
from queuecheck.timeline.claims import Claims, Hopeless, Record
from queuecheck.timeline.clock import Clock, SystemClock
from queuecheck.timeline.evidence import Evidence, write_evidence
from queuecheck.timeline.explain import Related, involved_events
from queuecheck.timeline.failure import (
    ClaimFailed,
    Failure,
    HarnessError,
    LastState,
    Row,
    Unknown,
    render,
)
from queuecheck.timeline.feed import Feed
from queuecheck.timeline.fields import read
from queuecheck.timeline.observation import Gap, Observation, Position
from queuecheck.timeline.order import Step
from queuecheck.timeline.recorder import Recorder
from queuecheck.timeline.state import (
    Compound,
    Condition,
    Selection,
    SetState,
    State,
    Subject,
    absent,
    all_of,
    any_of,
    exists,
    labelled,
    negate,
    owned_by,
)
from queuecheck.timeline.timeline import Timeline
from queuecheck.timeline.window import Closed, Fence, Quiet, Window

__all__ = [
    "DEFAULTS",
    "BudgetError",
    "Budgets",
    "ClaimFailed",
    "Claims",
    "Clock",
    "Closed",
    "Compound",
    "Condition",
    "Evidence",
    "Failure",
    "Feed",
    "Fence",
    "Gap",
    "HarnessError",
    "Hopeless",
    "LastState",
    "Observation",
    "Position",
    "Quiet",
    "Record",
    "Recorder",
    "Related",
    "Row",
    "Selection",
    "SetState",
    "Sighting",
    "State",
    "Step",
    "Subject",
    "SystemClock",
    "Timeline",
    "Unknown",
    "Window",
    "absent",
    "all_of",
    "any_of",
    "exists",
    "involved_events",
    "labelled",
    "negate",
    "owned_by",
    "read",
    "render",
    "write_evidence",
]
