"""What a component's worker asks of its ledger, in one shape for both ledgers."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from controller.core.decisions import Decision, Kind, Object, Ref

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Step:
    """Decisions to carry out, and how the key's turn goes on.

    ``wake_at`` is the wall-clock time to come back. With ``resume`` the turn goes on at once with
    that value; with ``live_pods`` it goes on with the Job's pods as they are on the server; with
    ``look_up`` it begins again once these objects have been read and applied, if they are there.
    """

    decisions: Sequence[Decision] = ()
    wake_at: float | None = None
    resume: Any = None
    live_pods: bool = False
    look_up: tuple[Ref, ...] = ()


class Work(Protocol[Key]):
    """One component's ledger. Owned by one thread."""

    component: str
    kinds: tuple[Kind, ...]

    def apply(self, kind: Kind, found: Object, *, deleted: bool) -> Iterable[Key]:
        """Takes a change in; gives the keys that may have something to do now."""
        ...

    def step(self, key: Key, now: float, resume: Any) -> Step:
        """The next piece of the key's turn; ``resume`` is None for the first one."""
        ...

    def keys(self) -> Iterable[Key]:
        """Every key, for the first look and the slow resync."""
        ...

    def failed(self) -> None:
        """Not everything of the last steps was carried out."""
        ...

    def label(self, key: Key) -> str:
        """The queue to count under, or ""."""
        ...

    def active(self) -> Mapping[str, int] | None:
        """Units that ask, per queue; None from a component that does not know."""
        ...
