"""The process that owns a control plane to play with: ``python -m queuecheck.cli.owner NAME``.

Everything of it is a child of this process, or a thread in it. It says ``ready`` on standard output
once; standard error is the log, and its last line is why it ended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack
from types import FrameType

from queuecheck import resources
from queuecheck.cli.playground import Playground
from queuecheck.cluster import ClusterError, LocalCluster
from queuecheck.cluster.credentials import write_private
from queuecheck.implementation import (
    Implementation,
    ImplementationError,
    implement,
    load_descriptor,
)
from queuecheck.kube import Api, ApiError
from queuecheck.world.accounts import lend_rights

SLOT = "play"
SLOT_PODS = 100
LOOK_EVERY = 1.0


def serve(playground: Playground, *, controller: bool) -> None:
    """Until SIGTERM, or the end of the controller."""
    with playground.lock(), ExitStack() as stack:
        playground.owner.write_text(f"{os.getpid()}\n", encoding="utf-8")
        implementation = _bring_up(playground, stack, controller=controller)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        # Whoever waited for this word may be gone before we are.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        while (fate := implementation.alive() if implementation else None) is None:
            time.sleep(LOOK_EVERY)
        sys.stderr.write(f"the controller is gone, so the cluster ends: {fate}\n")


def _bring_up(
    playground: Playground, stack: ExitStack, *, controller: bool
) -> Implementation | None:
    manifests = resources.manifests_root()
    cluster = LocalCluster(playground.name, manifests=(manifests / "crds", manifests / "rbac"))
    stack.callback(cluster.stop)
    cluster.start()
    cluster.nodes.open_slot(SLOT, pods=SLOT_PODS)
    cluster.nodes.run(SLOT)
    api = Api.from_kubeconfig(cluster.kubeconfig, user_agent="queuecheck-cluster")
    stack.callback(api.close)
    implementation = None
    if controller:
        descriptor = load_descriptor(resources.implementations_root() / "reference.yaml")
        lend_rights(api, descriptor)
        implementation = implement(descriptor, cluster, directory=playground.directory)
        stack.callback(implementation.close)
        implementation.start()
    kubeconfig = playground.directory / "kubeconfig"
    write_private(kubeconfig, cluster.kubeconfig.read_text(encoding="utf-8"))
    return implementation


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    """The owner. What goes wrong is the last line on standard error, which is the log."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        serve(Playground(sys.argv[1]), controller="--no-controller" not in sys.argv)
    except BlockingIOError:
        sys.stderr.write("it is already running\n")
        sys.exit(3)
    except (ClusterError, ImplementationError, ApiError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(3)


if __name__ == "__main__":
    main()
