"""Single API calls, counted, and repeated a bounded number of times while that may help.

A call that the server refuses for good raises its ApiError. One that stays refused for reasons
that pass (429, 5xx, no answer, credentials that have expired) raises Postponed: the caller gives up
for now and comes back.
"""

import random
import threading
from collections.abc import Callable
from typing import TypeVar

import tenacity

from controller.shell.lifecycle import Stopping
from controller.shell.logs import Journal
from controller.shell.metrics import Metrics
from controller.shell.signs import Signs
from queuecheck.kube import ApiError

TRIES = 5
FIRST_WAIT = 0.05
LONGEST_WAIT = 1.0
# A server that asks for more patience than this gets it, but the worker does something else.
LONGEST_RETRY_AFTER = 3.0
# No word of a server, nor of a proxy before it, stops anything for good.
LONGEST_PATIENCE = 600.0
READS = frozenset({"get", "list"})
UNAUTHORIZED = 401

Answer = TypeVar("Answer")


class Postponed(Exception):
    """Not now; ``at_least`` is the number of seconds that the server asked for."""

    def __init__(self, cause: ApiError) -> None:
        super().__init__(str(cause))
        self.at_least = min(cause.retry_after or 0.0, LONGEST_PATIENCE)


class Deposed(Exception):
    """Not sent: this copy of the component does not lead, or its lease is nearly over."""


class Requests:
    """The way of one component to the API server. Safe to use from several threads.

    ``permits`` is asked just before each try of a write.
    """

    def __init__(
        self,
        *,
        component: str,
        metrics: Metrics,
        journal: Journal,
        stop: threading.Event,
        signs: Signs,
        permits: Callable[[], bool] = lambda: True,
    ) -> None:
        self._component = component
        self._metrics = metrics
        self._journal = journal
        self._stop = stop
        self._signs = signs
        self._permits = permits
        self._ceiling = tenacity.wait_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)
        # Its own: a thread that draws from the shared generator spoils another one's seed.
        self._random = random.Random()  # noqa: S311 - a wait, no secret

    def send(self, verb: str, kind: str, call: Callable[[], Answer]) -> Answer:
        """What ``call`` returns. Raises ApiError, Postponed, Deposed, or Stopping."""
        if self._stop.is_set():
            raise Stopping
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_worth_a_retry),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(TRIES), tenacity.stop_when_event_set(self._stop)
            ),
            wait=self._wait,
            sleep=tenacity.sleep_using_event(self._stop),
            reraise=True,
        )
        try:
            answer: Answer = retrying(self._once, verb, kind, call)
        except ApiError as error:
            if self._stop.is_set():
                raise Stopping from error
            if error.transient or error.status == UNAUTHORIZED:
                raise Postponed(error) from error
            raise
        return answer

    def _once(self, verb: str, kind: str, call: Callable[[], Answer]) -> Answer:
        if verb not in READS and not self._permits():
            raise Deposed
        self._signs.give()
        try:
            answer = call()
        except ApiError as error:
            self._metrics.api_call(self._component, verb, kind, str(error.status))
            if error.transient:
                self._journal.say(1, f"{error}", {"retry_after": f"{error.retry_after or 0:g}"})
            raise
        self._metrics.api_call(self._component, verb, kind, "201" if verb == "create" else "200")
        return answer

    def _wait(self, state: tenacity.RetryCallState) -> float:
        outcome = state.outcome
        error = outcome.exception() if outcome else None
        asked = error.retry_after if isinstance(error, ApiError) else None
        return max(self._random.uniform(0, self._ceiling(state)), asked or 0.0)


def namespace_goes(error: ApiError) -> bool:
    """Whether nothing can be made any more where all is about to be deleted; nor need it be."""
    return error.forbidden and "being terminated" in error.message


def _worth_a_retry(error: BaseException) -> bool:
    return (
        isinstance(error, ApiError)
        and error.transient
        and (error.retry_after or 0.0) <= LONGEST_RETRY_AFTER
    )
