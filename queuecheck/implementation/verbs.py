"""What can be asked of any implementation, however it runs.

Steps use nothing else to reach the controller. A component is ``queue`` or ``extension``; an
implementation that runs both in one process has no hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Sample:
    """One line of a metrics page."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True)
class LogMark:
    """A place in the log of each component, to read on from."""

    positions: Mapping[str, int]


class Implementation(Protocol):
    """A running controller.

    Verbs return when their effect is there, and raise ImplementationError, with the last lines
    of the log, when it does not come.
    """

    @property
    def name(self) -> str:
        """Name and version, as they are printed."""
        ...

    @property
    def queue_namespace(self) -> str:
        """Where it has its queues."""
        ...

    @property
    def features(self) -> frozenset[str]:
        """What it declares to have."""
        ...

    @property
    def restart_count(self) -> int:
        """How many times a component was started again."""
        ...

    def start(self) -> None:
        """Starts every component and waits until each is ready."""
        ...

    def stop(self) -> None:
        """Ends every component in an orderly way."""
        ...

    def restart(self) -> None:
        """Stop, then start."""
        ...

    def kill(self) -> None:
        """Ends every component at once, as a crash would; nothing is started again."""
        ...

    def hold(self, component: str) -> None:
        """From now on the component does nothing; the others go on."""
        ...

    def release(self, component: str) -> None:
        """The component goes on, and is ready."""
        ...

    def restore(self) -> None:
        """As after ``start``, whatever a scenario did: nothing is held and all is ready."""
        ...

    def log_mark(self) -> LogMark:
        """Here and now, for ``logs``."""
        ...

    def logs(self, since: LogMark | None = None) -> Mapping[str, str]:
        """What each component has logged since then, or ever."""
        ...

    def metrics(self) -> Sequence[Sample]:
        """The samples of every component, as they are now."""
        ...

    def alive(self) -> str | None:
        """None, or why nothing can be expected of it any more: it ended without being asked."""
        ...
