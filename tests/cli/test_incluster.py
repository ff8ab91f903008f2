"""``queuecheck in-cluster``: whatever the run does, its results are handed over."""

from __future__ import annotations

import signal
import sys
import tarfile
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest
import yaml
from click.testing import CliRunner

from queuecheck import resources
from queuecheck.cli import cli, incluster
from queuecheck.cli.incluster import NotInCluster, kubeconfig_of
from queuecheck.implementation.descriptor import parse_descriptor

ENVIRONMENT = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
RUN = """
import os, signal, sys
from pathlib import Path

report = Path(sys.argv[sys.argv.index("--report") + 1])
report.mkdir(parents=True)
kubeconfig = Path(sys.argv[sys.argv.index("--kubeconfig") + 1]).read_text()
print("asked for", sys.argv[-1], "with a token in a file:", "tokenFile" in kubeconfig, flush=True)
if sys.argv[-1] == "wait":
    # Blocked until it is waited for: one that comes just before a pause would not end it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    os.kill(os.getppid(), signal.SIGTERM)
    signal.sigwait([signal.SIGTERM])
    report.joinpath("report.json").write_text("ended early")
    sys.exit(5)
report.joinpath("report.json").write_text("whole")
sys.exit(int(sys.argv[-1]))
"""


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a pod has, and a run that only notes how it was called; its results directory."""
    account = tmp_path / "account"
    account.mkdir()
    (account / "token").write_text("a token", "utf-8")
    (account / "ca.crt").write_text("an authority", "utf-8")
    program = tmp_path / "run.py"
    program.write_text(RUN, "utf-8")
    monkeypatch.setattr(incluster, "ACCOUNT", account)
    monkeypatch.setattr(incluster, "RUN", (sys.executable, str(program)))
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SONOBUOY_RESULTS_DIR", str(tmp_path / "results"))
    return tmp_path / "results"


def play(*words: str) -> int:
    answer = CliRunner().invoke(cli, ["in-cluster", *words], standalone_mode=False)
    assert answer.exception is None
    return int(answer.return_value)


def handed_over(results: Path) -> dict[str, str]:
    """The files of the archive that ``done`` names."""
    archive = Path((results / "done").read_text("utf-8"))
    assert archive == results / "results.tar.gz"
    with tarfile.open(archive) as packed:
        members = {each.name: packed.extractfile(each) for each in packed if each.isfile()}
        return {name: file.read().decode() for name, file in members.items() if file}


@pytest.mark.parametrize("code", [0, 1, 3])
def test_report_and_log_are_handed_over_and_the_exit_code_is_the_runs(pod: Path, code: int) -> None:
    assert play("--id", str(code)) == code
    assert handed_over(pod) == {
        "queuecheck/report.json": "whole",
        "run.log": f"asked for {code} with a token in a file: True\n",
    }
    assert sorted(each.name for each in pod.iterdir()) == [
        *("done", "queuecheck", "results.tar.gz", "run.log")
    ]


def test_a_pod_that_is_asked_to_end_still_hands_over(pod: Path) -> None:
    assert play("--linger", "600", "wait") == 5
    assert handed_over(pod)["queuecheck/report.json"] == "ended early"


class AskedAtOnce(incluster._Run):
    """Its pod is asked to end just when the run's process is known."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "_process" and value is not None:
            self.end(signal.SIGTERM, None)


