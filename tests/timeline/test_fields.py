import pytest

from queuecheck.timeline import fields

FOUND = {
    "metadata": {"annotations": {"queue.example.org/state": "on"}, "resourceVersion": "5"},
    "status": {"admissions": [{"name": "a", "replicas": 1}, {"name": "b"}]},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("status.admissions[0].replicas", 1),
        ("status.admissions[].name", ["a", "b"]),
        ("status.admissions[].replicas", [1, None]),
        ("status.admissions[7].replicas", None),
        ("status.admissions.name", None),
        ("status.phase", None),
        ("spec.template.spec", None),
        ('metadata.annotations["queue.example.org/state"]', "on"),
    ],
)
def test_a_path_leads_to_its_value_or_to_none(path: str, value: object) -> None:
    assert fields.read(FOUND, path) == value


def test_no_object_has_no_fields() -> None:
    assert fields.read(None, "status.phase") is None


def test_a_malformed_path_is_refused() -> None:
    with pytest.raises(ValueError, match="not a field path"):
        fields.read(FOUND, "status.[x")


def test_a_line_names_fields_by_as_little_as_tells_them_apart() -> None:
    paths = ("status.admissions[0].replicas", "status.other.replicas", "status.admissions[0].name")
    assert fields.line(FOUND, paths) == 'admissions[0].replicas=1 other.replicas=- name="a"'


def test_a_long_value_is_cut() -> None:
    assert len(fields.show("x" * 500)) == fields.LONGEST


def test_differences_name_path_old_and_new_and_leave_bookkeeping_out() -> None:
    after = {
        "metadata": {"annotations": {"queue.example.org/state": "off"}, "resourceVersion": "6"},
        "status": {"admissions": [{"name": "a", "replicas": 2}, {"name": "b"}], "phase": "x"},
    }
    assert fields.differences(FOUND, after) == (
        'metadata.annotations["queue.example.org/state"]: "on" -> "off"',
        "status.admissions[0].replicas: 1 -> 2",
        'status.phase: (not set) -> "x"',
    )


def test_lists_of_different_length_are_shown_whole() -> None:
    assert fields.differences({"a": [1]}, {"a": [1, 2]}) == ("a: [1] -> [1, 2]",)


def test_coming_and_going_are_differences() -> None:
    assert fields.differences(None, FOUND) == ("it came into being",)
    assert fields.differences(FOUND, None) == ("it was deleted",)
    assert fields.differences(None, None) == ()
