"""States of Queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from queuecheck.kube import KubeObject
from queuecheck.timeline import State, Subject

QUEUE_FIELDS = ("metadata.labels", "metadata.annotations", "spec.queuePolicy", "spec.priority")


def of_queue(queue: Subject, sentence: str, test: Callable[[KubeObject], bool]) -> State:
    """A state that no absent Queue is in."""
    return State(
        queue,
        f"{queue.label} is {sentence}",
        lambda found: found is not None and test(found),
        QUEUE_FIELDS,
        may_return=True,
    )


def carries(queue: Subject, wanted: Mapping[str, str | None]) -> State:
    """The Queue is there with these annotations, and without those that are None."""
    shown = [f"no {key}" if text is None else f'{key} "{text}"' for key, text in wanted.items()]
    return of_queue(
        queue,
        f"carrying {' and '.join(shown)}" if shown else "there",
        lambda found: all(annotations_of(found).get(key) == text for key, text in wanted.items()),
    )


def there(queue: Subject) -> State:
    """The Queue exists."""
    return of_queue(queue, "there", lambda _: True)


def of_policy(queue: Subject, policy: str) -> State:
    """Its ``spec.queuePolicy`` is ``policy``."""
    return of_queue(
        queue, f"of the policy {policy}", lambda found: _spec(found).get("queuePolicy") == policy
    )


def of_priority(queue: Subject, priority: str) -> State:
    """Its ``spec.priority`` is ``priority``."""
    return of_queue(
        queue,
        f"of the priority {priority}",
        lambda found: _spec(found).get("priority") == int(priority),
    )


def annotated(queue: Subject, key: str, value: str) -> State:
    """It carries the annotation with that value."""
    return of_queue(
        queue,
        f'carrying the annotation "{key}" with "{value}"',
        lambda found: annotations_of(found).get(key) == value,
    )


def annotated_otherwise(queue: Subject, key: str, value: str) -> State:
    """It does not carry the annotation with that value: another one, or none."""
    return of_queue(
        queue,
        f'carrying the annotation "{key}" other than "{value}"',
        lambda found: annotations_of(found).get(key) != value,
    )


def not_annotated(queue: Subject, key: str) -> State:
    """It does not carry the annotation."""
    return of_queue(
        queue, f'carrying no annotation "{key}"', lambda found: key not in annotations_of(found)
    )


def labelled(queue: Subject, key: str, value: str) -> State:
    """It carries the label with that value."""
    return of_queue(
        queue,
        f'carrying the label "{key}" with "{value}"',
        lambda found: labels_of(found).get(key) == value,
    )


def carrying(queue: Subject, key: str) -> State:
    """It carries the key as a label or as an annotation, with whatever value."""
    return of_queue(
        queue,
        f'carrying "{key}" as a label or an annotation',
        lambda found: key in labels_of(found) or key in annotations_of(found),
    )


def listing(queue: Subject, items: Sequence[KubeObject]) -> State:
    """Its ``status.queueItemDetails.active`` has these items, and no other ones."""
    names = ", ".join(f'"{item["name"]}"' for item in items)

    def test(found: KubeObject) -> bool:
        details = (found.get("status") or {}).get("queueItemDetails") or {}
        keys = ("name", "namespace", "priority", "position")
        active = details.get("active") or ()
        return [{key: each.get(key) for key in keys} for each in active] == list(items)

    return State(
        queue,
        f"{queue.label} is listing {names or 'nobody'} as active",
        lambda found: found is not None and test(found),
        ("status.queueItemDetails.active",),
        may_return=True,
    )


def annotations_of(queue: KubeObject) -> Mapping[str, str]:
    """``metadata.annotations``; empty where there are none."""
    return queue["metadata"].get("annotations") or {}


def labels_of(queue: KubeObject) -> Mapping[str, str]:
    """``metadata.labels``; empty where there are none."""
    return queue["metadata"].get("labels") or {}


def _spec(queue: KubeObject) -> KubeObject:
    return queue.get("spec") or {}
