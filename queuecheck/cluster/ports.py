"""Free ports on loopback, chosen by the kernel."""

import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"
TAKEN = "address already in use"


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that were free a moment ago; one may be lost again to another."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return tuple(int(each.getsockname()[1]) for each in sockets)
