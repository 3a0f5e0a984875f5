"""Room: connections to a host, and to all hosts of an address."""

from spiders.pace import Pace, Paces
from spiders.pace.room import PLACES_EACH, WAITING_SECONDS, Room

ADDRESSES = {
    "a.example": frozenset({"192.0.2.1"}),
    "b.example": frozenset({"192.0.2.1", "192.0.2.2"}),
    "c.example": frozenset({"192.0.2.2"}),
}


def room(per_address: int = 3, concurrency: int = 1) -> Room:
    pace = Pace(1.0, concurrency, per_address=per_address)
    return Room(Paces(pace, Pace(0.0, 8)), lambda host: ADDRESSES.get(host, frozenset()))


def test_a_host_has_place_for_its_connections_and_one_in_reserve() -> None:
    made = room(per_address=0)
    assert made.left("a.example") == 2
    made.enter(1, "a.example")
    assert (made.left("a.example"), made.left("b.example"), made.under_way) == (1, 2, 1)
    made.leave(1, "a.example")
    assert (made.left("a.example"), made.under_way) == (2, 0)


def test_hosts_on_one_address_share_its_connections() -> None:
    made = room()
    made.enter(1, "a.example")
    made.enter(2, "a.example")
    assert made.left("b.example") == 1
    assert made.left("c.example") == 2, "the other address of b has room"
    made.enter(3, "b.example")
    assert (made.left("b.example"), made.left("c.example")) == (0, 2)
    made.leave(1, "a.example")
    assert made.left("b.example") == 1


def test_what_is_being_chosen_counts_until_the_choice_is_over() -> None:
    made = room(per_address=1)
    made.promise("a.example")
    assert (made.left("b.example"), made.left("c.example")) == (0, 1)
    made.chosen()
    assert made.left("b.example") == 1


def test_hosts_that_were_never_met_count_as_one_address() -> None:
    made = room()
    for lease in range(3):
        made.enter(lease, f"{lease}.example")
    assert (made.left("4.example"), made.left("a.example")) == (0, 2)


def test_a_lease_ends_where_it_was_counted_though_its_host_is_known_by_then() -> None:
    known: dict[str, frozenset[str]] = {}
    made = Room(Paces(Pace(1.0, 1, per_address=1), Pace(0.0, 8)), lambda host: known.get(host, frozenset()))
    made.enter(1, "a.example")
    known["a.example"] = frozenset({"192.0.2.1"})
    assert made.left("a.example") == 1
    made.leave(1, "a.example")
    assert made.left("b.example") == 1


def test_this_machine_is_exempt_unless_its_pace_says_otherwise() -> None:
    made = room()
    for lease in range(8):
        made.enter(lease, "127.0.0.1")
    assert (made.left("shop.localhost"), made.left("127.0.0.1")) == (9, 1)


def test_what_waits_for_long_gives_its_place_to_others_until_it_ends() -> None:
    now = [0.0]
    made = Room(Paces(Pace(1.0, 1), Pace(0.0, 8)), lambda _: frozenset(), ticks=lambda: now[0])
    made.enter(1, "dead.example")
    now[0] = 2.0
    made.enter(2, "quick.example")
    assert made.waiting == 0
    now[0] = WAITING_SECONDS + 1
    assert made.waiting == PLACES_EACH
    made.leave(1, "dead.example")
    assert made.waiting == 0
