"""The whole controller against a real control plane, its components as their own users."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from controller.shell.kinds import ELASTIC_QUOTAS, QUEUE_UNITS, QUEUES
from queuecheck import resources
from queuecheck.cluster import LocalCluster
from queuecheck.kube import AlreadyExists, Api, KubeObject, Resource
from queuecheck.kube.resource import EVENTS, JOBS, LEASES, PRIORITY_CLASSES
from tests.shell.program import History, Program, running

RBAC = "rbac.authorization.k8s.io"
CLUSTER_BINDINGS = Resource(RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", False)
BINDINGS = Resource(RBAC, "v1", "rolebindings", "RoleBinding")
COMPONENTS = {"queue": "queue-component", "extension": "extension-component"}
QUOTA_LABEL = "quota.scheduling.koordinator.sh/name"
UNHURRIED = Path(__file__).with_name("unhurried.py")
EXAMPLE = resources.manifests_root() / "examples" / "worked-example"


@pytest.fixture(scope="session")
def roles(installed: Api) -> None:
    """The components' users have the rights of their service accounts, and no more."""
    for component, user in COMPONENTS.items():
        role = f"koord-queue-{component}"
        subject = {"kind": "User", "name": user, "apiGroup": RBAC}
        for resource, kind, namespace in (
            (CLUSTER_BINDINGS, "ClusterRole", None),
            (BINDINGS, "Role", "koord-queue"),
        ):
            body = {
                "metadata": {"name": f"{role}-tests"},
                "roleRef": {"kind": kind, "name": role, "apiGroup": RBAC},
                "subjects": [subject],
            }
            installed.create(resource, body, namespace=namespace)


@pytest.fixture
def units(installed: Api, namespace: str) -> Iterator[History]:
    history = History(installed, QUEUE_UNITS, namespace)
    yield history
    history.close()


@pytest.fixture
def events(installed: Api, namespace: str) -> Iterator[History]:
    history = History(installed, EVENTS, namespace)
    yield history
    history.close()


def example(name: str, namespace: str) -> KubeObject:
    """A manifest of the worked example, played in ``namespace`` with a quota of that name."""
    text = next(EXAMPLE.glob(f"*{name}*")).read_text()
    text = text.replace("team-a", namespace).replace(
        "namespace: default", f"namespace: {namespace}"
    )
    return next(document for document in yaml.safe_load_all(text) if document)


@pytest.fixture
def quota(installed: Api, namespace: str) -> str:
    text = next(EXAMPLE.glob("*priorityclasses*")).read_text()
    for document in yaml.safe_load_all(text):
        with suppress(AlreadyExists):
            installed.create(PRIORITY_CLASSES, document)
    installed.create(ELASTIC_QUOTAS, example("elasticquota", namespace), namespace=namespace)
    return namespace


@pytest.fixture
def components(control_plane: LocalCluster, roles: None) -> Iterator[dict[str, Program]]:
    with ExitStack() as stack:
        yield {
            component: stack.enter_context(running(control_plane.kubeconfig_for(user), component))
            for component, user in COMPONENTS.items()
        }


def held(unit: KubeObject) -> int:
    admissions = unit.get("status", {}).get("admissions") or ()
    return sum(int(entry.get("replicas", 0)) for entry in admissions)


def mark(unit: KubeObject) -> int:
    admissions = unit.get("status", {}).get("admissions") or ()
    return sum(int(entry.get("reclaimState", {}).get("replicas", 0)) for entry in admissions)


def phase(unit: KubeObject) -> Any:
    return unit.get("status", {}).get("phase")


def version(state: KubeObject) -> int:
    return int(state["metadata"]["resourceVersion"])


def submit(api: Api, name: str, namespace: str) -> None:
    api.create(JOBS, example(name, namespace), namespace=namespace)


