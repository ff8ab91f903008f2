"""Names that are unique and that Kubernetes accepts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from queuecheck.world.names import Names, fit, worker_letters

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
ALIASES = st.from_regex(r"[a-z]([-a-z0-9]{0,70}[a-z0-9])?", fullmatch=True)


@given(ALIASES, st.integers(1, 9999))
def test_every_name_is_a_label_of_63_characters_at_most(alias: str, nth: int) -> None:
    names = Names("bcd23", "KQ-RCL-02", f"a{nth}")
    for name in (names.unique(alias), names.slot(alias), names.namespace):
        assert len(name) <= 63
        assert LABEL.fullmatch(name)


@given(ALIASES, ALIASES)
def test_two_aliases_never_share_a_name(one: str, other: str) -> None:
    names = Names("bcd23", "KQ-RCL-02", "a1")
    assert (names.unique(one) == names.unique(other)) == (one == other)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_two_workers_never_share_letters(one: int, other: int) -> None:
    assert (worker_letters(f"gw{one}") == worker_letters(f"gw{other}")) == (one == other)


def test_letters_go_on_after_z() -> None:
    assert [worker_letters(f"gw{number}") for number in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]


def test_a_namespace_says_run_requirement_and_number() -> None:
    assert Names("bcd23", "KQ-RCL-02", "a3").namespace == "qc-bcd23-kq-rcl-02-a3"


def test_a_long_name_keeps_its_end() -> None:
    assert fit("x" * 80, "kq-rcl-02-a3").endswith("-kq-rcl-02-a3")


def test_two_runs_on_one_cluster_never_share_a_name() -> None:
    one, other = (Names(run, "KQ-RCL-02", "a3") for run in ("bcd23", "bcd24"))
    assert one.unique("team") == "team-bcd23-kq-rcl-02-a3"
    assert one.unique("team") != other.unique("team")
    assert one.slot("low") != other.slot("low")
