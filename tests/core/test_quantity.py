from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from controller.core.quantity import (
    LARGEST,
    BadQuantity,
    amount,
    amounts,
    canonical,
    covers,
    largest,
    times,
    total,
)

SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "e3": Fraction(10**3),
    "E-2": Fraction(1, 100),
}


@pytest.mark.parametrize(
    ("text", "thousandths"),
    [
        ("2", 2000),
        ("100m", 100),
        ("0.1m", 1),
        ("1.5", 1500),
        (".5", 500),
        ("2.", 2000),
        ("+3", 3000),
        ("1e-1", 100),
        ("0", 0),
        ("-0", 0),
        ("1n", 1),
        ("1k", 1_000_000),
    ],
)
def test_cpu_counts_in_thousandths_rounded_up(text: str, thousandths: int) -> None:
    assert amount("cpu", text) == thousandths


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("2Gi", 2 * 2**30),
        ("128e6", 128_000_000),
        ("128E6", 128_000_000),
        ("1E", 10**18),
        ("1Ei", 2**60),
        ("1.5", 2),
        ("100m", 1),
        ("0.5Ki", 512),
        (3, 3),
        (1.5, 2),
    ],
)
def test_everything_else_counts_in_units_rounded_up(text: object, units: int) -> None:
    assert amount("memory", text) == units


NO_QUANTITIES = ["", " 1", "1 ", "1x", "1ki", "e3", ".", "m", "1e", "1.2.3", "-1", "NaN", "inf"]
NO_TEXTS: list[object] = ["0x10", "\u0661", "1\n", "1" * 200, None, True, [], {}]


@pytest.mark.parametrize("text", [*NO_QUANTITIES, *NO_TEXTS])
def test_what_is_no_quantity_is_refused(text: object) -> None:
    with pytest.raises(BadQuantity):
        amount("cpu", text)


@pytest.mark.parametrize("text", ["1e999999999", "9" * 100, "99999Ei", 10**400])
def test_what_is_too_large_counts_as_the_largest(text: object) -> None:
    assert amount("memory", text) == LARGEST
    assert amount("cpu", text) == LARGEST * 1000


def test_what_is_tiny_counts_as_one() -> None:
    assert amount("memory", "1e-999999999") == 1


@given(st.integers(0, 10**12), st.integers(0, 10**6), st.sampled_from(sorted(SUFFIXES)))
def test_the_result_is_the_exact_value_rounded_up(whole: int, part: int, suffix: str) -> None:
    value = (whole + Fraction(part, 10 ** len(str(part)))) * SUFFIXES[suffix]
    for resource, scale in (("cpu", 1000), ("memory", 1)):
        counted = amount(resource, f"{whole}.{part}{suffix}")
        exact = value * scale
        assert exact <= counted < exact + 1 or counted == LARGEST * scale


@given(st.sampled_from(["cpu", "memory"]), st.integers(0, 10**15))
def test_the_canonical_text_is_read_back_as_it_was(resource: str, number: int) -> None:
    assert amount(resource, canonical(resource, number)) == number


def test_a_bad_quantity_in_a_list_is_named() -> None:
    with pytest.raises(BadQuantity, match='memory: "lots" is not a quantity'):
        amounts({"cpu": "1", "memory": "lots"})


def test_sums_and_maxima_treat_what_is_absent_as_zero() -> None:
    assert total(({"cpu": 1}, {"cpu": 2, "gpu": 3})) == {"cpu": 3, "gpu": 3}
    assert largest({"cpu": 1}, {"gpu": 3}) == {"cpu": 1, "gpu": 3}
    assert times({"cpu": 2}, 3) == {"cpu": 6}
    assert covers({"cpu": 2}, {"cpu": 2, "gpu": 0})
    assert not covers({"cpu": 2}, {"cpu": 2, "gpu": 1})
