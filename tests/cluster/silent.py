"""Progress where nobody looks."""

from __future__ import annotations

from queuecheck.cluster.progress import Progress


class Silent(Progress):
    """Says nothing."""

    def _show(self, detail: str, *, force: bool) -> None:
        pass

    def say(self, sentence: str) -> None:
        pass
