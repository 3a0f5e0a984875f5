"""Reservations: large responses wait for memory, one after another, and none waits for ever."""

from hypothesis import given
from hypothesis import strategies as st

from spiders.downloader.response_limits import Reservations


def test_who_comes_when_there_is_room_goes_on_and_the_others_wait_their_turn() -> None:
    reservations: Reservations[str] = Reservations(10)
    assert reservations.ask("a", 6)
    assert not reservations.ask("b", 6)
    assert not reservations.ask("c", 1)  # it would fit, but it does not overtake: else b might wait for ever
    assert reservations.leave("a") == ["b", "c"]
    assert reservations.held == 7


def test_one_that_is_larger_than_all_there_is_goes_alone() -> None:
    reservations: Reservations[str] = Reservations(10)
    assert reservations.ask("a", 50)
    assert not reservations.ask("b", 1)
    assert reservations.leave("a") == ["b"]


def test_who_gives_up_waiting_makes_way() -> None:
    reservations: Reservations[str] = Reservations(10)
    reservations.ask("a", 5)
    reservations.ask("b", 9)
    reservations.ask("c", 5)
    assert reservations.leave("b") == ["c"]
    assert reservations.leave("nobody") == []


@given(st.lists(st.integers(1, 12), max_size=30))
def test_everybody_has_their_turn_and_the_bound_holds(sizes: list[int]) -> None:
    reservations: Reservations[int] = Reservations(10)
    under_way = [who for who, size in enumerate(sizes) if reservations.ask(who, size)]
    served = []
    while under_way:
        assert len(under_way) == 1 or reservations.held <= 10
        served.append(under_way.pop(0))
        under_way += reservations.leave(served[-1])
    assert sorted(served) == list(range(len(sizes)))
