"""What is wrong with the options or the cluster: one clear line, and nothing written."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from queuecheck import resources
from queuecheck.cluster import LocalCluster, apply_manifests, read_manifests
from queuecheck.cluster.choice import ClusterChoice
from queuecheck.cluster.kubeconfig import as_token, read_context, write
from queuecheck.cluster.ports import free_ports
from queuecheck.implementation import packaged_descriptor
from queuecheck.kube import Api, KubeconfigError, KubeObject, NotFound
from queuecheck.kube.resource import SERVICE_ACCOUNTS
from queuecheck.world.examination import examine
from tests.existing.listing import changes, listing
from tests.existing.somebodys import CONTEXT, QUEUECHECK, Somebodys, answer, play, token

NEVER_GUESSED = "which cluster is written to is never guessed"
ONE_AT_A_TIME = "one implementation, so one at a time is played"
REFERENCE = packaged_descriptor("reference")


def choice(kubeconfig: Path, *, nodes: str = "simulated") -> ClusterChoice:
    return ClusterChoice("existing", kubeconfig, CONTEXT, nodes)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            (),
            f"--cluster existing needs --kubeconfig FILE and --context NAME too: {NEVER_GUESSED}",
        ),
        (
            ("--kubeconfig", "kc.yaml"),
            f"--cluster existing needs --context NAME too: {NEVER_GUESSED}",
        ),
        (
            ("--context", "c", "--kubeconfig", "kc.yaml", "-j", "2"),
            f"-j 2: all scenarios on an existing cluster share {ONE_AT_A_TIME}",
        ),
        (
            ("--context", "c", "--kubeconfig", "kc.yaml"),
            "kubeconfig {cwd}/kc.yaml: No such file or directory",
        ),
    ],
)
def test_options_that_do_not_name_a_cluster(words: tuple[str, ...], line: str) -> None:
    answer = play([*QUEUECHECK, "run", "--cluster", "existing", *words])
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == f"queuecheck: {line.format(cwd=resources.CHECKOUT)}\n"


def test_a_context_that_is_not_there(somebodys: Somebodys) -> None:
    wanted = replace(choice(somebodys.suite), context="staging")
    with pytest.raises(KubeconfigError) as told:
        examine(wanted, REFERENCE)
    assert str(told.value) == (
        f"kubeconfig {somebodys.suite}: there is no context 'staging'; there is {CONTEXT}"
    )


def test_a_server_that_is_not_there(somebodys: Somebodys, tmp_path: Path) -> None:
    document = read_context(somebodys.suite, CONTEXT)
    (port,) = free_ports(1)
    document["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{port}"
    file = write(document, tmp_path / "dead")
    answer = play(somebodys.queuecheck("run", kubeconfig=file))
    assert (answer.returncode, answer.stdout) == (3, "")
    assert answer.stderr == (
        f"queuecheck: cluster {CONTEXT} at https://127.0.0.1:{port} does not answer: "
        "[Errno 111] Connection refused; is it running, and is it the one you mean?\n"
    )


def test_a_user_that_the_server_does_not_know(somebodys: Somebodys, tmp_path: Path) -> None:
    document = as_token(read_context(somebodys.suite, CONTEXT), "nobodys-token")
    findings = examine(choice(write(document, tmp_path / "nobodys")), REFERENCE)
    (problem,) = findings.problems
    assert problem.endswith("refuses the context's user: Unauthorized")


def test_a_user_without_rights_is_told_all_of_them_at_once(
    somebodys: Somebodys, tmp_path: Path
) -> None:
    before = listing(somebodys.admin)
    body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}}
    somebodys.admin.create(SERVICE_ACCOUNTS, body, namespace="default")
    document = as_token(
        read_context(somebodys.suite, CONTEXT), token(somebodys.admin, "default", "nobody")
    )
    answer = play(
        somebodys.queuecheck(
            "run", "--nodes", "simulated", kubeconfig=write(document, tmp_path / "nobody")
        )
    )
    somebodys.admin.delete(SERVICE_ACCOUNTS, "nobody", namespace="default")
    assert (answer.returncode, answer.stdout) == (3, "")
    (line,) = answer.stderr.splitlines()
    for right in (
        "create, delete, get, list and watch namespaces;",
        "patch queueunits.scheduling.x-k8s.io/status;",
        "create serviceaccounts/token extension in koord-queue",
        "create, delete, list and patch nodes;",
    ):
        assert right in line
    assert line.endswith(". The roles in manifests/suite-rbac allow all that the suite needs")
    assert changes(before, listing(somebodys.admin)) == []


@pytest.fixture
def others_quota(somebodys: Somebodys) -> Iterator[None]:
    """Somebody has one, who does not expect the suite to come."""
    quota = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "research"},
        "spec": {"max": {"cpu": "1"}},
    }
    quotas = REFERENCE.profile.quotas
    somebodys.admin.create(quotas, quota, namespace="default")
    yield
    somebodys.admin.delete(quotas, "research", namespace="default")
    with suppress(NotFound):  # an implementation that was played has made it, and is gone
        somebodys.admin.delete(REFERENCE.profile.queues, "research", namespace="koord-queue")


@pytest.mark.usefixtures("others_quota")
def test_others_queues_are_not_written_beside_without_asking(somebodys: Somebodys) -> None:
    before = listing(somebodys.admin)
    answer = play(somebodys.queuecheck("run", "--nodes", "simulated"))
    assert changes(before, listing(somebodys.admin)) == []
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.splitlines()[1:] == [
        "queuecheck: the cluster has what is not ours: 1 ElasticQuota (default/research)",
        "queuecheck: nothing was written: say --yes to go on all the same",
    ]


@pytest.mark.usefixtures("others_quota")
@pytest.mark.parametrize("keys", [b"n\n", b"\n", b"\x04", b"\x03"], ids=["n", "enter", "end", "^C"])
def test_whoever_does_not_say_yes_in_a_terminal_keeps_the_cluster_as_it_is(
    somebodys: Somebodys, keys: bytes
) -> None:
    before = listing(somebodys.admin)
    code, lines = answer(
        somebodys.queuecheck("run", "--nodes", "simulated"), "Write to this cluster? [y/N]: ", keys
    )
    assert changes(before, listing(somebodys.admin)) == []
    assert code == 2
    assert lines[-1] == "queuecheck: nothing was written"


@pytest.mark.usefixtures("others_quota")
def test_whoever_says_yes_in_a_terminal_has_the_scenarios_played(
    somebodys: Somebodys, tmp_path: Path
) -> None:
    where = ("--nodes", "simulated", "--report", str(tmp_path))
    words = somebodys.queuecheck("run", *where, "--id", "KQ-SEQ-02")
    code, lines = answer(words, "Write to this cluster? [y/N]: ", b"y\n")
    assert code == 0, lines
    assert "selection passed" in "\n".join(lines)


def test_a_cluster_without_kubelets_needs_simulated_nodes(somebodys: Somebodys) -> None:
    findings = examine(choice(somebodys.suite, nodes="real"), REFERENCE)
    (problem,) = findings.problems
    assert problem == (
        "the cluster has no ready node with a kubelet; with --nodes simulated the suite adds nodes "
        "without machines and plays their kubelet"
    )


@pytest.fixture(scope="module")
def bare() -> Iterator[LocalCluster]:
    cluster = LocalCluster(CONTEXT)
    cluster.start()
    yield cluster
    cluster.stop()


def test_definitions_that_are_missing_or_old(bare: LocalCluster, tmp_path: Path) -> None:
    wanted = choice(bare.kubeconfig)
    assert examine(wanted, REFERENCE).problems == tuple(
        f"the cluster has no {kind} ({version}): install the implementation's definitions first"
        for kind, version in (
            ("ElasticQuota", "scheduling.sigs.k8s.io/v1alpha1"),
            ("QueueUnit", "scheduling.x-k8s.io/v1alpha1"),
            ("Queue", "scheduling.x-k8s.io/v1alpha1"),
        )
    )
    old = [without_allocation_time(each) for each in read_manifests(crds())]
    file = tmp_path / "old.yaml"
    file.write_text(yaml.safe_dump_all(old), encoding="utf-8")
    api = Api.from_kubeconfig(bare.kubeconfig)
    apply_manifests(api, file)
    problem = (
        "the cluster's definition of QueueUnit is an older one and drops status.lastAllocateTime: "
        "update queueunits.scheduling.x-k8s.io"
    )
    # The server publishes schemas some time after it takes definitions, and nothing tells when.
    asked = threading.Event()
    for _ in range(100):
        found = examine(wanted, REFERENCE).problems
        if not any("publish" in each for each in found):
            break
        asked.wait(0.2)
    api.close()
    assert found == (problem,)


def test_an_implementation_that_is_not_installed(somebodys: Somebodys) -> None:
    elsewhere = replace(REFERENCE, queue_namespace="elsewhere")
    findings = examine(choice(somebodys.cluster.kubeconfig), elsewhere)
    (problem,) = findings.problems
    assert problem == (
        "the cluster has no namespace elsewhere, where reference 0.1.0 has its queues: "
        "install the implementation first"
    )


def crds() -> Path:
    return resources.manifests_root() / "crds"


def without_allocation_time(definition: KubeObject) -> KubeObject:
    changed = copy.deepcopy(definition)
    for version in changed["spec"]["versions"]:
        status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
        status.pop("lastAllocateTime", None)
    return changed
