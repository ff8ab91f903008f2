"""One context out of somebody's kubeconfig."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from queuecheck.cluster.kubeconfig import as_token, only, read_context
from queuecheck.kube import KubeconfigError

DIRECTORY = Path("/home/somebody/.kube")
DOCUMENT: dict[str, Any] = {
    "current-context": "production",
    "contexts": [
        {"name": "production", "context": {"cluster": "prod", "user": "root"}},
        {"name": "staging", "context": {"cluster": "stage", "user": "me", "namespace": "mine"}},
        {"name": "broken", "context": {"cluster": "gone", "user": "me"}},
    ],
    "clusters": [
        {"name": "prod", "cluster": {"server": "https://prod"}},
        {"name": "stage", "cluster": {"server": "https://stage", "certificate-authority": "ca"}},
    ],
    "users": [
        {"name": "root", "user": {"token": "secret"}},
        {"name": "me", "user": {"client-key": "me.key", "exec": {"command": "./login"}}},
    ],
}


def test_nothing_of_another_context_is_left() -> None:
    found = only(DOCUMENT, "staging", directory=DIRECTORY)
    assert found["current-context"] == "staging"
    assert [each["name"] for each in found["contexts"]] == ["staging"]
    assert "prod" not in yaml.safe_dump(found)
    assert "secret" not in yaml.safe_dump(found)


def test_files_are_found_from_wherever_it_is_read() -> None:
    found = only(DOCUMENT, "staging", directory=DIRECTORY)
    assert found["clusters"][0]["cluster"]["certificate-authority"] == str(DIRECTORY / "ca")
    user = found["users"][0]["user"]
    assert user == {
        "client-key": str(DIRECTORY / "me.key"),
        "exec": {"command": str(DIRECTORY / "login")},
    }


def test_the_current_context_is_never_taken_for_a_missing_one() -> None:
    with pytest.raises(KubeconfigError, match="no context 'qa'; there is production, staging"):
        only(DOCUMENT, "qa", directory=DIRECTORY)


def test_a_context_without_its_cluster_is_refused() -> None:
    with pytest.raises(KubeconfigError, match="no cluster 'gone'; there is prod, stage"):
        only(DOCUMENT, "broken", directory=DIRECTORY)


def test_a_token_takes_the_place_of_all_that_the_user_was_known_by() -> None:
    found = as_token(only(DOCUMENT, "staging", directory=DIRECTORY), "theirs")
    assert found["users"] == [{"name": "me", "user": {"token": "theirs"}}]
    assert found["clusters"][0]["cluster"]["server"] == "https://stage"


@pytest.mark.parametrize("content", ["", "[]", "a: [", "contexts: 3", "\x00"])
def test_what_is_no_kubeconfig_is_refused_in_a_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "config"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(KubeconfigError) as told:
        read_context(file, "staging")
    assert str(told.value).startswith(f"kubeconfig {file}")
    assert "\n" not in str(told.value)
