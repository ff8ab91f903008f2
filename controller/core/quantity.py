"""Kubernetes quantities as whole numbers.

Cpu counts in thousandths, everything else in units; what lies between is rounded up, and nothing
exceeds 2**63 - 1 units, as in the API server. Resources are mappings of resource name to such a
number; a name that is absent counts as zero.
"""

import re
from collections.abc import Iterable, Mapping

Resources = Mapping[str, int]

LARGEST = 2**63 - 1
_MAX_LENGTH = 128
_FORM = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?"
)
_TENS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_TWOS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


class BadQuantity(ValueError):
    """A text that is no quantity, or a negative one where none makes sense."""


def amount(resource: str, value: object) -> int:
    """The quantity of a resource in its counting unit (thousandths for cpu), rounded up.

    Raises BadQuantity for anything that Kubernetes would not read as a quantity >= 0.
    """
    text = _text(value)
    form = _FORM.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if form is None or not (form["whole"] or form["part"]):
        raise BadQuantity(f'"{text[:_MAX_LENGTH]}" is not a quantity')
    part = form["part"] or ""
    digits = int((form["whole"] or "") + part)
    if digits == 0:
        return 0
    if form["sign"] == "-":
        raise BadQuantity(f'"{text}" is negative')
    suffix = form["suffix"] or ""
    tens = int(form["exponent"]) if form["exponent"] else _TENS.get(suffix, 0)
    # Beyond these bounds the result is certain, and the power would only cost memory.
    tens = max(-_MAX_LENGTH * 2, min(tens, _MAX_LENGTH * 2)) - len(part)
    numerator = (digits << _TWOS.get(suffix, 0)) * int(pow(10, max(tens, 0)))
    denominator = int(pow(10, max(-tens, 0)))
    scale = 1000 if resource == "cpu" else 1
    return min(-(-numerator * scale // denominator), LARGEST * scale)


def amounts(quantities: Mapping[str, object]) -> dict[str, int]:
    """Each quantity of a resource list, counted; raises BadQuantity naming the resource."""
    counted = {}
    for resource, value in quantities.items():
        try:
            counted[resource] = amount(resource, value)
        except BadQuantity as error:
            raise BadQuantity(f"{resource}: {error}") from None
    return counted


def canonical(resource: str, number: int) -> str:
    """The quantity that ``number`` counting units of a resource are, such as ``1500m`` or ``2``."""
    if resource != "cpu":
        return str(number)
    return str(number // 1000) if number % 1000 == 0 else f"{number}m"


def total(parts: Iterable[Resources]) -> dict[str, int]:
    """The sum, resource by resource."""
    result: dict[str, int] = {}
    for part in parts:
        for resource, number in part.items():
            result[resource] = result.get(resource, 0) + number
    return result


def times(resources: Resources, factor: int) -> dict[str, int]:
    """Each amount multiplied by ``factor``."""
    return {resource: number * factor for resource, number in resources.items()}


def largest(one: Resources, other: Resources) -> dict[str, int]:
    """The larger of two amounts, resource by resource."""
    return {
        resource: max(one.get(resource, 0), other.get(resource, 0))
        for resource in one.keys() | other.keys()
    }


def covers(offered: Resources, wanted: Resources) -> bool:
    """Whether ``offered`` is at least ``wanted`` in every resource wanted."""
    return all(offered.get(resource, 0) >= number for resource, number in wanted.items() if number)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**_MAX_LENGTH else "9" * _MAX_LENGTH
    if isinstance(value, float):
        return repr(value)
    return repr(value)[:_MAX_LENGTH]
