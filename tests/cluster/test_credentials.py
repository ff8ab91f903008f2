"""Keys, tokens and kubeconfigs: private, complete, unlike each other."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import yaml

from queuecheck.cluster.credentials import (
    P256_ORDER,
    User,
    write_kubeconfig,
    write_private,
    write_signing_key,
    write_tokens,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def scalar(path: Path) -> int:
    der = base64.b64decode("".join(path.read_text().splitlines()[1:-1]))
    assert len(der) == 2 + der[1]
    return int.from_bytes(der[7:39], "big")


def test_a_signing_key_is_private_new_each_time_and_within_the_curve(tmp_path: Path) -> None:
    keys = [scalar(write_signing_key(tmp_path / "key")) for _ in range(20)]
    assert mode(tmp_path / "key") == 0o600
    assert len(set(keys)) == 20
    assert all(0 < key < P256_ORDER for key in keys)


def test_a_private_file_does_not_keep_the_mode_of_one_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(mode=0o644)
    write_private(path, "secret")
    assert mode(path) == 0o600
    assert path.read_text() == "secret"


def test_tokens_are_one_line_for_each_user(tmp_path: Path) -> None:
    users = [User("a", "t1", ("g1", "g2")), User("b", "t2")]
    path = write_tokens(tmp_path / "tokens", users)
    assert mode(path) == 0o600
    assert path.read_text() == 't1,a,a,"g1,g2"\nt2,b,b,""\n'


def test_no_two_users_have_one_token() -> None:
    assert User.new("a").token != User.new("a").token


def test_a_kubeconfig_needs_no_other_file(tmp_path: Path) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_text("certificate")
    path = write_kubeconfig(
        tmp_path / "config",
        server="https://127.0.0.1:1",
        authority=authority,
        user=User("a", "t1"),
        name="play",
    )
    assert mode(path) == 0o600
    content = yaml.safe_load(path.read_text())
    cluster = content["clusters"][0]["cluster"]
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"certificate"
    assert content["current-context"] == content["contexts"][0]["name"] == "play"
