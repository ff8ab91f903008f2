"""What has to hold of features, catalogue and step definitions before anything is run.

pytest-bdd forgives much in silence: of two scenarios of one name it loses one, of two definitions
that fit a step it takes either, a coroutine step passes without having been awaited. Each check
here is a function from what was read (``model``) to problems; none runs a step or needs a cluster.
"""

from queuecheck.lint.check import Suite, examine
from queuecheck.lint.words import judged_by

__all__ = ["Suite", "examine", "judged_by"]
