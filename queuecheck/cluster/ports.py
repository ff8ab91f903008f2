"""Free ports on loopback, from a range out of which no system takes ports for connections.

A port of that other range, which the kernel would choose, may be lost to any outgoing connection
before the program that is to have it listens there.
"""

import random
import socket

from queuecheck.cluster.errors import ClusterError

LOOPBACK = "127.0.0.1"
TAKEN = "address already in use"
RANGE = range(20_000, 30_000)


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that were free a moment ago; one may be lost again to another.

    Raises ClusterError when there are not so many.
    """
    found: list[int] = []
    for port in random.SystemRandom().sample(RANGE, len(RANGE)):
        if len(found) == count:
            break
        if _is_free(port):
            found.append(port)
    if len(found) < count:
        where = f"{LOOPBACK}:{RANGE.start} to {RANGE.stop - 1}"
        raise ClusterError(f"too few free ports at {where}; end what listens there")
    return tuple(found)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
