"""Text from elsewhere, made fit to be written: what cannot be shown is a sign in its place."""

from __future__ import annotations

import re

SIGN = "\ufffd"
# Neither XML nor HTML has a way to write these.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# What ends a line here or there.
_ENDS = re.compile("\r\n|[\t\n\x0b\x0c\r\x85\u2028\u2029]")
# They turn the direction of what comes after them, so that it is read as something else.
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(value: str) -> str:
    """The text with a sign in the place of what cannot be written."""
    return _UNWRITABLE.sub(SIGN, value)


def on_a_line(value: str) -> str:
    """The text as it may stand in a line of a terminal, which obeys what it is sent."""
    return _TURNS.sub(SIGN, printable(_ENDS.sub(" ", value)))
