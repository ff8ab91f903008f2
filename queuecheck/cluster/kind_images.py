"""Which node image has which Kubernetes, and which kind can start it.

kind promises that a node image works with the release that it was made for, and says of other
releases that it tries its best. An older kind than that fails late, and in ways that nobody
understands; a newer one has been fine so far. All of it pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from queuecheck.cluster.errors import ClusterError

VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")
TAG = re.compile(r":v(\d+)\.(\d+)\.\d+[^/:@]*(?:@[^/@]+)?$")


@dataclass(frozen=True)
class NodeImage:
    """An image, and the first minor version of kind (0.N) that it was made for."""

    name: str
    kind: int


# By Kubernetes' minor version (1.N): what the releases of kind start by themselves.
NODE_IMAGES: Mapping[int, NodeImage] = {
    37: NodeImage(
        "kindest/node:v1.37.0@sha256:"
        "a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5",
        kind=33,
    ),
    36: NodeImage(
        "kindest/node:v1.36.1@sha256:"
        "3489c7674813ba5d8b1a9977baea8a6e553784dab7b84759d1014dbd78f7ebd5",
        kind=32,
    ),
    35: NodeImage(
        "kindest/node:v1.35.0@sha256:"
        "452d707d4862f52530247495d180205e029056831160e22870e37e3f6c1ac31f",
        kind=31,
    ),
    34: NodeImage(
        "kindest/node:v1.34.0@sha256:"
        "7416a61b42b1662ca6ca89f02028ac133a309a2a30ba309614e8ec94d976dc5a",
        kind=30,
    ),
    33: NodeImage(
        "kindest/node:v1.33.1@sha256:"
        "050072256b9a903bd914c0b2866828150cb229cea0efe5892e2b644d5dd3b34f",
        kind=29,
    ),
}


def image_of(kubernetes: str) -> str:
    """The node image for a version such as ``1.36``. Raises ClusterError."""
    found = VERSION.fullmatch(kubernetes)
    known = ", ".join(f"1.{minor}" for minor in sorted(NODE_IMAGES))
    if found is None or found[1] != "1" or int(found[2]) not in NODE_IMAGES:
        raise ClusterError(
            f"--kind-kubernetes {kubernetes}: no node image is known for it, but for {known}; "
            f"name one by --kind-image"
        )
    image = NODE_IMAGES[int(found[2])].name
    if found[3] is not None and f":v1.{found[2]}.{found[3]}@" not in image:
        raise ClusterError(
            f"--kind-kubernetes {kubernetes}: the node image known for 1.{found[2]} is "
            f"{image.partition('@')[0]}; name another by --kind-image"
        )
    return image


def kind_version(text: str) -> tuple[int, int]:
    """What ``kind version`` says, as numbers. Raises ClusterError."""
    found = VERSION.search(text)
    if found is None:
        raise ClusterError(f"kind says of its version {text.strip()!r}, and no number")
    return int(found[1]), int(found[2])


def too_old(version: tuple[int, int], image: str) -> str:
    """Why this kind cannot start the image, in a sentence; "" if it can, or nobody knows."""
    found = TAG.search(image)
    if found is None or found[1] != "1":
        return ""
    minor = int(found[2])
    known = [each for each in sorted(NODE_IMAGES) if each <= minor]
    if not known:
        return ""
    needed = NODE_IMAGES[known[-1]].kind
    if version >= (0, needed):
        return ""
    mine = f"v{version[0]}.{version[1]}"
    return (
        f"kind {mine} is too old for the node image {image.partition('@')[0]}, which needs "
        f"v0.{needed}: install a newer kind, or take an older Kubernetes by --kind-kubernetes"
    )