def submit_fence(api: Api, namespace: str) -> None:
    """Whatever was still to be decided comes before what is created now: a Job of its own quota."""
    quota = example("elasticquota", f"{namespace}-fence")
    quota["metadata"]["namespace"] = namespace
    api.create(ELASTIC_QUOTAS, quota, namespace=namespace)
    job = example("low", namespace)
    job["metadata"] |= {"name": "fence", "labels": {QUOTA_LABEL: f"{namespace}-fence"}}
    api.create(JOBS, job, namespace=namespace)


def told(events: History, name: str) -> list[str]:
    """The reason of each event about the unit of that name."""
    by_name = {event["metadata"]["name"]: event for event in events.states}
    about = {key: event["involvedObject"] for key, event in by_name.items()}
    return [
        event["reason"]
        for key, event in by_name.items()
        if (about[key]["kind"], about[key]["name"]) == ("QueueUnit", name)
    ]


def assert_as_written(units: History, events: History) -> None:
    """The four states of the governing text, in its order, and the pair of events."""
    units.latest("high-priority-job", lambda unit: phase(unit) == "Dequeued" and held(unit) == 1)
    low = units.of("low-priority-job")
    admitted = next(one for one in low if phase(one) == "Dequeued" and held(one) and not mark(one))
    marked = next(one for one in low if mark(one) == 1)
    message = "Waiting job extension to reclaim resources."
    assert any(mark(one) and one["status"]["message"] == message for one in low)
    released = next(
        one for one in low if version(one) > version(marked) and not held(one) and not mark(one)
    )
    high = next(one for one in units.of("high-priority-job") if held(one))
    versions = [version(one) for one in (admitted, marked, released, high)]
    assert versions == sorted(versions)
    events.wait_for(lambda: "Reclaimed" in told(events, "low-priority-job"))
    assert told(events, "low-priority-job").count("Reclaimed") == 1
    assert told(events, "low-priority-job").count("Preempted") == 1


def holder(api: Api, component: str) -> Any:
    found = api.get(LEASES, f"koord-queue-{component}", namespace="koord-queue")
    return found["spec"].get("holderIdentity")


def assert_no_complaint(program: Program) -> None:
    assert [line for line in program.lines if " error " in line or " warning " in line] == []


def test_the_worked_example_ends_as_written_with_the_least_rights(
    installed: Api, components: dict[str, Program], units: History, events: History, quota: str
) -> None:
    for program in components.values():
        program.ready()
    submit(installed, "low", quota)
    units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
    submit(installed, "high", quota)
    assert_as_written(units, events)
    units.latest("low-priority-job", lambda unit: phase(unit) == "Enqueued" and not held(unit))
    for program in components.values():
        assert_no_complaint(program)
    queue = installed.get(QUEUES, quota, namespace="koord-queue")
    assert queue["spec"]["queuePolicy"] == "Priority"


@pytest.mark.parametrize(
    ("component", "moment"),
    [
        ("queue", "after the mark"),
        ("extension", "before the mark"),
        ("extension", "after the mark"),
    ],
)
def test_a_component_killed_in_the_middle_and_started_again_ends_as_written(  # noqa: PLR0917
    installed: Api,
    control_plane: LocalCluster,
    components: dict[str, Program],
    units: History,
    quota: str,
    events: History,
    component: str,
    moment: str,
) -> None:
    for program in components.values():
        program.ready()
    submit(installed, "low", quota)
    units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
    if moment == "before the mark":
        components[component].kill()
        submit(installed, "high", quota)
    else:
        submit(installed, "high", quota)
        units.wait_for(lambda: any(map(mark, units.of("low-priority-job"))))
        components[component].kill()
    with running(control_plane.kubeconfig_for(COMPONENTS[component]), component):
        assert_as_written(units, events)


def test_both_components_run_in_one_process_until_they_are_asked_to_stop(
    installed: Api, control_plane: LocalCluster, units: History, quota: str
) -> None:
    flags = ("--leader-elect", "--identity=both")
    with running(control_plane.kubeconfig, "all", *flags, words=(str(UNHURRIED),)) as program:
        submit(installed, "low", quota)
        units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
        assert [holder(installed, name) for name in COMPONENTS] == ["both", "both"]
        assert program.end(signal.SIGTERM) == 0
    assert [holder(installed, name) for name in COMPONENTS] == [None, None]
    assert_no_complaint(program)


