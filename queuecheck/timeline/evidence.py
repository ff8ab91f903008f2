"""A directory that keeps what was seen of a failed scenario, for people and for tools.

``failure.txt``, ``timeline.ndjson`` (one observation or gap a line), ``events.txt``,
``objects/*.yaml`` (each object as it was last) and the texts that the caller adds, such as logs.
No secret gets in: objects of kind Secret are left out, and what looks like a token, a password or
a private key is masked wherever it stands. Writing never raises: evidence must not hide the
failure that it is about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from queuecheck.kube import KubeObject
from queuecheck.secrecy import REFUSED_KINDS, Secrets, clean
from queuecheck.timeline.explain import EVENT, event_row
from queuecheck.timeline.failure import Failure, moment, render
from queuecheck.timeline.observation import Observation
from queuecheck.timeline.timeline import Timeline


@dataclass(frozen=True)
class Evidence:
    """Where it is, and in one line what kept it from being complete ("" if nothing did)."""

    directory: Path
    problem: str = ""


def write_evidence(
    directory: Path,
    timeline: Timeline,
    *,
    failure: Failure | None = None,
    texts: Mapping[str, str] | None = None,
    secrets: Secrets | None = None,
) -> Evidence:
    """Writes what the timeline has seen. ``texts`` is by file name: ``controller.log``.

    Nowhere in it is what ``secrets`` knows.
    """
    secrets = secrets or Secrets()
    objects = directory / "objects"
    try:
        observations = [
            replace(seen, object=_whole(secrets.masked(clean(seen.object))))
            for seen in timeline.observations()
            if seen.kind not in REFUSED_KINDS
        ]
        objects.mkdir(parents=True, exist_ok=True)
        if failure is not None:
            _write(directory / "failure.txt", [secrets.mask(render(failure))])
        for name, text in (texts or {}).items():
            _write(directory / _file_name(name), [secrets.mask(text)])
        _write(directory / "events.txt", _events(observations))
        _write(directory / "timeline.ndjson", _lines(timeline, observations))
        for seen in _last(observations):
            name = _file_name(f"{seen.kind}_{seen.namespace}_{seen.name}.yaml")
            _write(objects / name, [_as_yaml(seen)])
    except Exception as error:  # noqa: BLE001  it must not hide the failure that it is about
        told = error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        return Evidence(directory, f"evidence in {directory} is incomplete: {told}")
    return Evidence(directory)


def _whole(found: KubeObject) -> KubeObject:
    """Without halves of characters, which JSON may carry and no file can hold."""
    whole: KubeObject = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return whole


def _write(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for part in parts:
            file.write(part if part.endswith("\n") else part + "\n")


def _events(observations: Iterable[Observation]) -> Iterator[str]:
    for seen in observations:
        if seen.kind == EVENT:
            row = event_row(seen)
            yield f"{moment(row.at)}  rv {row.resource_version}  {row.what}  {row.text}"


def _lines(timeline: Timeline, observations: Iterable[Observation]) -> Iterator[str]:
    entries: list[tuple[int, dict[str, Any]]] = [
        (
            gap.sequence,
            {
                "gap": gap.reason,
                "kind": gap.kind,
                "namespace": gap.namespace,
                "ms": round(gap.at * 1000),
                "after": gap.after,
                "until": gap.until,
            },
        )
        for gap in timeline.gaps()
    ]
    entries += [
        (
            seen.sequence,
            {
                "sequence": seen.sequence,
                "ms": round(seen.at * 1000),
                "resourceVersion": seen.resource_version,
                "verb": seen.verb,
                "kind": seen.kind,
                "namespace": seen.namespace,
                "name": seen.name,
                "uid": seen.uid,
                "object": seen.object,
            },
        )
        for seen in observations
    ]
    entries.sort(key=lambda entry: entry[0])
    began = {"began": timeline.began_at.isoformat()}
    yield json.dumps(began)
    for _, entry in entries:
        yield json.dumps(entry, ensure_ascii=False)


def _last(observations: Iterable[Observation]) -> Iterable[Observation]:
    last: dict[tuple[str, str, str], Observation] = {}
    for seen in observations:
        key = (seen.kind, seen.namespace, seen.name)
        if seen.kind != EVENT and (
            key not in last or last[key].resource_version <= seen.resource_version
        ):
            last[key] = seen
    return last.values()


def _as_yaml(seen: Observation) -> str:
    gone = f"# deleted at {moment(seen.at)}\n" if seen.live is None else ""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(seen.object, Dumper=dumper, sort_keys=False, allow_unicode=True)
    return gone + text


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip(".") or "unnamed"
