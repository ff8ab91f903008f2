"""Keys, tokens and kubeconfigs of one control plane, all of mode 0600.

The API server makes its own certificate authority and serving certificate; users prove themselves
by random tokens. The one key that must exist beforehand signs service account tokens. It is a
P-256 key in SEC 1 form *without* its public half, which the readers of such a file compute: so a
random number in a fixed frame is a whole key, and neither a cryptography package nor an openssl
program is needed.
"""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# SEQUENCE { INTEGER 1, OCTET STRING (32 bytes follow) … [0] OBJECT IDENTIFIER prime256v1 }
SEC1_HEAD = bytes.fromhex("30310201010420")
SEC1_TAIL = bytes.fromhex("a00a06082a8648ce3d030107")


@dataclass(frozen=True)
class User:
    """Somebody the API server knows. Without groups, RBAC alone says what they may do."""

    name: str
    token: str
    groups: tuple[str, ...] = ()

    @classmethod
    def new(cls, name: str, *groups: str) -> User:
        """A user with a token that nobody can guess."""
        return cls(name, secrets.token_urlsafe(32), groups)


def write_private(path: Path, content: str) -> Path:
    """Writes a file that only its owner can read, from its first byte on."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
    return path


def write_signing_key(path: Path) -> Path:
    """A new P-256 private key, PEM."""
    scalar = 1 + secrets.randbelow(P256_ORDER - 1)
    der = SEC1_HEAD + scalar.to_bytes(32, "big") + SEC1_TAIL
    body = base64.b64encode(der).decode("ascii")
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    pem = ["-----BEGIN EC PRIVATE KEY-----", *lines, "-----END EC PRIVATE KEY-----", ""]
    return write_private(path, "\n".join(pem))


def write_tokens(path: Path, users: Iterable[User]) -> Path:
    """The API server's token file: token, name, uid, groups."""
    rows = (f'{user.token},{user.name},{user.name},"{",".join(user.groups)}"\n' for user in users)
    return write_private(path, "".join(rows))


def write_kubeconfig(path: Path, *, server: str, authority: Path, user: User, name: str) -> Path:
    """A kubeconfig with one context, complete in itself: it may be copied elsewhere."""
    certificate = base64.b64encode(authority.read_bytes()).decode("ascii")
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [
            {
                "name": name,
                "cluster": {"server": server, "certificate-authority-data": certificate},
            }
        ],
        "contexts": [{"name": name, "context": {"cluster": name, "user": user.name}}],
        "users": [{"name": user.name, "user": {"token": user.token}}],
    }
    return write_private(path, yaml.safe_dump(document, sort_keys=False))
