"""What has been ordered of the pods of a slot."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Order:
    """How many pods of a slot have yet to end, and how."""

    succeeded: int = 0
    failed: int = 0

    def add(self, succeeded: int | None, failed: int | None, *, running: int) -> None:
        """So many more; with neither number, all that are running succeed."""
        if succeeded is None and failed is None:
            succeeded = running
        self.succeeded += succeeded or 0
        self.failed += failed or 0

    def next_phase(self) -> str | None:
        """The end of the next pod, which is thereby spoken for."""
        if self.succeeded > 0:
            self.succeeded -= 1
            return "Succeeded"
        if self.failed > 0:
            self.failed -= 1
            return "Failed"
        return None
