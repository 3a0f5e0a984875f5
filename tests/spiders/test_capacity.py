"""How many more URLs may be handed out?

Hosts that answer have all slots; what waits, and who has not answered yet, is counted apart. A host has its
connections, and all hosts of an address share theirs. A trial ends after so many pages in all, or so many requests of
each site.
"""

import math

import pytest

from commands.frame.command_settings import CommandSettings
from spiders import settings
from spiders.arguments import SpiderArguments
from spiders.capacity import (
    MAX_UNHEARD,
    MAX_WITHOUT_SLOT,
    REQUESTS_EACH,
    WAITING_SECONDS,
    HostCapacity,
    RequestSlots,
    TrialBudget,
)
from spiders.crawl_settings import CrawlSettings
from spiders.pace.host_pace import CONCURRENT_REQUESTS_PER_ADDRESS, Pace, PacePolicy


class Clock:
    """Seconds that pass when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_lease_of_a_host_that_answers_holds_a_place_until_it_is_late(clock: Clock) -> None:
    slots = RequestSlots(4, clock)
    slots.responded("quick.example")
    slots.enter(1, "quick.example")
    clock.now = WAITING_SECONDS
    assert (slots.beyond_total, slots.is_late(1)) == (0, False)
    clock.now += 0.1
    assert (slots.beyond_total, slots.is_late(1)) == (REQUESTS_EACH, True)
    slots.leave(1)
    assert slots.beyond_total == 0


def test_however_many_hosts_are_dead_they_hold_no_place_of_the_living(clock: Clock) -> None:
    total, held = 4, 0
    slots = RequestSlots(total, clock)
    for lease in range(1000):
        clock.now += 1.0
        if slots.free_trials > 0:
            slots.enter(lease, f"dead{lease}.example")
            held += 1
        assert slots.beyond_total >= REQUESTS_EACH * held
    assert total < held == MAX_UNHEARD, "one after the other they are tried all the same"


def test_as_many_are_tried_at_once_as_there_are_places_and_then_the_next(clock: Clock) -> None:
    slots = RequestSlots(2, clock)
    slots.enter(1, "a.example")
    slots.enter(2, "b.example")
    assert slots.free_trials == 0
    clock.now = WAITING_SECONDS + 1
    assert slots.free_trials == 2
    slots.enter(3, "c.example")
    slots.leave(3)
    assert slots.free_trials == 2


def test_whoever_falls_silent_has_to_prove_itself_again(clock: Clock) -> None:
    slots = RequestSlots(2, clock)
    assert not slots.responds("a.example")
    slots.responded("a.example")
    assert slots.responds("a.example")
    slots.failed("a.example")
    assert not slots.responds("a.example")
    slots.enter(1, "a.example")
    assert (slots.beyond_total, slots.free_trials) == (REQUESTS_EACH, 1)


def test_what_is_lent_has_a_bound(clock: Clock) -> None:
    slots = RequestSlots(2, clock)
    slots.responded("slow.example")
    for lease in range(2 * MAX_WITHOUT_SLOT):
        slots.enter(lease, "slow.example")
    clock.now = WAITING_SECONDS + 1
    assert slots.beyond_total == REQUESTS_EACH * MAX_WITHOUT_SLOT
    assert slots.free_trials == 2, "slow hosts don't keep new ones from being tried"


def test_names_that_hang_leave_threads_for_the_look_ups_of_others() -> None:
    hanging = CONCURRENT_REQUESTS_PER_ADDRESS * math.ceil(settings.DNS_TIMEOUT / WAITING_SECONDS)
    assert hanging < settings.REACTOR_THREADPOOL_MAXSIZE


def test_hosts_elsewhere_share_the_connections_to_their_address_and_those_on_loopback_do_not() -> None:
    policy = CrawlSettings.read(CommandSettings(), SpiderArguments()).pace_policy
    assert (policy.elsewhere.per_address, policy.loopback.per_address) == (CONCURRENT_REQUESTS_PER_ADDRESS, 0)


ADDRESSES = {
    "a.example": frozenset({"192.0.2.1"}),
    "b.example": frozenset({"192.0.2.1", "192.0.2.2"}),
    "c.example": frozenset({"192.0.2.2"}),
}


def capacity(
    per_address: int = 3,
    concurrency: int = 1,
    *,
    slots: RequestSlots | None = None,
    known: dict[str, frozenset[str]] = ADDRESSES,
) -> HostCapacity:
    """Room for hosts of which a to c, and this machine, have answered."""
    pace = Pace(1.0, concurrency, per_address=per_address)
    slots = slots or RequestSlots(64)
    for host in (*ADDRESSES, "127.0.0.1", "shop.localhost"):
        slots.responded(host)
    return HostCapacity(PacePolicy(pace, Pace(0.0, 8)), lambda host: known.get(host, frozenset()), slots)


def test_a_host_has_place_for_its_connections_and_one_in_reserve() -> None:
    made = capacity(per_address=0)
    assert made.left("a.example") == 2
    made.enter(1, "a.example")
    assert (made.left("a.example"), made.left("b.example"), made.under_way) == (1, 2, 1)
    made.leave(1, "a.example")
    assert (made.left("a.example"), made.under_way) == (2, 0)


def test_hosts_on_one_address_share_its_connections() -> None:
    made = capacity()
    made.enter(1, "a.example")
    made.enter(2, "a.example")
    assert made.left("b.example") == 1
    assert made.left("c.example") == 2, "the other address of b has room"
    made.enter(3, "b.example")
    assert (made.left("b.example"), made.left("c.example")) == (0, 2)
    made.leave(1, "a.example")
    assert made.left("b.example") == 1


def test_what_is_being_chosen_counts_until_the_choice_is_over() -> None:
    made = capacity(per_address=1)
    made.reserve("a.example")
    assert (made.left("b.example"), made.left("c.example")) == (0, 1)
    made.chosen()
    assert made.left("b.example") == 1


def test_a_host_that_has_not_answered_has_place_for_one() -> None:
    slots = RequestSlots(64)
    made = capacity(slots=slots)
    assert made.left("new.example") == 1
    made.enter(1, "new.example")
    assert made.left("new.example") == 0
    slots.responded("new.example")
    assert made.left("new.example") == 1
    slots.failed("new.example")
    assert made.left("new.example") == 0


def test_hosts_that_have_not_answered_are_not_all_tried_at_once() -> None:
    made = capacity(per_address=0, slots=RequestSlots(2))
    made.reserve("new.example")
    assert (made.left("newer.example"), made.left("a.example")) == (1, 2)
    made.enter(1, "newest.example")
    assert (made.left("newer.example"), made.left("a.example")) == (0, 2)
    made.chosen()
    assert made.left("newer.example") == 1


def test_hosts_that_were_never_met_count_as_one_address() -> None:
    made = capacity()
    for lease in range(3):
        made.enter(lease, f"{lease}.example")
    assert (made.left("4.example"), made.left("a.example")) == (0, 2)


def test_hosts_that_were_met_and_never_answer_leave_place_for_others_to_be_met() -> None:
    known = dict(ADDRESSES)
    made = capacity(known=known)
    for lease in range(3):
        made.enter(lease, f"dead{lease}.example")
    assert made.left("new.example") == 0
    known |= {f"dead{lease}.example": frozenset({f"198.51.100.{lease}"}) for lease in range(3)}
    assert made.left("new.example") == 1


def test_hosts_of_one_address_that_are_met_one_after_the_other_have_twice_its_share_at_most() -> None:
    known = dict(ADDRESSES)
    made = capacity(known=known)
    for lease in range(100):
        if made.left(f"blog{lease}.example") > 0:
            made.enter(lease, f"blog{lease}.example")
            known[f"blog{lease}.example"] = frozenset({"198.51.100.1"})
    assert made.under_way == 2 * 3


def test_names_that_are_looked_up_for_long_leave_place_for_others() -> None:
    now = [0.0]
    made = capacity(slots=RequestSlots(64, ticks=lambda: now[0]))
    for lease in range(3):
        made.enter(lease, f"unknown{lease}.example")
    assert made.left("new.example") == 0
    now[0] = WAITING_SECONDS + 1
    assert made.left("new.example") == 1
    made.leave(0, "unknown0.example")


def test_a_lease_ends_where_it_was_counted_though_its_host_is_known_by_then() -> None:
    known: dict[str, frozenset[str]] = {"b.example": frozenset()}
    made = capacity(per_address=1, known=known)
    made.enter(1, "a.example")
    known["a.example"] = frozenset({"192.0.2.1"})
    assert made.left("a.example") == 1
    made.leave(1, "a.example")
    assert made.left("b.example") == 1


def test_this_machine_is_exempt_unless_its_pace_says_otherwise() -> None:
    made = capacity()
    for lease in range(8):
        made.enter(lease, "127.0.0.1")
    assert (made.left("shop.localhost"), made.left("127.0.0.1")) == (9, 1)


def test_a_crawl_that_is_no_trial_has_no_end() -> None:
    trial = TrialBudget()
    trial.fetched()
    assert trial.limit(8, 100) == trial.left("a", 8) == 8
    assert not trial.is_over()
    assert not trial.has_had([])


def test_pages_in_all_end_it_and_those_under_way_count() -> None:
    trial = TrialBudget(pages=3)
    assert trial.limit(8, 0) == 3
    trial.fetched()
    assert trial.limit(8, 2) == 0
    trial.fetched()
    trial.fetched()
    assert trial.is_over()


def test_each_site_has_its_own_room_and_what_was_refused_takes_none() -> None:
    trial = TrialBudget(each=2)
    trial.leased("a")
    trial.leased("a")
    assert (trial.left("a", 8), trial.left("b", 8)) == (0, 2)
    trial.not_asked("a")
    assert trial.left("a", 8) == 1


def test_it_is_over_when_every_site_with_something_due_has_had_its_share() -> None:
    trial = TrialBudget(each=1)
    trial.leased("a")
    assert not trial.has_had(["a", "b"])
    trial.leased("b")
    assert trial.has_had(["a", "b"])
