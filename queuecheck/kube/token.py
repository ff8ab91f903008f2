"""A bearer token in a file, where somebody else renews it before it expires."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config

READ_AGAIN = 60.0
UNSENDABLE = re.compile(rb"[^\x20-\x7e]")


class TokenFile:
    """Gives a client's settings the token of the file, before each request; read once a minute.

    The client library reads that of a kubeconfig a single time, and of a pod's goes by the time of
    day, which may be set back.
    """

    def __init__(self, path: Path, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._steady = steady
        self._read_at = -math.inf

    def __call__(self, settings: kubernetes_client.Configuration) -> None:
        """Raises OSError or ConfigException where there is no token."""
        now = self._steady()
        if now < self._read_at + READ_AGAIN:
            return
        settings.api_key["BearerToken"] = f"Bearer {self.read()}"
        self._read_at = now

    def read(self) -> str:
        """The token as it is now. Raises OSError or ConfigException where there is none."""
        token = self._path.read_bytes().strip()
        if not token:
            raise kubernetes_config.ConfigException(f"the token file {self._path} is empty")
        _check(token, f"the token file {self._path}")
        return token.decode("ascii")


def check_token(settings: kubernetes_client.Configuration, file: Path | None) -> None:
    """Of settings just loaded, whose token is in the file, if any.

    Raises OSError or ConfigException where it could never be sent.
    """
    if file is not None:
        TokenFile(file).read()
    else:
        token = settings.api_key.get("BearerToken", "")
        _check(
            token.removeprefix("Bearer ").encode("utf-8", "surrogatepass"), "the token of the user"
        )


def _check(token: bytes, where: str) -> None:
    """Before it is sent: the error of one that cannot be would have all of it in its words."""
    if UNSENDABLE.search(token):
        raise kubernetes_config.ConfigException(f"{where} is none: a token is one line of ASCII")


def token_file(kubeconfig: Path, context: str | None) -> Path | None:
    """The file in which the context's user has its token. Of a kubeconfig that was just loaded."""
    document = yaml.safe_load(kubeconfig.read_text("utf-8"))
    chosen = _named(document, "context", context or document.get("current-context"))
    name = _named(document, "user", chosen.get("user")).get("tokenFile")
    return kubeconfig.absolute().parent / name if name else None


def tokens_in_files(kubeconfig: dict[str, Any], *, directory: Path) -> Iterator[str]:
    """What the token files of its users have now, as far as they can be read.

    ``directory`` is where the kubeconfig is, from which it names them.
    """
    for entry in kubeconfig.get("users") or []:
        if name := (entry.get("user") or {}).get("tokenFile"):
            with suppress(OSError):
                yield (directory.absolute() / name).read_text("utf-8", "replace").strip()


def _named(document: dict[str, Any], kind: str, name: str | None) -> dict[str, Any]:
    entries = document.get(f"{kind}s") or []
    return next((entry.get(kind) or {} for entry in entries if entry.get("name") == name), {})
