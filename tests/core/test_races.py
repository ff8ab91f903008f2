"""Somebody else writes between a decision and its write."""

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from controller.core.decisions import Kind, Write
from tests.core.test_any_history import NAMES, Play, actions

quick = st.one_of(
    st.tuples(st.just("bind"), st.sampled_from(NAMES), st.integers(1, 2)),
    st.tuples(st.just("succeed"), st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES)),
    st.tuples(st.just("parallelism"), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("annotate"), st.integers(0, 3)),
    st.tuples(st.just("suspend"), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("job controller")),
)


class Races(Play):
    """A play in which each write may be preceded by one more action."""

    def __init__(self, script: list[tuple[Any, ...] | None]) -> None:
        self.script = script
        super().__init__()
        watch: Callable[[Write], None] | None = self.world.before_write

        def interfere(write: Write) -> None:
            if self.script:
                action = self.script.pop()
                if action and action[0] == "suspend":
                    self._suspend(action[1], action[2])
                elif action:
                    self.act(action)
            if watch:
                watch(write)

        self.world.before_write = interfere

    def _suspend(self, name: str, value: bool) -> None:
        if (Kind.JOB, "default", name) in self.world.objects:
            self.world.patch_job(name, {"spec": {"suspend": value}})


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.lists(actions, max_size=25), st.lists(st.none() | quick, max_size=25))
def test_nothing_is_lost_and_the_world_comes_to_rest(
    script: list[tuple[Any, ...]], interference: list[tuple[Any, ...] | None]
) -> None:
    play = Races(interference)
    for action in script:
        play.act(action)
    world = play.world
    world.settle()
    play.script.clear()
    world.settle()
    assert world.settle() == 0
    for (kind, _, name), raw in world.objects.items():
        if kind is Kind.UNIT:
            assert world.mark(name) == 0
            suspended = world.spec_of(name)["suspend"]
            asked = raw["spec"]["podSet"][0]["count"]
            if raw["status"]["phase"] not in {"Succeed", "Failed"} and asked:
                assert suspended is (world.held(name) == 0)
