import io
import json

import pytest

from controller.shell.logs import Format, Journal, configure


@pytest.mark.parametrize(("verbosity", "seen"), [(0, "0"), (2, "012"), (9, "0123")])
def test_a_line_appears_from_its_own_verbosity_on(verbosity: int, seen: str) -> None:
    assert [line[-1] for line in told(verbosity, "text")][:-1] == list(seen)


def test_a_warning_always_appears() -> None:
    assert told(0, "text")[-1].endswith("a warning")


def told(verbosity: int, layout: Format) -> list[str]:
    stream = io.StringIO()
    configure(verbosity=verbosity, layout=layout, stream=stream)
    journal = Journal("queue")
    for level in range(4):
        journal.say(level, f"line {level}")
    journal.warn("a warning")
    return stream.getvalue().splitlines()


def test_fields_follow_the_text() -> None:
    stream = io.StringIO()
    configure(verbosity=0, layout="text", stream=stream)
    Journal("queue").say(0, "victim chosen", {"queue": "team", "unit": "ns/a", "why": "a b"})
    assert stream.getvalue().endswith('queue     victim chosen queue=team unit=ns/a why="a b"\n')


def test_fields_are_members_of_the_object() -> None:
    stream = io.StringIO()
    configure(verbosity=2, layout="json", stream=stream)
    Journal("queue").say(2, "victim chosen", {"queue": "team", "unit": "ns/a"})
    line = json.loads(stream.getvalue())
    assert (line["queue"], line["unit"], line["v"]) == ("team", "ns/a", 2)
    assert (line["component"], line["message"]) == ("queue", "victim chosen")
