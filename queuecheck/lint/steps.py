"""Whether each step text has exactly one definition, and each definition a step text.

Steps are taken as pytest-bdd takes them: And goes on with the keyword before, an outline's step
once for each row of its Examples, a Background's steps once for each scenario.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from queuecheck.catalogue import Problem
from queuecheck.lint.model import FeatureFile, Scenario, Step
from queuecheck.lint.words import problem_of
from queuecheck.plugin.compat import StepDefinition


@dataclass
class StepCheck:
    """Matches the steps of all features to ``definitions``; ``base`` is what places start from."""

    definitions: Sequence[StepDefinition]
    base: Path
    _used: set[int] = field(default_factory=set)
    _by_text: dict[tuple[str, str], list[StepDefinition]] = field(default_factory=dict)

    def problems_of(self, files: Iterable[FeatureFile]) -> Iterator[Problem]:
        """What is wrong with a step's text, or with its definition."""
        found = {problem for file in files for problem in self._of_file(file)}
        yield from sorted(found)
        for definition in self.definitions:
            if inspect.iscoroutinefunction(definition.function):
                message = f"the step {_name(definition)} is a coroutine, which nobody awaits"
                yield self._at(definition, message, "make it a plain function")

    def unused(self) -> Iterator[Problem]:
        """The definitions that no step of the files examined before has used."""
        told: set[int] = set()
        for definition in self.definitions:
            function = id(definition.function)
            if function not in self._used and function not in told:
                told.add(function)
                message = f"no feature uses the step {_name(definition)}"
                yield self._at(definition, message, "use it or remove it")

    def _of_file(self, file: FeatureFile) -> Iterator[Problem]:
        for scenario in file.scenarios:
            contexts = [row for table in scenario.examples for row in table.contexts] or [{}]
            for step in scenario.all_steps:
                for context in contexts:
                    yield from self._of_step(file, scenario, step, context)

    def _of_step(
        self, file: FeatureFile, scenario: Scenario, step: Step, context: Mapping[str, str]
    ) -> Iterator[Problem]:
        text = _rendered(step.text, context)
        found = self._fitting(step.keyword, text)
        keyword = step.keyword.title()
        if not found:
            yield Problem(file.name, step.line, *self._undefined(keyword, text))
        if len({each.function for each in found}) > 1 or len(found) > 1:
            places = " and ".join(self._place(each) for each in found)
            message = f"{keyword} {text!r} fits {len(found)} definitions: {places}"
            yield Problem(file.name, step.line, message, "narrow their texts until one is left")
        for definition in found:
            arguments = definition.arguments(text) or {}
            clash = sorted(set(arguments) & set(scenario.parameters))
            if clash:
                message = f"<{clash[0]}> is also what {self._place(definition)} calls an argument"
                remedy = "name the outline's column otherwise"
                yield Problem(file.name, step.line, message, remedy)
            table = [[_rendered(cell, context) for cell in row.cells] for row in step.table]
            if wrong := problem_of(definition.function, {**arguments, "datatable": table}):
                remedy = "correct its words or add them where the others are"
                yield Problem(file.name, step.line, wrong, remedy)

    def _fitting(self, keyword: str, text: str) -> list[StepDefinition]:
        if (keyword, text) not in self._by_text:
            found = [
                each
                for each in self.definitions
                if each.keyword in {keyword, None} and each.matches(text)
            ]
            self._used.update(id(each.function) for each in found)
            self._by_text[keyword, text] = found
        return self._by_text[keyword, text]

    def _undefined(self, keyword: str, text: str) -> tuple[str, str]:
        other = next((each for each in self.definitions if each.matches(text)), None)
        message = f"{keyword} {text!r} has no definition"
        if other is None:
            return message, "correct its words or define it in the module of its noun"
        as_other = f"it is one as {str(other.keyword).title()} ({self._place(other)})"
        return message, f"{as_other}: change the keyword or decorate the function for both"

    def _at(self, definition: StepDefinition, message: str, remedy: str) -> Problem:
        file, _, line = self._place(definition).rpartition(":")
        return Problem(file, int(line), message, remedy)

    def _place(self, definition: StepDefinition) -> str:
        file = definition.file
        shown = file.relative_to(self.base) if file.is_relative_to(self.base) else file
        return f"{shown.as_posix()}:{definition.line}"


def _name(definition: StepDefinition) -> str:
    return str(getattr(definition.function, "__name__", definition.pattern))


def _rendered(text: str, context: Mapping[str, str]) -> str:
    return re.sub(r"<(.+?)>", lambda found: context.get(found[1], found[0]), text)