def test_nothing_is_written_while_nothing_happens(
    installed: Api, components: dict[str, Program], units: History, events: History, quota: str
) -> None:
    for program in components.values():
        program.ready()
    submit(installed, "low", quota)
    units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
    submit(installed, "high", quota)
    assert_as_written(units, events)
    units.latest("low-priority-job", lambda unit: "limited quotaName" in unit["status"]["message"])
    written = [version(one) for one in units.states]
    submit_fence(installed, quota)
    units.latest("fence", lambda unit: phase(unit) == "Dequeued")
    others = [one for one in units.states if one["metadata"]["name"] != "fence"]
    assert [version(one) for one in others] == written


# Shorter than usual, and long enough for a leader on a busy machine to remain one.
ELECTION = (
    "--leader-elect-lease-duration=8s",
    "--leader-elect-renew-deadline=5s",
    "--leader-elect-retry-period=300ms",
)


@pytest.mark.parametrize(
    ("end", "change"), [("killed", "after its lease"), ("asked to stop", "at once")]
)
def test_of_two_copies_one_decides_and_the_other_takes_over(  # noqa: PLR0917
    installed: Api,
    control_plane: LocalCluster,
    roles: None,
    units: History,
    quota: str,
    end: str,
    change: str,
) -> None:
    kubeconfigs = {name: control_plane.kubeconfig_for(user) for name, user in COMPONENTS.items()}
    with ExitStack() as stack:
        stack.enter_context(running(kubeconfigs["extension"], "extension"))
        first = stack.enter_context(running(kubeconfigs["queue"], "queue", *ELECTION))
        first.line("leads, as ")
        second = stack.enter_context(running(kubeconfigs["queue"], "queue", *ELECTION))
        second.ready().line("waits for the lease of ")
        submit(installed, "low", quota)
        units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
        assert not any("patch" in line or "write done" in line for line in second.lines)
        first.kill() if end == "killed" else first.end()
        second.line("leads, as ")
        submit(installed, "high", quota)
        units.latest("high-priority-job", lambda unit: phase(unit) == "Dequeued")
        found = installed.get(LEASES, "koord-queue-queue", namespace="koord-queue")
        assert second.line("leads, as (\\S+)")[1] == found["spec"]["holderIdentity"]
        assert second.end() == 0
    assert_no_complaint(second)


def test_a_leader_that_was_frozen_writes_no_more_when_another_leads(
    installed: Api, control_plane: LocalCluster, roles: None, units: History, quota: str
) -> None:
    kubeconfigs = {name: control_plane.kubeconfig_for(user) for name, user in COMPONENTS.items()}
    with ExitStack() as stack:
        stack.enter_context(running(kubeconfigs["extension"], "extension"))
        first = stack.enter_context(running(kubeconfigs["queue"], "queue", *ELECTION))
        led = first.ready().place("leads, as ")
        submit_fence(installed, quota)
        # What it writes is in its log when it was answered: nothing is under way any more.
        first.line(rf"write done: the unit is admitted object=\"QueueUnit {quota}/fence\"")
        second = stack.enter_context(running(kubeconfigs["queue"], "queue", *ELECTION))
        second.ready()
        first.send(signal.SIGSTOP)
        submit(installed, "low", quota)
        units.latest("low-priority-job", lambda unit: phase(unit) == "Dequeued")
        first.send(signal.SIGCONT)
        thawed = first.place("waits for the lease of ", after=led)
        first.line("leads no longer")
        submit(installed, "high", quota)
        units.latest("high-priority-job", lambda unit: phase(unit) == "Dequeued")
        assert not any("write done" in line for line in first.lines[thawed:])
        second.end()
