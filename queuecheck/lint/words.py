"""Words inside a step that mean something by themselves, such as the states of an object.

A definition fits any of them, so a misspelt one would be found only when the step is run: a step
function says itself how its words are judged before that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

ATTRIBUTE = "queuecheck_lint"
Arguments = Mapping[str, Any]
Judge = Callable[[Arguments], str]
Function = TypeVar("Function", bound=Callable[..., object])


def judged_by(judge: Judge) -> Callable[[Function], Function]:
    """``judge`` gets what the step's text gives, and ``datatable``; "" if nothing is wrong."""

    def decorate(function: Function) -> Function:
        setattr(function, ATTRIBUTE, judge)
        return function

    return decorate


def problem_of(function: Callable[..., object], arguments: Arguments) -> str:
    """What the function's own judge says, or "" where it has none."""
    judge: Judge | None = getattr(function, ATTRIBUTE, None)
    return "" if judge is None else judge(arguments)
