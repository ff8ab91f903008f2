"""Free ports on loopback, from a range out of which no system takes ports for connections.

A port of that other range, which the kernel would choose, may be lost to any outgoing connection
before the program that is to have it listens there.
"""

import errno
import os
import random
import socket
from collections import deque

from queuecheck.cluster.errors import ClusterError

LOOPBACK = "127.0.0.1"
TAKEN = "address already in use"
RANGE = range(20_000, 30_000)
# The program of one that was chosen so many choices ago listens, or has ended.
HELD = 100
_held: deque[int] = deque()  # descriptors: the kernel takes them back, however we end


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that were free a moment ago; one may be lost again to another.

    Not to another who chooses here: of all processes on the machine, nobody is given one of them
    before its program has had time to listen. Raises ClusterError when there are not so many.
    """
    found: list[int] = []
    why = "end what listens there"
    for port in random.SystemRandom().sample(RANGE, len(RANGE)):
        if len(found) == count:
            break
        try:
            _take(port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                why = f"{error.strerror}, for a socket of TCP or UDP"
        else:
            found.append(port)
    if len(found) < count:
        where = f"{LOOPBACK}:{RANGE.start} to {RANGE.stop - 1}"
        raise ClusterError(f"too few free ports at {where}; {why}")
    return tuple(found)


def _take(port: int) -> None:
    """A datagram socket of the same number keeps others out, and no program from listening.

    Raises OSError where it is taken, or no socket is to be had.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as hold, socket.socket() as probe:
        hold.bind((LOOPBACK, port))
        probe.bind((LOOPBACK, port))
        _held.append(hold.detach())
    while len(_held) > HELD:
        os.close(_held.popleft())
