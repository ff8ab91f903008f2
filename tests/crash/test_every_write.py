"""Wherever the controller is ended and started again, it comes to the same end.

Each example is played once undisturbed, which tells its writes. Then it is played again for each of
them, and at that write the world stops: before it has reached the server, or after, with the answer
still on its way. The controller is killed in that moment, and started again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from queuecheck import resources
from queuecheck.cluster import LocalCluster
from queuecheck.kube import Api
from tests.crash.stage import ON, End, Example, Scene, Stage, points

# A control plane of their own: the other tests that have one need not wait for these.
pytestmark = pytest.mark.xdist_group("crash")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    root = resources.manifests_root()
    with ExitStack() as stack:
        cluster = LocalCluster("crash", manifests=(root / "crds", root / "rbac"))
        stack.callback(cluster.stop)
        cluster.start()
        api = Api.from_kubeconfig(cluster.kubeconfig, user_agent="queuecheck-tests")
        stack.callback(api.close)
        stage = Stage(cluster, api, tmp_path_factory.mktemp("crash"))
        stack.callback(stage.stop)
        stage.start()
        yield stage


def one_victim() -> Example:
    """The worked example, from its quota on."""

    def before(scene: Scene) -> None:
        pass

    def act(scene: Scene) -> None:
        scene.quota(cpu=2, annotations=ON)
        scene.submit("low", priority=1, cpu=2)
        scene.admitted("low", 1)
        scene.submit("high", priority=100, cpu=2)

    def ended(end: End) -> bool:
        return (
            end["units"].get("high") == ("Dequeued", [("high", 1, 0)], False)
            and end["units"].get("low") == ("Enqueued", [], False)
            and end["jobs"] == {"low": (True, 1), "high": (False, 1)}
            and end["pods"] == {"high": 1}
            and ("low", "Reclaimed") in end["events"]
        )

    return Example("the worked example", before, act, ended)


def two_victims() -> Example:
    """One round that marks two units, from the preemptor on."""

    def before(scene: Scene) -> None:
        scene.quota(cpu=4, annotations={})
        for priority in (1, 2):
            scene.submit(f"low-{priority}", priority=priority, cpu=2)
        for priority in (1, 2):
            scene.admitted(f"low-{priority}", 1)

    def act(scene: Scene) -> None:
        scene.annotate(ON)
        scene.submit("high", priority=100, cpu=4)

    def ended(end: End) -> bool:
        return (
            end["units"].get("high") == ("Dequeued", [("high", 1, 0)], False)
            and all(end["units"][name] == ("Enqueued", [], False) for name in ("low-1", "low-2"))
            and end["jobs"].get("high") == (False, 1)
            and end["pods"] == {"high": 1}
            and {("low-1", "Reclaimed"), ("low-2", "Reclaimed")} <= set(end["events"])
        )

    return Example("two victims", before, act, ended)


def part_of_a_victim() -> Example:
    """One pod of three runs and stays; the other two are taken back."""

    def before(scene: Scene) -> None:
        scene.quota(cpu=3, annotations=ON)
        scene.submit("low", priority=1, cpu=1, pods=3)
        scene.admitted("low", 3)
        scene.run_pods("low", 1)

    def act(scene: Scene) -> None:
        scene.submit("high", priority=100, cpu=2)

    def ended(end: End) -> bool:
        return (
            end["units"].get("high") == ("Dequeued", [("high", 1, 0)], False)
            and end["units"]["low"][1:] == ([("low", 1, 1)], False)
            and end["jobs"].get("high") == (False, 1)
            and end["pods"] == {"high": 1, "low": 1}
        )

    return Example("part of a victim", before, act, ended)


EXAMPLES = (one_victim(), two_victims(), part_of_a_victim())
PREEMPTED = {
    "the worked example": {"low": 1},
    "two victims": {"low-1": 1, "low-2": 1},
    "part of a victim": {"low": 1},
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("passed_on", [False, True], ids=["before it arrives", "before its answer"])
@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_a_crash_at_any_write_changes_nothing_of_the_end(
    stage: Stage, example: Example, passed_on: bool
) -> None:
    undisturbed = stage.play(example)
    events = undisturbed.end["events"]
    told = {name: count for (name, reason), count in events.items() if reason == "Preempted"}
    assert told == PREEMPTED[example.name]
    reached = []
    every = list(points(undisturbed.writes, passed_on=passed_on))
    for point in every:
        run = stage.play(example, point.rule())
        if run.crashed:
            reached.append(str(point))
        assert run.end == undisturbed.end, f"after a crash at {point}"
    # How often the lists of Queues are written, say, depends on how quick others are.
    assert len(reached) > len(every) * 0.7
    print(f"{len(reached)} of {len(every)} points: {', '.join(reached)}")  # noqa: T201 - with -rP
