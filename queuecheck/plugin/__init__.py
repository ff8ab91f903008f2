"""The pytest plugin: collects our feature files, gives scenarios a world, says what came of them.

It is loaded into every pytest run on a machine where the suite is installed, so this module
imports nothing but pytest and does nothing unless a feature file of ours is among what is asked
for. The parts: ``preflight`` refuses unusable features before anything starts, ``collection``
makes tests of feature files, ``suite`` runs them where they run (a worker, or the only process),
``summary`` gathers and judges where the terminal is. Results travel from one to the other in
``user_properties`` (``record``). All that is known about pytest-bdd's inside is in ``compat``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.plugin import options


def pytest_addoption(parser: pytest.Parser) -> None:
    """All our options start with ``--qc-``."""
    options.add(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Refuses unusable features with one line each and exit code 2, before anything starts."""
    if options.is_worker(config) or config.option.help or not options.asks_for_ours(config):
        return None
    from queuecheck.plugin import preflight  # noqa: PLC0415 - a foreign run never gets here

    return preflight.refuse(config)


def pytest_configure(config: pytest.Config) -> None:
    """Prepares the summary of a run that is ours; in workers there is nothing to sum up."""
    if options.is_worker(config) or not options.asks_for_ours(config):
        return
    from queuecheck.plugin.summary import Summary  # noqa: PLC0415 - a foreign run never gets here
    from queuecheck.plugin.vacuity import VacuitySummary  # noqa: PLC0415

    options.settle(config)
    kind = Summary if config.option.qc_must_fail is None else VacuitySummary
    config.pluginmanager.register(kind(config), "queuecheck-summary")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The terminal is there now, and no worker yet."""
    config = session.config
    if not config.option.qc_progress or options.is_worker(config):
        return
    if config.option.qc_must_fail is None and options.asks_for_ours(config):
        from queuecheck.interruption import held_back  # noqa: PLC0415 - only if asked for
        from queuecheck.plugin.display import display_of  # noqa: PLC0415 - only if asked for

        with held_back():  # it has a directory, which it takes away in the end
            if display := display_of(config):
                config.pluginmanager.register(display, "queuecheck-display")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A feature file of ours is a module of tests."""
    if file_path.suffix != ".feature" or not options.is_ours(parent.config, file_path):
        return None
    from queuecheck.plugin import collection  # noqa: PLC0415 - a foreign run never gets here

    return collection.feature_module(file_path, parent)
