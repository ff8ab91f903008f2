"""What an exception says about a scenario: whose fault it is, and how to tell it."""

from __future__ import annotations

import pytest

from queuecheck.cluster import ClusterError
from queuecheck.implementation import ImplementationError
from queuecheck.kube import KubeconfigError, Unreachable
from queuecheck.plugin import compat
from queuecheck.timeline import ClaimFailed, HarnessError
from queuecheck.verdict import Outcome
from queuecheck.world import CleanupError, EnvironmentBroken
from queuecheck.world.cleanup import together

ENVIRONMENT = (
    EnvironmentBroken,
    Unreachable,
    KubeconfigError,
    ImplementationError,
    ClusterError,
)
REASON_LENGTH = 240


def classify(phase: str, error: BaseException | None) -> tuple[Outcome, str]:
    """The outcome of a phase (``setup``, ``call``, ``teardown``) and a reason of one line.

    Only a ClaimFailed is a fault of the implementation. What nobody thought of is the suite's.
    """
    if error is None:
        return Outcome.PASSED, ""
    if isinstance(error, ClaimFailed) or _is_claim_of_a_step(error):
        return Outcome.FAILED, _line(error)
    if isinstance(error, pytest.skip.Exception):
        return Outcome.SKIPPED, _line(error)
    if is_environment(error):
        return Outcome.ENVIRONMENT, _line(error)
    if isinstance(error, CleanupError):
        return Outcome.CLEANUP_ERROR, _line(error)
    if undefined := compat.undefined_step(error):
        return Outcome.HARNESS_ERROR, f"no step definition fits: {undefined}"
    outcome = Outcome.CLEANUP_ERROR if phase == "teardown" else Outcome.HARNESS_ERROR
    return outcome, f"{type(error).__name__}: {_line(error)}"


def told(error: BaseException) -> str | None:
    """The text that stands for the traceback, where the error explains itself, and its notes."""
    text = _told(error)
    return text if text is None else "\n".join([text, *getattr(error, "__notes__", ())])


def _told(error: BaseException) -> str | None:
    if isinstance(error, ClaimFailed) or _is_claim_of_a_step(error):
        return str(error)
    if is_environment(error):
        return f"environment: {error}"
    if isinstance(error, HarnessError):
        return f"harness error: {error}"
    if isinstance(error, CleanupError):
        return f"clean-up: {error}"
    if undefined := compat.undefined_step(error):
        return f"harness error: no step definition fits: {undefined}"
    return None


def is_environment(error: BaseException) -> bool:
    """Whether neither the suite nor the implementation's rules are to blame.

    A watch or a list that comes to nothing because nobody answers breaks no promise of the suite's.
    """
    if isinstance(error, HarnessError):
        return isinstance(error.__cause__, ENVIRONMENT)
    return isinstance(error, ENVIRONMENT)


def taking_down(error: BaseException) -> str:
    """One line about what failed when all was taken down at the end of the session.

    Where several things are left it says how many, and a line for each of them follows.
    """
    if isinstance(error, BaseExceptionGroup):
        return together(map(taking_down, error.exceptions))
    kind = "" if isinstance(error, (*ENVIRONMENT, CleanupError)) else f"{type(error).__name__}: "
    left = str(error).strip().splitlines()[1:] if isinstance(error, CleanupError) else []
    return "\n".join([f"not all was taken down: {kind}{_line(error)}", *left])


def _is_claim_of_a_step(error: BaseException) -> bool:
    """A plain ``assert`` in a step is a claim; one in the engine is a broken invariant."""
    trace = error.__traceback__
    if not isinstance(error, AssertionError) or trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] != "queuecheck"


def _line(error: BaseException) -> str:
    text = str(error).strip()
    if isinstance(error, ClaimFailed):  # its text is broken into lines where it has no end
        text = f"{error.failure.sentence}: {error.failure.reason}"
    first = text.splitlines()[0] if text else type(error).__name__
    first = first.removesuffix("; its last lines:")
    return first if len(first) <= REASON_LENGTH else f"{first[: REASON_LENGTH - 1]}…"
