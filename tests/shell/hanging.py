"""The controller with little patience, and with decisions on Jobs that never return.

The time-outs of its watches are short, so that only what really hangs is silent for too long.
"""

import threading
from functools import partial
from typing import Any

from controller.shell import component, signs
from controller.shell.flags import start
from controller.shell.ledgers import JobWork
from queuecheck.kube import ListWatch


def never(*_: Any) -> Any:
    threading.Event().wait()


signs.LONGEST_SILENCE = 3.0
component.ListWatch = partial(  # type: ignore[attr-defined,assignment]
    ListWatch, read_timeout=1.0, retry_delays=(0.01, 0.02)
)
JobWork.step = never  # type: ignore[method-assign,assignment]
start()