def test_a_run_hears_once_that_its_pod_is_asked_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Mock(stdout=StringIO(), wait=Mock(return_value=5))
    started = Mock(return_value=process)
    monkeypatch.setattr("queuecheck.cli.incluster.subprocess.Popen", started)
    assert AskedAtOnce()._follow(["queuecheck"], StringIO()) == 5
    assert [name for name, _, _ in process.method_calls] == ["send_signal", "wait"]


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody fetches the archive as soon as it is there."""
    hand_over = incluster.hand_over

    def and_fetch(directory: Path) -> Path:
        archive = hand_over(directory)
        (directory / "fetched").touch()
        return archive

    monkeypatch.setattr(incluster, "hand_over", and_fetch)


@pytest.mark.usefixtures("fetched")
def test_it_lingers_until_the_archive_was_fetched(pod: Path) -> None:
    assert play("--linger", "600", "0") == 0
    assert (pod / "fetched").exists()


def test_what_was_fetched_of_an_earlier_run_does_not_end_the_lingering(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod.mkdir()
    (pod / "fetched").touch()
    waited = []

    def wait(_seconds: float) -> None:
        waited.append((pod / "fetched").exists())
        (pod / "fetched").touch()

    monkeypatch.setattr("queuecheck.cli.incluster.time.sleep", wait)
    assert play("--linger", "600", "0") == 0
    assert waited == [False]


def test_the_report_of_an_earlier_run_is_not_handed_over_again(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert play("0") == 0
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    assert play("0") == 3
    assert set(handed_over(pod)) == {"run.log"}


def test_while_a_run_goes_on_there_is_no_archive(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert play("0") == 0
    look = f"import os; print(sorted(os.listdir({str(pod)!r})))"
    monkeypatch.setattr(incluster, "RUN", (sys.executable, "-c", look))
    assert play() == 0
    assert handed_over(pod) == {"run.log": "['run.log']\n"}


def test_what_no_run_has_handed_over_stays(pod: Path) -> None:
    (pod / "queuecheck").mkdir(parents=True)
    (pod / "queuecheck" / "theirs.py").touch()
    assert play("--selcet") != 0  # the run of these tests makes its own directory, and cannot
    assert (pod / "queuecheck" / "theirs.py").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "x"), "--report: in-cluster sets it itself; --results says where the "),
        (("--id", "0", "--report=x"), "--report: in-cluster sets it itself; --results says "),
        (("--cluster", "kind"), "--cluster: in-cluster sets it itself; the pod's own cluster is"),
        (("--kubeconfig=x",), "--kubeconfig: in-cluster sets it itself; the pod's own cluster "),
        (("--context", "x"), "--context: in-cluster sets it itself; the pod's own cluster is "),
    ],
)
def test_what_is_not_left_to_the_caller_is_refused_and_handed_over(
    pod: Path, words: tuple[str, ...], said: str
) -> None:
    assert play(*words) == 2
    files = handed_over(pod)
    assert list(files) == ["run.log"]
    (line,) = files["run.log"].splitlines()
    assert line.startswith(f"queuecheck: {said}")


@pytest.mark.usefixtures("fetched")
def test_the_log_says_when_results_can_be_fetched_and_for_how_long(pod: Path) -> None:
    told = CliRunner().invoke(cli, ["in-cluster", "--linger", "600", "0"], standalone_mode=False)
    assert told.output.splitlines()[-1] == (
        f"queuecheck: handed over: {pod / 'results.tar.gz'}; the pod stays 600 s, "
        f"or until {pod / 'fetched'}"
    )


def test_outside_a_pod_the_reason_is_handed_over(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    assert play() == 3
    assert handed_over(pod)["run.log"].startswith("queuecheck: this is no pod: ")


def test_a_wrong_option_of_the_run_is_handed_over(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incluster, "RUN", (sys.executable, "-m", "queuecheck", "run"))
    assert play("--selcet", "must") == 2
    assert handed_over(pod)["run.log"].startswith("queuecheck: No such option '--selcet'")


def test_a_kubeconfig_names_the_files_of_the_account(tmp_path: Path) -> None:
    (tmp_path / "token").touch()
    (tmp_path / "ca.crt").touch()
    found = kubeconfig_of({**ENVIRONMENT, "KUBERNETES_SERVICE_HOST": "fd00::1"}, tmp_path)
    assert found["clusters"][0]["cluster"]["server"] == "https://[fd00::1]:443"
    assert found["users"][0]["user"] == {"tokenFile": str(tmp_path / "token")}


def test_an_account_that_is_not_mounted_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotInCluster, match="the pod needs a service account"):
        kubeconfig_of(ENVIRONMENT, tmp_path)


@pytest.mark.parametrize("place", ["implementation.yaml", "sonobuoy/plugin.yaml"])
def test_the_manifests_judge_the_controller_of_ours(place: str) -> None:
    root = resources.manifests_root() / "suite"
    document = yaml.safe_load((root / place).read_text("utf-8"))
    text = (document.get("data") or document.get("config-map"))["implementation.yaml"]
    ours = resources.implementations_root() / "reference-in-cluster.yaml"
    expected = yaml.safe_load(ours.read_text("utf-8"))
    del expected["manifests"]  # in a cluster it is there already
    assert yaml.safe_load(text) == expected
    parse_descriptor(yaml.safe_load(text))


def test_the_job_runs_as_nobody_and_is_heard_out() -> None:
    job = yaml.safe_load((resources.manifests_root() / "suite" / "job.yaml").read_text("utf-8"))
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert job["spec"]["backoffLimit"] == 0
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert pod["terminationGracePeriodSeconds"] >= 60
    mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
    named = [word.partition("=")[2] for word in container["args"] if "=/" in word]
    assert all(any(path.startswith(mount) for mount in mounts) for path in named)
