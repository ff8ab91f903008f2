"""What the scenarios of one worker share: how it comes, and how it goes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import yaml

from queuecheck.cluster import Cluster, ClusterError
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.processes import SUPERVISOR
from queuecheck.implementation import ImplementationError, packaged_descriptor
from queuecheck.kube import Api
from queuecheck.kube.resource import NAMESPACES, PRIORITY_CLASSES
from queuecheck.secrecy import MASK, known
from queuecheck.timeline import Budgets
from queuecheck.world import CleanupError, EnvironmentBroken, Ground, Stage, cleanup, stage, world
from queuecheck.world.remains import LAST, Remnant
from tests.fault_server import FaultServer, failure, listing
from tests.world.played import Hanging, PlayedGround


def stage_of(
    tmp_path: Path,
    *,
    kind: type[Stage] = Stage,
    canary: bool = True,
    provider: str = "local",
    keep: bool = False,
) -> Stage:
    return kind(
        run="tests",
        worker="",
        descriptor=packaged_descriptor("reference"),
        cluster=ClusterChoice(provider),
        budgets=Budgets(),
        evidence_directory=tmp_path,
        canary=canary,
        keep=keep,
    )


def standing_on(ground: PlayedGround, tmp_path: Path) -> Stage:
    class Standing(Stage):
        @property
        def _opened(self) -> Ground:
            return ground.ground

    return stage_of(tmp_path, kind=Standing)


def test_what_the_files_of_users_have_is_not_written_down(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-token-of-no-known-look\n")
    users = [{"name": name, "user": {"tokenFile": name}} for name in ("token", "not-there")]
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump({"users": [*users, {"name": "none"}]}))
    played = SimpleNamespace(kubeconfig=kubeconfig, kubeconfig_for=lambda *_, **__: kubeconfig)
    found = known(stage_of(tmp_path)._users(cast("Cluster", played)))
    assert found.mask("sent: a-token-of-no-known-look") == f"sent: {MASK}"


class HalfWay:
    """A cluster that cannot be started, nor stopped."""

    trouble: BaseException = ClusterError("no port is free")

    def __init__(self, **_: object) -> None:
        pass

    def start(self) -> None:
        raise self.trouble

    def stop(self) -> None:
        raise OSError("no space left on device")


def test_what_fails_first_is_told_before_what_cannot_be_taken_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "LocalCluster", HalfWay)
    with pytest.raises(EnvironmentBroken) as told:
        stage_of(tmp_path).open()
    assert str(told.value) == "no port is free\nno space left on device"


def test_an_interruption_stays_one_whatever_cannot_be_taken_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HalfWay, "trouble", KeyboardInterrupt())
    monkeypatch.setattr(stage, "LocalCluster", HalfWay)
    with pytest.raises(KeyboardInterrupt) as told:
        stage_of(tmp_path).open()
    assert told.value.__notes__ == ["no space left on device"]


def test_the_directory_that_may_hold_a_token_does_not_outlive_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned: list[Path] = []
    monkeypatch.setattr(stage, "LocalCluster", HalfWay)
    monkeypatch.setattr(SUPERVISOR, "own_directory", owned.append)
    with pytest.raises(EnvironmentBroken):
        stage_of(tmp_path).open()
    (directory,) = owned
    assert not directory.exists()


class Somebodys:
    """A cluster that others use, too; requests to it go to a server of the test's."""

    capabilities: frozenset[str] = frozenset()
    nodes = None

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig

    def kubeconfig_for(self, _user: str, **_: object) -> Path:
        return self.kubeconfig

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


def test_the_priority_classes_of_all_workers_go_with_the_last_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    names = ["qc-tests-p1", "qc-tests-p2"]
    ground = PlayedGround(tmp_path)
    with FaultServer(tmp_path) as server:
        server.script("GET", classes, listing("9", *({"metadata": {"name": n}} for n in names)))
        monkeypatch.setattr(stage, "LocalCluster", lambda **_: Somebodys(server.kubeconfig))
        monkeypatch.setattr(stage, "implement", lambda *_, **__: ground.implementation)
        monkeypatch.setattr(stage, "check_alone", lambda *_, **__: None)
        one = stage_of(tmp_path, canary=False)
        one.open()
        one.close()
        (asked,) = server.requests("GET", classes)
        assert asked.query["labelSelector"] == "queuecheck.dev/run=tests"
        for name in names:
            assert server.requests("DELETE", f"{classes}/{name}")


def test_a_priority_class_that_may_not_be_deleted_keeps_no_other(
    tmp_path: Path, server: FaultServer
) -> None:
    classes = PRIORITY_CLASSES.path()
    server.script("GET", classes, listing("9", *({"metadata": {"name": n}} for n in "ab")))
    server.script("DELETE", f"{classes}/a", failure(403, "Forbidden"))
    one = stage_of(tmp_path)
    one._api = Api.from_kubeconfig(server.kubeconfig)
    one._ground = PlayedGround(tmp_path).ground
    with pytest.raises(CleanupError, match=f"^PriorityClass a: DELETE {classes}/a: 403"):
        one._delete_priority_classes()
    assert len(server.requests("DELETE", f"{classes}/b")) == 1


