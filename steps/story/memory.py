"""What a scenario has done so far, and the few acts that many steps share.

Names in features are aliases: a quota's real name is unique on the cluster, Jobs and units live in
the scenario's own namespace. ``acted`` is the moment of the latest act: claims about what it
brings start there.
"""

from __future__ import annotations

import re
from functools import partial

from queuecheck.timeline import (
    Condition,
    Fence,
    Position,
    Quiet,
    Sighting,
    State,
    Step,
    Subject,
    Window,
    exists,
)
from queuecheck.world import World
from steps.states import jobs, units
from steps.states.quotas import Users
from steps.story.jobs import Jobs
from steps.story.quotas import Quotas
from steps.story.units import PodSet, Units
from steps.story.usual import Ask

# Beyond any max in the features, and below any priority in them: a unit that asks for so much is
# refused, and touches nobody.
FENCE = "fence-"
FENCE_CPU = 1_000_000
FENCE_PRIORITY = -1_000_000


class Story:
    """The scenario's memory.

    ``log_mark`` is the place in the log at the latest act; ``message`` and ``number`` are what was
    read last.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.acted = world.timeline.position()
        self.log_mark = world.implementation.log_mark()
        self.jobs = Jobs(self)
        self.quotas = Quotas(self)
        self.units = Units(self)
        self.message = ""
        self.number = 0.0
        self.extension_held = False
        self._fences = 0

    def act(self) -> None:
        """What follows is the consequence of what is done now."""
        self.acted = self.world.timeline.position()
        self.log_mark = self.world.implementation.log_mark()

    def act_from(self, written: State) -> None:
        """What follows is the consequence of the write that brought this state."""
        self.acted = self.eventually(written, within="create", since=self.acted).position

    @property
    def beginning(self) -> Position:
        """The scenario's first moment."""
        return Position(0, 0, 0.0)

    def unit(self, alias: str) -> Subject:
        """The QueueUnit of that name."""
        return Subject("QueueUnit", self.jobs.namespace(alias), alias, alias)

    def job(self, alias: str) -> Subject:
        """The Job of that name."""
        return Subject("Job", self.jobs.namespace(alias), alias, alias)

    def queue(self, quota: str) -> Subject:
        """The Queue that the implementation keeps for the quota."""
        return Subject("Queue", self.world.queue_namespace, self.quotas.name(quota), quota)

    def filled(self, text: str) -> str:
        """With real names in place of ``{namespace}`` and of what the scenario calls a quota."""

        def real(found: re.Match[str]) -> str:
            return self.world.namespace if found[1] == "namespace" else self.quotas.name(found[1])

        return re.sub(r"\{([^}]+)\}", real, text)

    def users(self, quota: str) -> Users:
        """The units that name the quota, and what each of their replicas costs."""
        return Users(self.world.namespace, self.quotas.name(quota), quota, self.jobs.asks)

    def admitted(self, alias: str) -> Condition:
        """The unit holds its count and its Job, if it has one, is resumed."""
        return units.admitted(self.unit(alias), self._job_of(alias))

    def let_in(self, alias: str) -> Condition:
        """The unit holds something, or its Job is resumed: not so before it is admitted."""
        return units.let_in(self.unit(alias), self._job_of(alias))

    def eventually(
        self, state: Condition, *, within: str, since: Position | None = None
    ) -> Sighting:
        """The claim, given up early when the controller is gone or a Job has failed."""
        jobs = tuple(partial(self._failed, alias) for alias in self.jobs.asks)
        return self.world.claims.eventually(
            state, within=within, since=since, hopeless=(self.world.implementation.alive, *jobs)
        )

    def never(
        self, state: Condition, *, window: Window | None = None, since: Position | None = None
    ) -> None:
        """The claim from the latest act on; silence proves nothing once the controller is gone.

        Without one given, the window is ``window()``.
        """
        self.world.claims.never(
            state,
            window or self.window(),
            since=since or self.acted,
            hopeless=(self.world.implementation.alive,),
        )

    def stays(
        self, state: Condition, *, within: str = "create", window: Window | None = None
    ) -> None:
        """The state is seen from the latest act on, and holds from then until the window closes.

        The window is as for ``never``.
        """
        seen = self.eventually(state, within=within, since=self.acted)
        window = window or self.window()
        self.world.claims.stays(
            state, window, since=seen.position, hopeless=(self.world.implementation.alive,)
        )

    def never_before(self, state: Condition, end: Condition) -> None:
        """The end comes, and from the latest act until then the state is not seen."""
        self.world.claims.in_order(
            (Step(end, without=state),),
            within="reclaim",
            since=self.acted,
            hopeless=(self.world.implementation.alive,),
        )

    def in_order(
        self, *rows: Condition, too_early: Condition | None = None, since: Position | None = None
    ) -> None:
        """The claim from the latest act on.

        The last state is not seen before the first one, and ``too_early`` not before the last but
        one.
        """
        first, *between = rows[:-1]
        steps = [
            Step(first, without=too_early or rows[-1]),
            *(Step(row, without=too_early) for row in between),
            Step(rows[-1]),
        ]
        self.world.claims.in_order(
            steps,
            within="reclaim",
            since=since or self.acted,
            hopeless=(self.world.implementation.alive,),
        )

    def window(self) -> Window:
        """Open until what is marked has been dealt with and a fence has been decided after that.

        Before all this the Job submitted last is decided: an implementation that takes up several
        Jobs at a time may be quicker with the fence.
        """
        if not self.extension_held:
            if self.jobs.latest:
                self.give_time(units.decided(self.unit(self.jobs.latest)))
            self._let_marks_end()
        return self.fence()

    def fence(self, quota: str | None = None) -> Window:
        """A Job that can never be admitted: once it is refused, what came before was decided.

        It names the ``quota``, by default the one made last. While the job extension is held it is
        a unit without a Job. An implementation need not look at it behind a closed gate or a policy
        that stops at its head; then a quiet period closes the window, from when its unit is there.
        """
        self._fences += 1
        alias = f"{FENCE}{self._fences}"
        priority, cpu = FENCE_PRIORITY, str(FENCE_CPU)
        if self.extension_held:
            beyond = (PodSet("main", 1, cpu),)
            self.units.create(alias, priority=priority, pod_sets=beyond, quota=quota)
        else:
            self.jobs.submit(alias, priority=priority, ask=Ask(1, cpu), quota=quota)
            self.give_time(exists(self.unit(alias)))
            # The window itself waits for it.
            self.jobs.latest = ""
        return Fence(
            units.refused(self.unit(alias)),
            within="quiet",
            sentence=f'the implementation has refused "{alias}", which was submitted later',
            otherwise="quiet",
        )

    def have_looked_again(self, quota: str) -> None:
        """One more unit comes to the queue, which nobody can admit: who waits is tried again."""
        latest = self.jobs.latest
        self.fence(quota)
        self.jobs.latest = latest

    def quiet(self) -> Window:
        """A quiet period: for silence, or where an implementation need not look at a fence."""
        return Quiet()

    def now(self) -> Window:
        """Closes as soon as everything that has happened has come in."""
        return Quiet("settle")

    def _let_marks_end(self) -> None:
        """Gives the job extension a quiet period's time to deal with what is marked.

        A fence alone does not show that it has: it may take a new Job over first. Marks of units
        without a Job are the harness's own to deal with.
        """
        ended = units.nobody_marked(self.world.namespace, spared=self.units.alone)
        self.give_time(ended)

    def give_time(self, state: Condition) -> None:
        """Waits for the state, a quiet period at most: it need not come."""
        timeline = self.world.timeline
        until = timeline.now() + self.world.claims.budgets.seconds("quiet")
        news = True
        while news:
            changes = timeline.changes()
            news = not state.holds(timeline.view()) and timeline.wait(seen=changes, until=until)

    def settle(self, quota: str | None = None) -> None:
        """The implementation has gone on to decide since a setting of the quota was changed.

        While the job extension is held no Job can show it; the step that follows has to.
        """
        if self.extension_held:
            self.have_looked_again(quota or self.quotas.latest)
            return
        alias = f"{FENCE}{self._fences + 1}"
        window = self.fence(quota)
        self.never(self.let_in(alias), window=window)
        self.jobs.delete(alias)

    def _job_of(self, alias: str) -> Subject | None:
        return None if alias in self.units.alone else self.job(alias)

    def _failed(self, alias: str) -> str | None:
        found = self.world.timeline.latest(self.job(alias))
        if alias not in self.jobs.failing and jobs.job_condition(found, "Failed"):
            return f'the Job "{alias}" has failed'
        return None
