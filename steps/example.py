"""The governing text's worked example: its manifests, and its two kubectl commands.

The manifests are played as they stand, with namespace, quota, class names and what makes a pod wait
for its slot put in by the harness and nothing else changed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from typing import Any

import yaml
from pytest_bdd import given, parsers, then, when

from queuecheck import resources
from queuecheck.kube import KubeObject
from queuecheck.timeline import HarnessError
from steps.states import events, units
from steps.story import QUOTA_LABEL, Ask, Story

QUOTA = "team-a"
UNIT_COLUMNS = ("phase", "replicas", "reclaimState")
UNIT_JSONPATH = (
    r'{.status.phase}{"\t"}{.status.admissions[0].replicas}{"\t"}'
    r'{.status.admissions[0].reclaimState.replicas}{"\n"}'
)
EVENT_COLUMNS = "REASON:.reason,TYPE:.type,MESSAGE:.message"
KUBECTL_SECONDS = 30
SUBMITTED = parsers.re(r"""the example's Job "(?P<job>[^"]+)" is submitted""")
ADMITTED = parsers.re(r"""the example's Job "(?P<job>[^"]+)" is admitted, its pod not bound""")


@cache
def _manifests() -> tuple[KubeObject, ...]:
    folder = resources.manifests_root() / "examples" / "worked-example"
    return tuple(
        document
        for file in sorted(folder.glob("*.yaml"))
        for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
    )


def _manifest(kind: str, name: str) -> KubeObject:
    for document in _manifests():
        if (document["kind"], document["metadata"]["name"]) == (kind, name):
            return document
    raise HarnessError(f'the worked example has no {kind} "{name}"')


@given("the governing text's example: its quota of 2 cpu and its PriorityClasses")
def make_quota(story: Story) -> None:
    body = _manifest("ElasticQuota", QUOTA)
    story.quotas.apply(QUOTA, {"metadata": _moved(body), "spec": body["spec"]})
    story.quotas.await_queue(QUOTA)


@given(SUBMITTED)
@when(SUBMITTED)
def submit(story: Story, job: str) -> None:
    story.act()
    body = _manifest("Job", job)
    pod = body["spec"]["template"]["spec"]
    value = _manifest("PriorityClass", pod["priorityClassName"])["value"]
    urgent = {**pod, "priorityClassName": story.world.priority_class(value)}
    labels = {**body["metadata"]["labels"], QUOTA_LABEL: story.world.name(QUOTA)}
    story.jobs.asks[job] = Ask(1, pod["containers"][0]["resources"]["requests"]["cpu"])
    story.world.create(
        story.world.resource("Job"),
        {
            **body,
            "metadata": {**_moved(body), "name": job, "labels": labels},
            "spec": {**body["spec"], "template": {"spec": story.world.placed(urgent, job)}},
        },
    )


@given(ADMITTED)
@when(ADMITTED)
def submit_and_admit(story: Story, job: str) -> None:
    submit(story, job)
    story.jobs.await_admission(job)


@then(parsers.re(r'the command for the unit "(?P<unit>[^"]+)" prints:'))
def unit_command_prints(story: Story, unit: str, datatable: list[list[str]]) -> None:
    """Cells that the table does not name are not asserted; "none" is an empty one."""
    heads, row = datatable
    wanted = dict(zip(heads, row, strict=True))
    if wanted["reclaimState"] == "none":
        dequeued = units.dequeued(story.unit(unit), int(wanted["replicas"]))
        story.eventually(dequeued, within="reclaim")
    else:
        marked = units.marked(story.unit(unit), int(wanted["reclaimState"]))
        story.eventually(marked, within="mark")
    printed = _print_unit(story, unit)
    cells = printed.rstrip("\n").split("\t")
    seen = dict(zip(UNIT_COLUMNS, cells, strict=True)) if len(cells) == 3 else {}
    expected = {head: "" if cell == "none" else cell for head, cell in wanted.items()}
    assert expected.items() <= seen.items(), (
        f"the governing text's command for {unit} printed {printed!r}, expected {wanted}"
    )


@then(parsers.re(r'the command for the events of "(?P<unit>[^"]+)" prints the rows:'))
def events_command_prints(story: Story, unit: str, datatable: list[list[str]]) -> None:
    _, *rows = datatable
    for reason, kind in rows:
        state = events.has_event(story.unit(unit), reason=reason, kind=kind)
        story.eventually(state, within="reclaim", since=story.beginning)
    printed = _print_events(story, unit)
    seen = {tuple(line.split(maxsplit=2)[:2]) for line in printed.splitlines()}
    missing = [row for row in rows if tuple(row) not in seen]
    assert not missing, (
        f"the governing text's command for the events of {unit} lacks {missing}:\n{printed}"
    )


def _moved(body: KubeObject) -> dict[str, Any]:
    """The metadata without the namespace, which is the scenario's."""
    return {key: value for key, value in body["metadata"].items() if key != "namespace"}


def _print_unit(story: Story, unit: str) -> str:
    kubectl = shutil.which("kubectl")
    if kubectl is not None:
        return _run(story, kubectl, "get", "queueunit", unit, "-o", f"jsonpath={UNIT_JSONPATH}")
    # The same data from the server; only the printing is not kubectl's.
    found = story.world.api.get(
        story.world.resource("QueueUnit"), unit, namespace=story.world.namespace
    )
    first = next(iter(units.admissions(found)), {})
    replicas = first.get("replicas", "")
    reclaim = (first.get("reclaimState") or {}).get("replicas", "")
    return f"{units.phase(found)}\t{replicas}\t{reclaim}\n"


def _print_events(story: Story, unit: str) -> str:
    selector = f"involvedObject.name={unit}"
    kubectl = shutil.which("kubectl")
    if kubectl is not None:
        return _run(
            story,
            kubectl,
            *("get", "events", "--field-selector", selector),
            *("-o", f"custom-columns={EVENT_COLUMNS}"),
        )
    found = story.world.api.list(
        story.world.resource("Event"), namespace=story.world.namespace, field_selector=selector
    )
    rows = ["REASON TYPE MESSAGE"]
    rows += [f"{each['reason']} {each['type']} {each['message']}" for each in found.items]
    return "\n".join(rows)


def _run(story: Story, kubectl: str, *arguments: str) -> str:
    command = [
        kubectl,
        f"--kubeconfig={story.world.cluster.kubeconfig}",
        *arguments,
        "-n",
        story.world.namespace,
    ]
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=KUBECTL_SECONDS, check=False
    )
    if answer.returncode != 0:
        said = re.sub(r"\s+", " ", answer.stderr).strip()
        raise HarnessError(f"kubectl ended with {answer.returncode}: {said}")
    return answer.stdout
