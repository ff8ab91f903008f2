from hypothesis import given
from hypothesis import strategies as st

from controller.shell.agenda import Agenda, Timers


def drain(agenda: Agenda[str]) -> list[str]:
    return list(iter(agenda.take, None))


def test_a_key_is_due_once_in_the_order_of_its_first_addition() -> None:
    agenda: Agenda[str] = Agenda()
    agenda.add(["b", "a", "b"])
    agenda.add(["a", "c"])
    assert drain(agenda) == ["b", "a", "c"]


def test_a_key_added_while_it_has_its_turn_is_due_again() -> None:
    agenda: Agenda[str] = Agenda()
    agenda.add(["a"])
    assert agenda.take() == "a"
    agenda.add(["a"])
    assert drain(agenda) == ["a"]


def test_nothing_to_do_means_no_wake_up() -> None:
    assert Agenda[str]().rest(wall=0, steady=0) is None


def test_a_key_wakes_at_its_time_and_not_before() -> None:
    agenda: Agenda[str] = Agenda()
    agenda.wake("a", 100.0)
    agenda.advance(wall=99.0, steady=0)
    assert len(agenda) == 0
    assert agenda.rest(wall=99.0, steady=0) == 1.0
    agenda.advance(wall=100.0, steady=0)
    assert drain(agenda) == ["a"]
    assert agenda.rest(wall=100.0, steady=0) is None


def test_a_later_plan_moves_or_takes_away_the_time() -> None:
    agenda: Agenda[str] = Agenda()
    agenda.wake("a", 100.0)
    agenda.wake("a", 200.0)
    agenda.wake("b", 150.0)
    agenda.wake("b", None)
    agenda.advance(wall=199.0, steady=0)
    assert len(agenda) == 0
    agenda.advance(wall=200.0, steady=0)
    assert drain(agenda) == ["a"]


def test_a_postponed_key_comes_back_by_itself_and_not_before() -> None:
    agenda: Agenda[str] = Agenda(first_delay=1, longest_delay=4)
    assert agenda.postpone("a", steady=10.0) == 1
    agenda.add(["a"])
    agenda.wake("a", 1.0)
    agenda.advance(wall=2.0, steady=10.5)
    assert len(agenda) == 0
    assert agenda.rest(wall=2.0, steady=10.5) == 0.5
    agenda.advance(wall=2.0, steady=11.0)
    assert drain(agenda) == ["a"]


def test_delays_double_up_to_the_longest_and_start_anew_after_a_success() -> None:
    agenda: Agenda[str] = Agenda(first_delay=1, longest_delay=4)
    assert [agenda.postpone("a", steady=0) for _ in range(4)] == [1, 2, 4, 4]
    agenda.succeeded("a")
    assert agenda.postpone("a", steady=0) == 1


def test_a_repeated_key_comes_back_by_itself_and_with_a_change_before() -> None:
    agenda: Agenda[str] = Agenda(first_delay=1, longest_delay=4)
    agenda.repeat("a", steady=10.0)
    assert agenda.rest(wall=0, steady=10.0) == 1.0
    agenda.add(["a"])
    assert drain(agenda) == ["a"]
    agenda.repeat("a", steady=10.0)
    agenda.advance(wall=0, steady=11.9)
    assert len(agenda) == 0
    agenda.advance(wall=0, steady=12.0)
    assert drain(agenda) == ["a"]


def test_what_has_succeeded_is_not_repeated() -> None:
    agenda: Agenda[str] = Agenda()
    agenda.repeat("a", steady=0)
    agenda.succeeded("a")
    assert agenda.rest(wall=0, steady=0) is None


def test_the_servers_wish_is_the_least() -> None:
    agenda: Agenda[str] = Agenda(first_delay=1, longest_delay=4)
    assert agenda.postpone("a", steady=0, at_least=60) == 60


def test_a_time_that_is_set_again_and_again_takes_no_room() -> None:
    timers: Timers[str] = Timers()
    timers.set("a", 5.0)
    for number in range(10_000):
        timers.set("b", None)
        timers.set("b", 1e9 + number % 2)
    assert len(timers._heap) < 100
    assert list(timers.expire(1e9)) == ["a"]
    assert timers.next() == 1e9 + 1


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.none() | st.integers(0, 9)), max_size=40),
    st.integers(0, 9),
)
def test_expired_timers_are_exactly_those_last_set_to_that_time_or_earlier(
    settings: list[tuple[str, int | None]], now: int
) -> None:
    timers: Timers[str] = Timers()
    for key, at in settings:
        timers.set(key, at)
    last = dict(settings)
    due = {key for key, at in last.items() if at is not None and at <= now}
    rest = [at for at in last.values() if at is not None and at > now]
    assert sorted(timers.expire(now)) == sorted(due)
    assert timers.next() == (min(rest) if rest else None)
