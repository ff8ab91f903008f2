"""The catalogue of requirements, and the features that show them.

Both are read as data, without pytest and without a cluster, so that ``list`` and ``explain``
answer at once.
"""

from queuecheck.catalogue.baseline import KnownFailure, wrong_entries
from queuecheck.catalogue.catalogue import Area, Catalogue, load_catalogue
from queuecheck.catalogue.features import (
    FeatureError,
    Scenario,
    read_feature,
    read_features,
    read_tree,
)
from queuecheck.catalogue.requirement import Basis, CatalogueError, Level, Requirement
from queuecheck.catalogue.selection import Choice, Selection, SelectionError, choice, stands_at
from queuecheck.catalogue.tags import NEEDS_PREFIX, Problem, Vocabulary, check

__all__ = [
    "NEEDS_PREFIX",
    "Area",
    "Basis",
    "Catalogue",
    "CatalogueError",
    "Choice",
    "FeatureError",
    "KnownFailure",
    "Level",
    "Problem",
    "Requirement",
    "Scenario",
    "Selection",
    "SelectionError",
    "Vocabulary",
    "check",
    "choice",
    "load_catalogue",
    "read_feature",
    "read_features",
    "read_tree",
    "stands_at",
    "wrong_entries",
]