@pytest.mark.parametrize("keep", [False, True])
def test_on_a_cluster_that_is_swept_priority_classes_go_with_all_else(
    tmp_path: Path, server: FaultServer, *, keep: bool
) -> None:
    """By themselves they would be told twice, where they may not be deleted."""
    server.script("GET", PRIORITY_CLASSES.path(), listing("9", {"metadata": {"name": "a"}}))
    one = stage_of(tmp_path, provider="existing", keep=keep)
    one._api = Api.from_kubeconfig(server.kubeconfig)
    one._ground = PlayedGround(tmp_path).ground
    one._delete_priority_classes()
    assert len(server.requests("DELETE")) == keep


@pytest.mark.parametrize("fails", [False, True])
def test_what_names_a_run_goes_last_and_only_if_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    done: list[str] = []

    def remove(_api: object, _profile: object, chosen: Iterable[Remnant]) -> list[str]:
        done.extend(each.name for each in chosen)
        return []

    def restore() -> None:
        done.append("restored")
        if fails:
            raise ImplementationError("the Deployment is not ready")

    scenario = Remnant(0, NAMESPACES, "", "qc-tests-kq-seq-01", "tests")
    own = Remnant(LAST, NAMESPACES, "", "qc-tests", "tests")
    ground = PlayedGround(tmp_path)
    monkeypatch.setattr(ground.implementation, "close", restore, raising=False)
    with FaultServer(tmp_path) as server:
        server.script("GET", "/apis/scheduling.k8s.io/v1/priorityclasses", listing("9"))
        monkeypatch.setattr(Stage, "_cluster", lambda _: Somebodys(server.kubeconfig))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr(stage, "implement", lambda *_, **__: ground.implementation)
        monkeypatch.setattr(stage, "check_alone", lambda *_, **__: None)
        monkeypatch.setattr(stage, "find_remains", lambda *_, **__: (scenario, own))
        monkeypatch.setattr(stage, "remove_remains", remove)
        one = stage_of(tmp_path, canary=False, provider="existing")
        one.open()
        with pytest.raises(ImplementationError) if fails else nullcontext():
            one.close()
    assert done == [scenario.name, "restored", *([] if fails else [own.name])]
    assert one._left is fails


CLEAN = "queuecheck clean --run tests"


def test_of_all_that_fails_at_the_end_nothing_hides_or_prevents_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FaultServer
) -> None:
    class Stuck(Somebodys):
        def stop(self) -> None:
            raise ClusterError("node one\nnode two")

    def close() -> None:
        raise ImplementationError("the Deployment is not ready\nlast line of its log")

    taken: list[str] = []

    def remove(_api: object, _profile: object, chosen: Iterable[Remnant]) -> list[str]:
        taken.extend(each.name for each in chosen)
        return ["Queue a: held"]

    scenario = Remnant(0, NAMESPACES, "", "qc-tests-kq-seq-01", "tests")
    own = Remnant(LAST, NAMESPACES, "", "qc-tests", "tests")
    ground = PlayedGround(tmp_path)
    monkeypatch.setattr(ground.implementation, "close", close, raising=False)
    monkeypatch.setattr(Stage, "_cluster", lambda _: Stuck(server.kubeconfig))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(stage, "implement", lambda *_, **__: ground.implementation)
    monkeypatch.setattr(stage, "check_alone", lambda *_, **__: None)
    monkeypatch.setattr(stage, "find_remains", lambda *_, **__: (scenario, own))
    monkeypatch.setattr(stage, "remove_remains", remove)
    server.script("GET", PRIORITY_CLASSES.path(), listing("9"))
    one = stage_of(tmp_path, canary=False, provider="existing")
    one.open()
    with pytest.raises(CleanupError) as told:
        one.close()
    first, *others = str(told.value).splitlines()
    assert first.split("; ") == [
        *("Queue a: held", f"{CLEAN} takes the rest away"),
        "the Deployment is not ready",
        *("2 things are left", f"{CLEAN} takes them away"),
    ]
    assert others == ["last line of its log", "node one", "node two"]
    assert taken == [scenario.name]
    assert one._left


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (["Queue a: held"], [f"Queue a: held; {CLEAN} takes the rest away"]),
        (
            ["Queue a: held", "b"],
            [f"2 things are left; {CLEAN} takes them away", "Queue a: held", "b"],
        ),
    ],
)
def test_each_thing_that_is_left_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: list[str], told: list[str]
) -> None:
    monkeypatch.setattr(stage, "find_remains", lambda *_, **__: ())
    monkeypatch.setattr(stage, "remove_remains", lambda *_: left)
    one = stage_of(tmp_path, provider="existing")
    with FaultServer(tmp_path) as server:
        one._api = Api.from_kubeconfig(server.kubeconfig)
        with pytest.raises(CleanupError) as error:
            one._sweep()
    assert str(error.value).splitlines() == told


def test_no_world_begins_beside_the_clean_up_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "RESTORE_SECONDS", 0.05 - cleanup.DEADLINE)
    hanging = Hanging(monkeypatch)
    ground = PlayedGround(tmp_path, restore=hanging)
    standing = standing_on(ground, tmp_path)
    first = standing.world("KQ-QTA-01", reproduce="run it")
    first.open()
    with pytest.raises(CleanupError, match=r"^not done within 0.05 s: restore the implementation;"):
        first.close()
    with pytest.raises(EnvironmentBroken, match=r"before has not ended: restore the impl"):
        standing.world("KQ-QTA-02", reproduce="run it")
    hanging.end()
    standing.world("KQ-QTA-02", reproduce="run it").open()
