"""Nodes, as steps see them: room that opens, pods that run and end.

A *slot* is what a Job's pods wait for: each driver has its own way to make a pod spec wait. While
the slot is closed they stay unbound; through an open slot the real scheduler binds so many of them.
No container of a pod that is bound starts before ``run`` says so.
"""

from __future__ import annotations

from typing import Protocol

from queuecheck.kube import KubeObject

SLOT_LABEL = "queuecheck.dev/slot"


class NodeDriver(Protocol):
    """What becomes of the pods of a slot. Safe to use from one thread at a time."""

    def start(self) -> None:
        """Begins to follow the pods; once."""

    def placed(self, pod: KubeObject, slot: str) -> KubeObject:
        """The spec of a pod, changed so that it waits for the slot, and nothing besides."""

    def open_slot(self, slot: str, *, pods: int) -> None:
        """From now on at most so many pods of the slot, those bound before included, find room."""

    def run(self, slot: str) -> None:
        """Pods of the slot start as soon as they are bound: those there now, and later ones."""

    def finish(self, slot: str, *, succeeded: int | None = None, failed: int | None = None) -> None:
        """So many running pods of the slot end; with neither number, all succeed.

        Where fewer run at the moment, the next ones to run make up the number.
        """

    def close_slot(self, slot: str) -> None:
        """Nothing further is bound; what is bound stays and goes on."""

    def hindrance(self) -> str | None:
        """Why a pod that was told to run cannot, by no fault of the implementation."""

    def reset(self) -> None:
        """Every slot is closed and every order forgotten: the end of a scenario."""

    def stop(self) -> None:
        """The nodes are left to themselves."""
