"""What is masked in texts, and which values are known to be secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from queuecheck import resources
from queuecheck.catalogue import load_catalogue, read_features
from queuecheck.secrecy import MASK, known, mask, of_command, of_environment, of_kubeconfig


def test_variables_are_secret_by_their_names() -> None:
    environment = {
        "GITHUB_TOKEN": "a",
        "MY_PASSWORD": "b",
        "AWS_SECRET_ACCESS_KEY": "c",
        "API_KEY": "d",
        "HOME": "e",
        "PATH": "f",
    }
    assert sorted(of_environment(environment)) == ["a", "b", "c", "d"]


def test_words_of_a_command_are_secret_by_the_flag() -> None:
    command = ["env", "TOKEN=a", "run", "--token", "b", "--password=c", "--v=2", "-api-key", "d"]
    assert sorted(filter(None, of_command(command))) == ["a", "b", "c", "d"]


def test_a_flag_at_the_end_has_no_value() -> None:
    assert known(of_command(["run", "--token"])).values == frozenset()


def test_users_of_a_kubeconfig_are_secret() -> None:
    users = [{"name": "u", "user": {"token": "a", "client-key-data": "b", "password": "c"}}]
    assert sorted(of_kubeconfig({"users": users, "contexts": [{"name": "d"}]})) == ["a", "b", "c"]


def test_a_word_too_short_to_be_a_secret_is_left_alone() -> None:
    assert known(["true"]).mask("it is true") == "it is true"


def test_each_line_of_a_value_is_secret_by_itself() -> None:
    secrets = known(["first-long-line\nsecond-long-line"])
    assert secrets.mask("x second-long-line y") == f"x {MASK} y"


def test_a_key_is_masked_unless_it_is_ours() -> None:
    secrets = known(["evidence"])
    found = {"evidence": ["no evidence"]}
    assert secrets.masked(found) == {MASK: [f"no {MASK}"]}
    assert secrets.masked(found, keys=False) == {"evidence": [f"no {MASK}"]}


secret = st.text("abcdefghij0123456789+/=-_.", min_size=8, max_size=40)


@given(secret, st.text("xyz \n", max_size=9), st.text("xyz \n", max_size=9))
def test_a_known_secret_is_nowhere_in_plain_data(value: str, before: str, after: str) -> None:
    text = before + value + after
    masked = known([value]).masked({"a": [text, {"b": text}], text: 1})
    assert value not in str(masked)


def test_what_features_and_catalogue_say_is_never_taken_for_a_secret() -> None:
    for row in load_catalogue(resources.catalogue_file("koord-queue")):
        assert mask(row.text) == row.text
    for scenario in read_features(resources.features_root()):
        assert mask(scenario.text) == scenario.text
