from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.shell.configuration import Configuration, duration, read
from controller.shell.errors import UsageError

HEAD = "apiVersion: scheduling.k8s.io/v1\nkind: KoordQueueConfiguration\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "controller.yaml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD, Configuration(0.0)),
        (
            HEAD
            + "defaultReclaimProtectTime: 5m\nplugins:\n  - name: Priority\n"
            + "  - name: ElasticQuotaV2\n",
            Configuration(300.0),
        ),
        (HEAD + "plugins:\ndefaultReclaimProtectTime: 0\n", Configuration(0.0)),
        (HEAD + "plugins: []\ndefaultReclaimProtectTime: 1h30m0.5s", Configuration(5400.5)),
    ],
)
def test_a_good_file_is_read(path: Path, text: str, expected: Configuration) -> None:
    path.write_text(text)
    assert read(path) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (HEAD + "defaultReclaimProtectTme: 5m", ["defaultReclaimProtectTme", "did you mean"]),
        (HEAD + "defaultreclaimprotecttime: 5m", ["did you mean defaultReclaimProtectTime?"]),
        (HEAD + "zzz: 1", ["zzz: unknown field, set to 1", "known: apiVersion"]),
        (HEAD + "defaultReclaimProtectTime: 5 minutes", ['"5 minutes" is no duration', "5m"]),
        (HEAD + "defaultReclaimProtectTime: 5", ["5 is no duration"]),
        (HEAD + "defaultReclaimProtectTime: true", ["no duration"]),
        (HEAD + "defaultReclaimProtectTime: [5m]", ["a list is no duration"]),
        (HEAD + "defaultReclaimProtectTime: -5m", ['"-5m" is out of range']),
        (
            HEAD + "plugins:\n- name: priority",
            ['plugins[0].name: unknown plugin "priority"', "did"],
        ),
        (HEAD + "plugins:\n- name: Priority\n- name: Priority", ["plugins[1].name", "twice"]),
        (HEAD + "plugins:\n- nam: Priority", ["plugins[0].nam: unknown field", "name?"]),
        (HEAD + "plugins: Priority", ['plugins: is "Priority"']),
        (HEAD + "plugins: [Priority]", ['plugins[0]: is "Priority"']),
        (HEAD + "kind: KoordQueueConfiguration", [":3: kind: given twice"]),
        (
            HEAD + "---\nkind: X",
            [":3: expected a single document in the stream, but found another"],
        ),
        ("kind: KoordQueueConfiguration", ["apiVersion: missing"]),
        ("apiVersion: scheduling.k8s.io/v1", ["kind: missing"]),
        ("apiVersion: v1\nkind: KoordQueueConfiguration", ['apiVersion: "v1" is not known']),
        ("apiVersion: scheduling.k8s.io/v1\nkind: ConfigMap", ['kind: "ConfigMap" is not known']),
        ("", ["is empty; write apiVersion"]),
        ("- 1", ["is a list"]),
        ("a: [", [":1: "]),
        (HEAD + "---\n" + HEAD, [":3: "]),
        ("a: &x [1]\nb: *x", [":2: aliases are not accepted"]),
        ("a: !!python/object/apply:os.getcwd []", [":1: "]),
        ("? [1]\n: 2", [":1: "]),
        ("\x00", ["not YAML"]),
        ("[" * 5000, []),
        ("#" * (1 << 20) + "\n", ["larger than"]),
    ],
)
def test_a_bad_file_is_one_line_that_names_file_field_and_value(
    path: Path, text: str, parts: list[str]
) -> None:
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        read(path)
    line = str(raised.value)
    assert line.startswith(f"configuration {path}")
    assert "\n" not in line
    for part in parts:
        assert part in line
    assert raised.value.exit_code == 2


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "absent.yaml")
    with pytest.raises(UsageError, match="Is a directory"):
        read(tmp_path)
    (tmp_path / "latin").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        read(tmp_path / "latin")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0), ("0s", 0), ("5m", 300), ("90s", 90), ("1h30m", 5400), ("1.5h", 5400),
        (".5s", 0.5), ("1.s", 1), ("300ms", 0.3), ("-2s", -2), ("+2s", 2), ("1us", 1e-6),
        ("1µs", 1e-6), ("1ns", 1e-9),
    ],
)  # fmt: skip
def test_durations_are_those_of_go(text: str, seconds: float) -> None:
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "5", "m", "5 m", "5m ", "5d", "5M", "--5m", "1e3s", "s5", ".s", "5m3", "٥m"]
)
def test_what_go_refuses_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        duration(text)


@given(st.text(max_size=12))
def test_any_text_is_a_duration_or_a_value_error(text: str) -> None:
    try:
        duration(text)
    except ValueError:
        assert text != "0"
