"""From feature files to tests.

The first feature file that is collected makes this process one that runs scenarios: the tags are
registered as markers, the steps and fixtures as plugins, and ``Suite`` begins to take part.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from queuecheck.catalogue import FeatureError, Scenario, Vocabulary, read_feature
from queuecheck.cluster.words import CAPABILITIES
from queuecheck.plugin import compat, options, preflight
from queuecheck.plugin.account import Accounts
from queuecheck.plugin.heeding import Heeding
from queuecheck.plugin.suite import SCENARIO, Suite
from queuecheck.plugin.whereabouts import Whereabouts

FIXTURES = "queuecheck.plugin.fixtures"
SUITE = pytest.StashKey[Suite]()


def feature_module(path: Path, parent: pytest.Collector) -> pytest.Collector:
    """The collector of one feature file."""
    prepare(parent.config)
    module: FeatureModule = FeatureModule.from_parent(parent, path=path)
    return module


def prepare(config: pytest.Config) -> Suite:
    """Makes this process one that runs scenarios; once."""
    if SUITE in config.stash:
        return config.stash[SUITE]
    options.settle(config)
    descriptor = preflight.descriptor_of(config)
    catalogue = preflight.catalogue_of(config, descriptor)
    words = Vocabulary.of(catalogue, descriptor.profile, CAPABILITIES)
    for name, meaning in words.markers():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    suite = config.stash[SUITE] = Suite(
        config, descriptor, chosen=preflight.selection(config, words)
    )
    manager = config.pluginmanager
    manager.register(suite, "queuecheck-suite")
    manager.register(Accounts(), "queuecheck-accounts")
    manager.register(Heeding(), "queuecheck-heeding")
    if config.option.qc_whereabouts is not None:
        place = Path(config.option.qc_whereabouts)
        manager.register(Whereabouts(place, worker=suite.worker), "queuecheck-whereabouts")
    for module in (FIXTURES, *_step_modules(config)):
        manager.register(importlib.import_module(module), module)
    return suite


def _step_modules(config: pytest.Config) -> Iterator[str]:
    for package in config.getini("queuecheck_steps"):
        # The whole package before its first module: step modules import one another.
        pytest.register_assert_rewrite(package)
        yield from compat.step_modules(package)


class FeatureModule(pytest.Module):
    """A feature file: one test for each scenario, or for each row of an outline's Examples."""

    def _getobj(self) -> ModuleType:
        base = options.root_of(self.config, self.path)
        assert base is not None
        try:
            self._scenarios = {
                scenario.name: scenario for scenario in read_feature(self.path, base=base.parent)
            }
            # Asked for by mark, the world is made in the set-up phase, before the first step.
            return compat.module_of(self.path, base=base, marks=[pytest.mark.usefixtures("world")])
        except (FeatureError, compat.Unusable) as error:
            raise self.CollectError(str(error)) from error

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The tests, in the order of the file."""
        items = list(super().collect())
        for item in items:
            assert isinstance(item, pytest.Function)
            name = compat.scenario_name(item.function)
            assert name is not None
            self._prepare(item, self._scenarios[name])
        items.sort(key=lambda item: item.stash[SCENARIO].line)
        yield from items

    def _prepare(self, item: pytest.Function, scenario: Scenario) -> None:
        item.stash[SCENARIO] = scenario
        # Where it stands, for humans: not the place in pytest-bdd where the function was made.
        item.location = (scenario.file, scenario.line - 1, scenario.name)
