"""The reference controller, different but right: ``variant.py VARIANT [flags of the controller]``.

A suite that fails one of these asserts more than its requirement. Each variant changes what the
governing text leaves open; none of them is shipped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

POLL_SECONDS = 1.0
# Shorter than the job extension takes to deal with the first mark.
BETWEEN_MARKS = 0.02


def other_words() -> None:
    """Messages, events and log lines in words of its own, where no MUST names them."""
    words = {
        "ADMITTED_MESSAGE": "admitted: there was room",
        "NO_MORE_MESSAGE": "others of this queue have been admitted, none of them runs yet",
        "WAITING_PREFIX": "taking back what these hold: [",
        "SUCCEED_SUFFIX": " (taking it back from others)",
        "FAILED_SUFFIX": " (taking it back from others failed)",
        "GATE_OFF_ERROR": "nothing is taken back: no gate",
        "PREEMPTION_OFF_ERROR": "nothing is taken back: switched off",
        "NO_VICTIMS_ERROR": "nobody to take it back from",
        "INTELLIGENT_ERROR": "Intelligent queues take nothing back",
    }
    from controller.core import vocabulary  # noqa: PLC0415

    for word, text in words.items():
        honest = getattr(vocabulary, word)
        for module in list(sys.modules.values()):
            # Modules have taken the words over by name.
            if module.__name__.startswith("controller.") and getattr(module, word, None) == honest:
                setattr(module, word, text)
    from controller.core import attempt, model, quota_filter, unit_events  # noqa: PLC0415

    refusal = quota_filter.Room.refusal

    def refused(self: quota_filter.Room, unit: model.Unit) -> str:
        text = refusal(self, unit)
        return text and "too little left: " + text.replace("limited ", "").rstrip(",")

    quota_filter.Room.refusal = refused  # type: ignore[method-assign]
    for name in ("scheduled", "preempted", "reclaimed"):
        event = getattr(unit_events, name)

        def told(*args: object, _honest: Callable[..., object] = event) -> object:
            return replace(_honest(*args), message="see the unit")  # type: ignore[type-var]

        for module in list(sys.modules.values()):
            if getattr(module, name, None) is event:
                setattr(module, name, told)
    log = attempt._log
    attempt._log = lambda message, unit, **fields: log(f"decision: {message}", unit, **fields)


def one_after_the_other() -> None:
    """A round marks its victims singly, with a pause between them, the highest first."""
    from controller.shell.executor import Executor  # noqa: PLC0415

    def singly(self: Executor, preempt, queue, refusals) -> None:  # type: ignore[no-untyped-def]
        victims = 0
        for mark, told in reversed(list(zip(preempt.marks, preempt.marked, strict=True))):
            if victims:
                time.sleep(BETWEEN_MARKS)  # it is the difference itself
            if self._attempt(mark, refusals):
                victims += 1
                self._run((*mark.then, *told), queue, refusals)
        if victims:
            self._metrics.marked(queue, victims)
        self._run(preempt.succeeded if victims else preempt.failed, queue, refusals)

    Executor._preempt = singly  # type: ignore[method-assign]


def polls() -> None:
    """It lists every kind once a second, and watches nothing."""
    from controller.shell import component  # noqa: PLC0415
    from queuecheck.kube import ApiError, Interrupted, ListWatch, WatchItem  # noqa: PLC0415

    class Polling(ListWatch):
        def __iter__(self) -> Iterator[WatchItem]:
            while not self._stopped.is_set():
                try:
                    yield self.list()
                except ApiError as error:
                    yield Interrupted(str(error))
                self._stopped.wait(POLL_SECONDS)

    component.ListWatch = Polling  # type: ignore[attr-defined]


VARIANTS: dict[str, Callable[[], None]] = {
    variant.__name__.replace("_", "-"): variant
    for variant in (other_words, one_after_the_other, polls)
}

if __name__ == "__main__":
    VARIANTS[sys.argv.pop(1)]()
    from controller.shell.flags import main

    main(prog_name="python -m controller")
