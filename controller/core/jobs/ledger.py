"""The extension's memory and its plans.

Fed with every Job, pod, unit and class (apply), asked for one Job at a time (reconcile). A
reconciliation returns the first thing that has to be done; its result leads to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controller.core import decode
from controller.core.decisions import Decision, EmitEvent, Kind, Object, Ref
from controller.core.instants import Instant
from controller.core.jobs import counts, job_writes, model, reports, takeover
from controller.core.jobs.model import Job, Pod
from controller.core.jobs.reclaim import reclaim
from controller.core.model import Admission, Unit

Key = tuple[str, str]


@dataclass(frozen=True)
class JobPlan:
    """What to do for one Job now.

    With ``needs_live_pods`` read the Job's pods after the decisions, and ask again with them. With
    ``look_up`` read these objects, apply those that there are, and ask again.
    """

    decisions: tuple[Decision, ...] = ()
    needs_live_pods: bool = False
    look_up: tuple[Ref, ...] = ()


class JobLedger:
    """Jobs, their pods and units, by name. Not for use by several threads at once."""

    kinds: tuple[Kind, ...] = (
        Kind.JOB,
        Kind.POD,
        Kind.UNIT,
        Kind.PRIORITY_CLASS,
        Kind.RUNTIME_CLASS,
    )

    def __init__(self) -> None:
        self._jobs: dict[Key, Object] = {}
        self._units: dict[Key, Object] = {}
        self._pods: dict[str, dict[str, Pod]] = {}
        self._classes: dict[tuple[Kind, str], Object] = {}
        self._looked_up: set[tuple[Kind, str]] = set()
        self._sought: Key | None = None
        self._warned: dict[Key, str] = {}

    def apply(self, kind: Kind, raw: Object, *, deleted: bool) -> frozenset[Key]:
        """Take note of an object; returns the keys of the Jobs to be reconciled. Never raises."""
        if kind is Kind.POD:
            return self._apply_pod(raw, deleted=deleted)
        ref = decode.ref(kind, raw)
        if kind in {Kind.PRIORITY_CLASS, Kind.RUNTIME_CLASS}:
            return self._apply_class(kind, ref.name, raw, deleted=deleted)
        known = {Kind.JOB: self._jobs, Kind.UNIT: self._units}.get(kind)
        if known is None:
            return frozenset()
        key = (ref.namespace, ref.name)
        if deleted:
            known.pop(key, None)
            if kind is Kind.JOB:
                self._warned.pop(key, None)
        else:
            known[key] = raw
        return frozenset({key})

    def reconcile(
        self, key: Key, now: Instant, live_pods: Sequence[Object] | None = None
    ) -> JobPlan:
        """The next step for the Job of that namespace and name; empty if all is as it should be.

        ``live_pods`` are the Job's pods as just read, where the last plan asked for them.
        """
        raw, unit_raw = self._jobs.get(key), self._units.get(key)
        job = None if raw is None else model.job(raw)
        sought, self._sought = self._sought == key, None
        another = unit_raw is not None and not (job and takeover.stands_for(unit_raw, job))
        if raw is None or job is None or job.deleting or another:
            return self._without_job(key, unit_raw, sure=sought or not another)
        warnings = self._warn(key, raw, job)
        if unit_raw is None or job.own_selector:
            return self._take_over(job, raw, warnings)
        unit = decode.unit(unit_raw)
        if job.finished:
            over = unit.phase == job.finished and not unit.admissions
            return JobPlan(() if over else reports.ended(unit, job.finished, now))
        steps = self._align(job, raw, unit, unit_raw, now)
        if steps:
            return JobPlan((*warnings, *steps))
        if unit.marked:
            if live_pods is None:
                return JobPlan(warnings, needs_live_pods=True)
            pods = model.pods(live_pods, job.ref.uid)
            return JobPlan((*warnings, *reclaim(job, unit, pods, now)))
        return JobPlan((*warnings, *self._follow(job, unit, now)))

    def retry(self) -> None:
        """What was to be looked up may not have been: let the next plans ask for it again."""
        self._looked_up.clear()
        self._sought = None

    def _unseen_classes(self, raw: Object) -> tuple[Ref, ...]:
        """The classes that a Job names and no watch has shown yet; each is asked for once.

        A class and a Job made together come by two watches, and a unit that starts with the wrong
        priority may be decided about before it has the right one.
        """
        spec = decode.mapping(raw, "spec", "template", "spec")
        named = {
            (Kind.PRIORITY_CLASS, decode.text(spec, "priorityClassName")),
            (Kind.RUNTIME_CLASS, decode.text(spec, "runtimeClassName")),
        }
        unseen = {each for each in named if each[1]} - self._classes.keys() - self._looked_up
        self._looked_up |= unseen
        return tuple(Ref(kind, "", name) for kind, name in sorted(unseen, key=str))

    def _without_job(self, key: Key, unit_raw: Object | None, *, sure: bool) -> JobPlan:
        """A unit of ours must not outlive its Job, nor be admitted while its Job goes.

        What the caches say of a Job that is gone has to be confirmed before a place is lost.
        """
        if unit_raw is None or not takeover.made_here(unit_raw):
            return JobPlan()
        if sure:
            return JobPlan(reports.removed(decode.unit(unit_raw)))
        if takeover.owned(unit_raw):
            return JobPlan()
        self._sought = key
        return JobPlan(look_up=(Ref(Kind.JOB, *key),))

    def _take_over(self, job: Job, raw: Object, warnings: tuple[Decision, ...]) -> JobPlan:
        if job.own_selector or job.finished or not (job.suspended or job.resumed):
            return JobPlan(warnings)
        unseen = self._unseen_classes(raw)
        if unseen:
            return JobPlan(warnings, look_up=unseen)
        return JobPlan((*warnings, takeover.creation(job, raw, self._standing(job, raw))))

    def _align(
        self, job: Job, raw: Object, unit: Unit, unit_raw: Object, now: Instant
    ) -> tuple[Decision, ...]:
        """The unit says what its Job asks for, and holds no more than that."""
        standing = self._standing(job, raw)
        if unit.reserves:
            standing = replace(standing, overhead=takeover.overhead(unit_raw))
        pods = self._pods_of(job)
        changed = takeover.charge_changed(job, raw, standing, unit)
        outdated = changed and unit.reserves and job.suspended
        if outdated and not job.by_hand:
            return self._give_back(unit, unit_raw, now)
        # Suspended by hand its pods may still be there: they are charged as they were.
        step = (
            takeover.withdrawal(unit_raw)
            if outdated
            else takeover.step(job, raw, standing, unit_raw)
        )
        if step:
            return (step,)
        if not unit.phase and not unit.reserves:
            return (self._first_report(job, unit, pods, now),)
        if job.by_hand and unit.reserves and not unit.marked:
            gone = job.suspension_reported and not counts.active(pods)
            return reports.released(unit, now) if gone else ()
        held = unit.held_replicas.get(job.ref.name, 0)
        if held > standing.count and not job.by_hand:
            shrunk = self._shrunk(unit, job, standing.count)
            over = standing.count == 0 and job.wanted > 0
            write = reports.progress(unit, {job.ref.name: shrunk}, now, over=over)
            return (write,) if write else ()
        return ()

    @staticmethod
    def _give_back(unit: Unit, unit_raw: Object, now: Instant) -> tuple[Decision, ...]:
        """The grant was for other pods. Nothing is asked for before the unit says which."""
        if unit.marked:
            return ()
        withdrawal = takeover.withdrawal(unit_raw)
        return (withdrawal,) if withdrawal else reports.released(unit, now)

    def _follow(self, job: Job, unit: Unit, now: Instant) -> tuple[Decision, ...]:
        """The Job runs as far as its unit is admitted, and the unit says what runs."""
        held = unit.held_replicas.get(job.ref.name, 0)
        pods = self._pods_of(job)
        asked = counts.count(job, pods)
        allowed = job.wanted if held >= asked else held
        if job.by_hand:
            return ()
        if held == 0:
            if asked == 0 or job.suspended:
                return ()
            return (job_writes.suspend(job, "its unit is not admitted"),)
        if job.suspended:
            return (job_writes.resume(job, allowed),)
        if not job.resumed:
            return (job_writes.adopt(job),)
        if not counts.winding_down(job, pods):
            limit = job_writes.limit(job, allowed, "its unit holds that many")
            if limit:
                return (limit,)
        running = counts.running(job, pods, held)
        write = reports.progress(unit, {job.ref.name: Admission(job.ref.name, held, running)}, now)
        return (write,) if write else ()

    def _first_report(self, job: Job, unit: Unit, pods: Sequence[Pod], now: Instant) -> Decision:
        live = len(counts.active(pods))
        if job.suspended or not job.resumed or not live:
            return reports.waits(unit, now)
        running = counts.running(job, pods, live)
        return reports.holds(unit, job.ref.name, replicas=live, running=running, now=now)

    def _standing(self, job: Job, raw: Object) -> takeover.Standing:
        spec = decode.mapping(raw, "spec", "template", "spec")
        priority, _ = model.priority_annotation(raw)
        if priority is None:
            name = decode.text(spec, "priorityClassName")
            found = self._classes.get((Kind.PRIORITY_CLASS, name), {}) if name else spec
            priority = decode.number(found, "value" if name else "priority") or 0
        runtime = self._classes.get((Kind.RUNTIME_CLASS, decode.text(spec, "runtimeClassName")), {})
        return takeover.Standing(
            count=counts.count(job, self._pods_of(job)),
            priority=priority,
            overhead=decode.mapping(runtime, "overhead", "podFixed"),
        )

    def _warn(self, key: Key, raw: Object, job: Job) -> tuple[Decision, ...]:
        _, bad = model.priority_annotation(raw)
        if job.own_selector and job.suspended and not job.finished:
            reason, message = "NotTakenOver", "a Job with manualSelector is not taken over"
        elif bad and not job.own_selector:
            reason = "InvalidPriority"
            message = f'the priority "{bad}" is no 32-bit integer and is not used'
        else:
            return ()
        if self._warned.get(key) == message:
            return ()
        self._warned[key] = message
        return (EmitEvent(job.ref, "Warning", reason, message),)

    def _apply_pod(self, raw: Object, *, deleted: bool) -> frozenset[Key]:
        pod = model.pod(raw)
        if pod is None:
            return frozenset()
        known = self._pods.setdefault(pod.job_uid, {})
        before = known.pop(pod.uid, None)
        if not deleted:
            known[pod.uid] = pod
        if not known:
            del self._pods[pod.job_uid]
        same = before == pod and not deleted
        return frozenset() if same else frozenset({pod.job_key})

    def _apply_class(self, kind: Kind, name: str, raw: Object, *, deleted: bool) -> frozenset[Key]:
        if deleted:
            self._classes.pop((kind, name), None)
        else:
            self._classes[kind, name] = raw
        naming = "priorityClassName" if kind is Kind.PRIORITY_CLASS else "runtimeClassName"
        return frozenset(
            key
            for key, job in self._jobs.items()
            if decode.text(job, "spec", "template", "spec", naming) == name
        )

    def _pods_of(self, job: Job) -> tuple[Pod, ...]:
        return tuple(self._pods.get(job.ref.uid, {}).values())

    def _shrunk(self, unit: Unit, job: Job, count: int) -> Admission:
        entry = next(item for item in unit.admissions if item.name == job.ref.name)
        mark = None if entry.mark is None else min(entry.mark, count)
        return replace(entry, replicas=count, running=min(entry.running, count), mark=mark)
