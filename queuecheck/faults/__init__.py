"""Trouble on the way to the API server, made on purpose.

A ``FaultProxy`` stands between an implementation and its API server and passes everything on,
until it is told to refuse, delay, drop or cut what a ``Target`` describes, or to stop the world
at a certain write. The server's own view stays honest: only its answers, or the questions, get
lost.
"""

from queuecheck.faults.fault import (
    Delay,
    Drop,
    EndWatch,
    Fault,
    Halt,
    Meanwhile,
    Refuse,
    Rule,
    Target,
)
from queuecheck.faults.proxy import FaultProxy
from queuecheck.faults.request import Request

__all__ = [
    "Delay",
    "Drop",
    "EndWatch",
    "Fault",
    "FaultProxy",
    "Halt",
    "Meanwhile",
    "Refuse",
    "Request",
    "Rule",
    "Target",
]
