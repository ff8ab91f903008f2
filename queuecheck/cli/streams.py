"""Standard streams that are closed, or whose reader goes away."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# As a shell shows it of a program that SIGPIPE has ended.
NO_READER = 141


def open_closed() -> None:
    """A stream that is closed leads nowhere from now on.

    Else the next file that is opened gets its number, and all that programs of ours write there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - to the end
            os.set_inheritable(nowhere.fileno(), True)
            setattr(sys, name, nowhere)


def give_up_reader() -> None:
    """Nobody reads standard output any more: what is still to be written there leads nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
