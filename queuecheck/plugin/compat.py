"""All that is known about the inside of pytest-bdd 9; nothing else imports its private parts.

``scenarios`` puts test functions into the namespace of its caller, so it is called by a statement
that is run in a module made for the purpose. Which scenario a test function stands for is kept in
a registry of pytest-bdd's own.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_bdd import exceptions
from pytest_bdd.scenario import (
    get_python_name_generator,
    scenario_wrapper_template_registry,
)
from pytest_bdd.steps import step_function_context_registry

STATEMENT = compile(
    "from pytest_bdd import scenarios; scenarios(_path, features_base_dir=_base)",
    "<scenarios of a feature file>",
    "exec",
)


class Unusable(Exception):
    """pytest-bdd cannot make tests of a file; the message says why."""


def module_of(path: Path, *, base: Path, marks: list[pytest.MarkDecorator]) -> ModuleType:
    """A module with one test function for each scenario of a feature file. Raises Unusable."""
    module = ModuleType(f"features.{path.stem}")
    module.__file__ = str(path)
    module.__dict__.update(_path=str(path), _base=str(base), pytestmark=marks)
    try:
        exec(STATEMENT, module.__dict__)  # noqa: S102 - a constant; see the module's docstring
    except exceptions.NoScenariosFound:
        return module
    except Exception as error:
        raise Unusable(f"{type(error).__name__}: {error}") from error
    return module


def scenario_name(function: Callable[..., object]) -> str | None:
    """The scenario that a test function stands for, as its feature names it."""
    template = scenario_wrapper_template_registry.get(function)
    return None if template is None else template.name


def test_name(scenario: str) -> str:
    """The name of the test function of a scenario."""
    return next(iter(get_python_name_generator(scenario)))


def example_of(item: pytest.Function) -> dict[str, str]:
    """The Examples row of a test, or nothing."""
    callspec: Any = getattr(item, "callspec", None)
    row: dict[str, str] = {} if callspec is None else callspec.params.get("_pytest_bdd_example", {})
    return row


def repetition_of(item: pytest.Function) -> int:
    """Which of several times a test is run, from 1."""
    callspec: Any = getattr(item, "callspec", None)
    return 1 if callspec is None else int(callspec.params.get("qc_repetition", 1))


def step_modules(package: str) -> Iterator[str]:
    """The names of the modules of a package of steps; what they import is not among them."""
    found = importlib.import_module(package)
    for module in pkgutil.iter_modules(found.__path__):
        yield f"{package}.{module.name}"


@dataclass(frozen=True)
class StepDefinition:
    """One decorator of one function: ``keyword`` is given, when, then, or None for all three."""

    keyword: str | None
    pattern: str
    function: Callable[..., object]
    matches: Callable[[str], bool]
    arguments: Callable[[str], dict[str, Any] | None]

    @property
    def file(self) -> Path:
        """Where the function is written."""
        return Path(inspect.getsourcefile(self.function) or "")

    @property
    def line(self) -> int:
        """Where its decorators begin."""
        return inspect.getsourcelines(self.function)[1]


def step_definitions(module: ModuleType) -> Iterator[StepDefinition]:
    """Every step that a module defines, as the decorators left it."""
    for context in list(step_function_context_registry.values()):
        function = inspect.unwrap(context.step_func)
        if getattr(function, "__globals__", None) is vars(module):
            yield StepDefinition(
                keyword=context.type,
                pattern=context.parser.name,
                function=function,
                matches=context.parser.is_matching,
                arguments=context.parser.parse_arguments,
            )


def undefined_step(error: BaseException) -> str:
    """The step that no definition fits, as it is written and where, or "" for another error."""
    if not isinstance(error, exceptions.StepDefinitionNotFoundError):
        return ""
    found = re.search(r": (?P<step>\w+ \".*\")\. Line (?P<line>\d+) in scenario", str(error))
    return f"{found['step']} (line {found['line']})" if found else str(error)
