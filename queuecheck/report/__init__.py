"""One model of a run, and many views of it.

``model`` and ``picture`` are the values, ``plain`` puts them into JSON and back. Nothing here knows
pytest or a cluster, and importing it is quick.
"""

from queuecheck.report.model import (
    API_VERSION,
    INTERNAL_ERROR,
    KIND,
    NOT_RUN,
    UNDEFINED,
    Area,
    CatalogueFacts,
    ClusterFacts,
    ImplementationFacts,
    Judgement,
    Known,
    Latency,
    Report,
    RequirementRow,
    RunFacts,
    ScenarioRun,
    StepRun,
)
from queuecheck.report.picture import (
    Blank,
    Claimed,
    Happening,
    Lane,
    Mark,
    Moment,
    Picture,
)
from queuecheck.report.plain import NotPlain, from_plain, to_plain

__all__ = [
    "API_VERSION",
    "INTERNAL_ERROR",
    "KIND",
    "NOT_RUN",
    "UNDEFINED",
    "Area",
    "Blank",
    "CatalogueFacts",
    "Claimed",
    "ClusterFacts",
    "Happening",
    "ImplementationFacts",
    "Judgement",
    "Known",
    "Lane",
    "Latency",
    "Mark",
    "Moment",
    "NotPlain",
    "Picture",
    "Report",
    "RequirementRow",
    "RunFacts",
    "ScenarioRun",
    "StepRun",
    "from_plain",
    "to_plain",
]
