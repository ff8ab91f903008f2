"""Settings: what is read of each source, which source decides, and what is refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecheck.cli.settings import (
    Declared,
    Kind,
    Setting,
    SettingError,
    budgets_of,
    from_environment,
    from_file,
    merged,
)

DECLARED = [
    Declared("cluster", Kind.TEXT),
    Declared("id", Kind.WORDS),
    Declared("workers", Kind.WHOLE),
    Declared("timeout-scale", Kind.NUMBER),
    Declared("strict", Kind.SWITCH),
    Declared("kubeconfig", Kind.INPUT),
    Declared("report", Kind.OUTPUT),
    Declared("random-order", Kind.SEED),
    Declared("yes", Kind.SWITCH, everywhere=False),
]
FILE = Path("some/queuecheck.toml")

names = st.sampled_from([each.name for each in DECLARED])
sources = st.lists(st.dictionaries(names, st.builds(Setting, st.integers(), st.text())), max_size=4)


@given(sources)
def test_the_first_source_that_has_a_setting_decides(given: list[dict[str, Setting]]) -> None:
    found = merged(*given)
    assert set(found) == {name for source in given for name in source}
    for name, setting in found.items():
        assert setting is next(source[name] for source in given if name in source)


@given(sources)
def test_what_is_merged_already_is_left_as_it_is(given: list[dict[str, Setting]]) -> None:
    assert merged(merged(*given)) == merged(*given)
    for cut in range(len(given) + 1):
        assert merged(merged(*given[:cut]), merged(*given[cut:])) == merged(*given)


@given(st.integers(min_value=0), st.booleans())
def test_a_file_and_a_variable_say_the_same_in_their_own_ways(number: int, switch: bool) -> None:
    table = {"workers": number, "strict": switch, "id": ["A", "B"], "random-order": number}
    variables = {
        "QUEUECHECK_WORKERS": str(number),
        "QUEUECHECK_STRICT": str(switch),
        "QUEUECHECK_ID": "A, B",
        "QUEUECHECK_RANDOM_ORDER": str(number),
    }
    by_file = from_file(table, DECLARED, file=FILE)
    by_variable = from_environment(variables, DECLARED)
    assert {name: each.value for name, each in by_file.items()} == {
        name: each.value for name, each in by_variable.items()
    }
    assert {each.origin for each in by_file.values()} == {str(FILE)}
    assert {each.origin for each in by_variable.values()} == set(variables)


@given(st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.none(), st.lists(names))))
def test_a_file_is_read_or_refused_with_its_name_in_one_line(table: dict[str, object]) -> None:
    with suppress(SettingError):
        assert set(from_file(table, DECLARED, file=FILE)) <= set(table)
        return
    with pytest.raises(SettingError) as told:
        from_file(table, DECLARED, file=FILE)
    assert str(told.value).startswith(f"{FILE}: ")
    assert "\n" not in str(told.value)


def test_paths_are_seen_from_the_file() -> None:
    found = from_file({"kubeconfig": "../kc", "report": "out"}, DECLARED, file=FILE)
    assert found["kubeconfig"].value == Path("some/../kc")
    assert found["report"].value == Path("some/out")


def test_a_budget_is_a_setting_of_its_own() -> None:
    by_file = from_file({"budget": {"mark": 30, "admit": 2.5}}, DECLARED, file=FILE)
    by_flag = budgets_of(["mark=5"], origin="--budget")
    found = merged(by_flag, by_file)
    assert found["budget.mark"] == Setting(5.0, "--budget")
    assert found["budget.admit"] == Setting(2.5, str(FILE))


def test_a_true_random_order_draws_the_seed() -> None:
    assert from_file({"random-order": True}, DECLARED, file=FILE)["random-order"].value == "random"
    variables = {"QUEUECHECK_RANDOM_ORDER": "true"}
    assert from_environment(variables, DECLARED)["random-order"].value == "random"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"clutser": "local"}, "unknown key 'clutser'; did you mean cluster?"),
        ({"timeout_scale": 3}, "unknown key 'timeout_scale'; did you mean timeout-scale?"),
        ({"workers": "two"}, "workers: 'two' is not a whole number"),
        ({"workers": True}, "workers: True is not a whole number"),
        ({"timeout-scale": float("inf")}, "timeout-scale: inf is not a finite number"),
        ({"strict": "yes"}, "strict: 'yes' is not true or false"),
        ({"id": "KQ-SEQ-01"}, "id: 'KQ-SEQ-01' is not a list of texts"),
        ({"cluster": {"name": "local"}}, "cluster: {'name': 'local'} is not a text"),
        ({"kubeconfig": "a\0b"}, "kubeconfig: 'a\\x00b' is not the path of a file"),
        ({"random-order": False}, "random-order: False is not a seed, or true to draw one"),
        ({"yes": True}, "yes is said for one run, by --yes or QUEUECHECK_YES, and never in a file"),
        ({"report": "/etc"}, "report: /etc leads out of the file's directory; "),
        ({"report": "../../x"}, "report: ../../x leads out of the file's directory; "),
        ({"budget": 3}, "budget: 3 is not a table of seconds by class"),
        ({"budget": {"mrak": 3}}, "budget: unknown budget 'mrak'; did you mean mark?"),
        ({"budget": {"mark": "3"}}, "budget.mark: '3' is not a number of seconds"),
        ({"budget": {"mark": -1}}, "budget.mark: -1 is not a time one can wait"),
    ],
    ids=str,
)
def test_what_a_file_cannot_say_is_refused_with_file_and_key(
    table: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingError) as told:
        from_file(table, DECLARED, file=FILE)
    assert str(told.value).startswith(f"{FILE}: {message}")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("QUEUECHECK_WORKERS", "two", "QUEUECHECK_WORKERS: 'two' is not a whole number"),
        ("QUEUECHECK_TIMEOUT_SCALE", "nan", "QUEUECHECK_TIMEOUT_SCALE: nan is not a finite number"),
        ("QUEUECHECK_STRICT", "perhaps", "QUEUECHECK_STRICT: 'perhaps' is not true or false"),
        (
            "QUEUECHECK_WORKRS",
            "2",
            "QUEUECHECK_WORKRS: unknown variable; did you mean QUEUECHECK_WORKERS?",
        ),
        ("QUEUECHECK_BUDGET", "mark", "QUEUECHECK_BUDGET: 'mark' is no CLASS=SECONDS, such as"),
    ],
)
def test_a_wrong_variable_is_named(name: str, text: str, message: str) -> None:
    with pytest.raises(SettingError) as told:
        from_environment({name: text}, DECLARED)
    assert str(told.value).startswith(message)


@pytest.mark.parametrize(
    "name",
    [
        "QUEUECHECK_PORT",  # of a Service named queuecheck, as a pod has it
        "QUEUECHECK_SERVICE_HOST",
        "QUEUECHECK_ETCD_RELEASES_URL",
        "QUEUECHECK_CONFIG",
        "PATH",
    ],
)
def test_variables_of_others_are_left_alone(name: str) -> None:
    assert from_environment({name: "tcp://10.0.0.1:80"}, DECLARED) == {}


def test_an_empty_variable_says_nothing() -> None:
    assert from_environment({"QUEUECHECK_CLUSTER": " "}, DECLARED) == {}
