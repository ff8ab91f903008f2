"""A project of its own for the plugin, with feature files and a fake world."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest
import yaml

# Imported once here, not again in every inner run: pytester takes away what those import.
from queuecheck import resources
from queuecheck.plugin import fixtures, summary

KEPT = (fixtures, summary)
REFERENCE = resources.implementations_root() / "reference.yaml"
# Of KQ-QTA-01 to -03.
LEVELS = {1: "must", 2: "must", 3: "should"}
SETTINGS = configparser.ConfigParser(interpolation=None)
SETTINGS.read(resources.PACKAGE / "plugin" / "pytest.ini", "utf-8")
INI = f"""
[pytest]
queuecheck_features = features
queuecheck_steps =
addopts =
  --strict-markers --import-mode=importlib -p no:cacheprovider
  -p no:hypothesispytest -p no:timeout -p no:pytest-kind
filterwarnings = {SETTINGS["pytest"]["filterwarnings"].replace(chr(10), chr(10) + "  ")}
"""


CONFTEST = """
import os
from pathlib import Path

import pytest
from pytest_bdd import given, parsers, then

from queuecheck.cluster import ClusterError
from queuecheck.implementation import ImplementationError
from queuecheck.kube import Unreachable
from queuecheck.timeline import ClaimFailed, Evidence, Failure, HarnessError
from queuecheck.world import CleanupError, EnvironmentBroken

DONE = Path(__file__).parent.parent / "done.txt"


def note(text):
    with DONE.open("a") as file:
        file.write(text + "\\n")


class World:
    cleanup_fails = False
    hindered = None

    def hindrance(self):
        return self.hindered

    def take_evidence(self, *, failure, error):
        note("evidence")
        return Evidence(Path("/evidence"))


@pytest.fixture(scope="session")
def ground():
    if "BROKEN" in os.environ:
        raise EnvironmentBroken("the canary was not admitted\\nits log")


@pytest.fixture
def world(ground):
    world = World()
    yield world
    note("clean-up")
    if world.cleanup_fails:
        raise CleanupError("namespace qc-1: still there")


@given("a world")
def a_world(world):
    note("step")


@then("all is well")
def all_is_well():
    pass


@then("the claim fails")
def the_claim_fails():
    raise ClaimFailed(Failure(claim="eventually", sentence="low is marked", reason="not seen"))


@then("the claim fails, for an image is missing")
def hindered(world):
    world.hindered = EnvironmentBroken("a pod does not start on node b: ErrImageNeverPull")
    the_claim_fails()


@then("the step asserts in vain")
def asserts():
    assert False, "low has 2 replicas"


@then("nobody can tell")
def nobody_can_tell():
    raise HarnessError("the watch of pods has a gap")


@then("a step is wrong")
def wrong():
    {}["nothing"]


@then("nobody answers")
def nobody_answers():
    try:
        raise Unreachable(verb="GET", path="/", status=0, reason="", message="refused")
    except Unreachable as error:
        raise HarnessError("cannot list pods") from error


@then("the kubelet has ended")
def kubelet_ended():
    raise ClusterError("the simulated kubelet has ended")


@then("the controller is gone, and its log has a password")
def gone_with_password():
    raise ImplementationError("queue ended; its last lines:\\npassword=tellnobody")


@then("a step is wrong, and says a password")
def wrong_with_password():
    print("password=tellnobody")
    raise ValueError("password=tellnobody")


@then("the controller is gone")
def gone():
    raise ImplementationError("reference: queue ended with exit code 1")


@then("the clean-up will fail")
def cleanup_will_fail(world):
    world.cleanup_fails = True


@then("the user interrupts")
def interrupts():
    raise KeyboardInterrupt


@then("the user interrupts, and the clean-up will fail")
def interrupts_for_good(world):
    world.cleanup_fails = True
    raise KeyboardInterrupt


@then("the worker dies")
def dies():
    os._exit(7)
"""


FEATURE = """
@koord-queue
Feature: Quota

  Rule: What counts, counts

    @{id} @{level} {tags}
    Scenario: {name}
      Given a world
      Then {then}
"""


class Project:
    """A directory with feature files, and pytest to run on it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini(INI)
        self.features = pytester.mkdir("features")
        # What some of these tests are about is what it does not declare.
        body = yaml.safe_load(REFERENCE.read_text("utf-8"))
        body["features"] = ["intelligent", "protection", "reconfigure", "metrics"]
        self.pytester.path.joinpath("limited.yaml").write_text(yaml.safe_dump(body), "utf-8")
        # Beside the features, not above: only there does it come before the plugin's fixtures.
        self.features.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")

    def requires(self, *names: str) -> None:
        """The catalogue has only these requirements."""
        data = yaml.safe_load(resources.catalogue_file("koord-queue").read_text("utf-8"))
        data["requirements"] = [row for row in data["requirements"] if row["id"] in names]
        self.pytester.path.joinpath("catalogue.yaml").write_text(yaml.safe_dump(data), "utf-8")
        self.pytester.makeini(INI + "queuecheck_catalogue = catalogue.yaml\n")

    def baseline(self, name: str, *, reason: str, intermittent: bool = False) -> None:
        """The implementation is known to fail this."""
        path = self.pytester.path.joinpath("limited.yaml")
        body = yaml.safe_load(path.read_text("utf-8"))
        entry = {"id": name, "reason": reason, "link": "https://example.org/1"}
        body["baseline"] = [entry | ({"intermittent": True} if intermittent else {})]
        path.write_text(yaml.safe_dump(body), "utf-8")

    def feature(
        self,
        *,
        then: str = "all is well",
        id: str = "KQ-QTA-01",  # noqa: A002
        level: str = "must",
        tags: str = "",
        name: str = "It counts",
        file: str = "quota",
    ) -> Path:
        text = FEATURE.format(then=then, id=id, level=level, tags=tags, name=name)
        path = self.features / f"{file}.feature"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        arguments = ("--qc-implementation=limited.yaml", *arguments)
        if "-n" in arguments:
            return self.pytester.runpytest_subprocess("features", *arguments, timeout=120)
        return self.pytester.runpytest_inprocess("features", *arguments)

    def refused(self, capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
        """The lines on standard error of a run that is refused before it begins."""
        assert pytest.main(["features", *arguments]) == 2
        assert self.done == []
        return capfd.readouterr().err.splitlines()

    @property
    def done(self) -> list[str]:
        file = self.pytester.path / "done.txt"
        return file.read_text("utf-8").split() if file.exists() else []
