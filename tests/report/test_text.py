"""Text from elsewhere, on a terminal and in a page."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from queuecheck.report.text import on_a_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 名前, é", "plain, 名前, é"),
        ("\x1b[2J\x07\x7f\x9b", "\ufffd[2J\ufffd\ufffd\ufffd"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("\u202egnitset\u202c", "\ufffdgnitset\ufffd"),
        ("half \ud800", "half \ufffd"),
    ],
)
def test_a_terminal_is_sent_nothing_that_it_obeys(text: str, shown: str) -> None:
    assert on_a_line(text) == shown


@given(st.text(st.characters(exclude_categories=[])))
@example("\u2066\u061c\x85\x00")
def test_what_is_on_a_line_stays_there_in_its_direction(text: str) -> None:
    shown = on_a_line(text)
    assert len(f"{shown}.".splitlines()) == 1
    assert {unicodedata.category(sign) for sign in shown}.isdisjoint({"Cc", "Cs"})
    directions = {unicodedata.bidirectional(sign) for sign in shown}
    assert directions.isdisjoint({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def test_a_page_keeps_its_lines() -> None:
    assert printable("a\n\tb\x1b") == "a\n\tb\ufffd"
