"""Scenarios of several workers on one cluster: most side by side, some with nobody beside them.

All take the lock ``turn``, the ones shared and the others alone. Whoever waits holds the lock
``door`` meanwhile, and everybody goes in by it: so that one who has to be alone gets its turn,
however many others come. Nobody waits at the door with a turn, so none waits for another in a ring.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from queuecheck.cluster import sharing


class Turns:
    """What the workers of one run have in common; ``root`` is where runs have their directories."""

    def __init__(self, root: Path, run: str) -> None:
        self._root = root
        self._directory = root / run
        self._member = sharing.Membership(self._directory)

    def enter(self) -> None:
        """Before the first turn."""
        with sharing.alone(self._root / "lock"):
            for left in self._root.iterdir():
                if left.is_dir() and left != self._directory and not sharing.used(left):
                    shutil.rmtree(left, ignore_errors=True)  # of a run that was killed
            self._directory.mkdir(exist_ok=True, mode=0o700)
            self._member.enter()

    def leave(self) -> bool:
        """After the last turn: whether no other worker of the run is left."""
        with sharing.alone(self._root / "lock"):
            last = self._member.leave()
            if last:
                shutil.rmtree(self._directory, ignore_errors=True)
            return last

    @contextmanager
    def turn(self, *, alone: bool) -> Iterator[None]:
        """Waits for it; ``alone`` is nobody's turn but ours."""
        with ExitStack() as stack:
            with sharing.locked(self._directory / "door"):
                stack.enter_context(self._on_the_stage(alone=alone))
            yield

    @contextmanager
    def arrival(self, make: Callable[[], object]) -> Iterator[None]:
        """Before the first turn: ``make`` is run by one worker at a time.

        What the first one makes, the others find. Whoever comes late has to leave alone what a
        scenario is doing, so all of it is a turn beside others.
        """
        with ExitStack() as stack:
            with sharing.locked(self._directory / "door"):
                stack.enter_context(self._on_the_stage(alone=False))
                make()
            yield

    def _on_the_stage(self, *, alone: bool) -> AbstractContextManager[None]:
        return sharing.locked(self._directory / "turn", shared=not alone)
