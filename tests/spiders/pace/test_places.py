"""Places: hosts that answer have all of them; what waits, and who has not answered yet, is counted apart."""

import math

import pytest

from spiders import settings
from spiders.pace.places import MAX_OUTSIDE, MAX_UNHEARD, PLACES_EACH, WAITING_SECONDS, Places


class Clock:
    """Seconds that pass when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_lease_of_a_host_that_answers_holds_a_place_until_it_is_late(clock: Clock) -> None:
    places = Places(4, clock)
    places.heard("quick.example")
    places.enter(1, "quick.example")
    clock.now = WAITING_SECONDS
    assert (places.lent, places.is_late(1)) == (0, False)
    clock.now += 0.1
    assert (places.lent, places.is_late(1)) == (PLACES_EACH, True)
    places.leave(1)
    assert places.lent == 0


def test_however_many_hosts_are_dead_they_hold_no_place_of_the_living(clock: Clock) -> None:
    total, held = 4, 0
    places = Places(total, clock)
    for lease in range(1000):
        clock.now += 1.0
        if places.untaken > 0:
            places.enter(lease, f"dead{lease}.example")
            held += 1
        assert places.lent >= PLACES_EACH * held
    assert total < held == MAX_UNHEARD, "one after the other they are tried all the same"


def test_as_many_are_tried_at_once_as_there_are_places_and_then_the_next(clock: Clock) -> None:
    places = Places(2, clock)
    places.enter(1, "a.example")
    places.enter(2, "b.example")
    assert places.untaken == 0
    clock.now = WAITING_SECONDS + 1
    assert places.untaken == 2
    places.enter(3, "c.example")
    places.leave(3)
    assert places.untaken == 2


def test_whoever_falls_silent_has_to_prove_itself_again(clock: Clock) -> None:
    places = Places(2, clock)
    assert not places.answers("a.example")
    places.heard("a.example")
    assert places.answers("a.example")
    places.missed("a.example")
    assert not places.answers("a.example")
    places.enter(1, "a.example")
    assert (places.lent, places.untaken) == (PLACES_EACH, 1)


def test_what_is_lent_has_a_bound(clock: Clock) -> None:
    places = Places(2, clock)
    places.heard("slow.example")
    for lease in range(2 * MAX_OUTSIDE):
        places.enter(lease, "slow.example")
    clock.now = WAITING_SECONDS + 1
    assert places.lent == PLACES_EACH * MAX_OUTSIDE
    assert places.untaken == 2, "slow hosts don't keep new ones from being tried"


def test_names_that_hang_leave_threads_for_the_look_ups_of_others() -> None:
    hanging = settings.CONCURRENT_REQUESTS_PER_ADDRESS * math.ceil(settings.DNS_TIMEOUT / WAITING_SECONDS)
    assert hanging < settings.REACTOR_THREADPOOL_MAXSIZE
