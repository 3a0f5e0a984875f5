"""Room: connections to a host, and to all hosts of an address."""

from spiders.pace import Pace, Paces
from spiders.pace.places import WAITING_SECONDS, Places
from spiders.pace.room import Room

ADDRESSES = {
    "a.example": frozenset({"192.0.2.1"}),
    "b.example": frozenset({"192.0.2.1", "192.0.2.2"}),
    "c.example": frozenset({"192.0.2.2"}),
}


def room(
    per_address: int = 3,
    concurrency: int = 1,
    *,
    places: Places | None = None,
    known: dict[str, frozenset[str]] = ADDRESSES,
) -> Room:
    """Room for hosts of which a to c, and this machine, have answered."""
    pace = Pace(1.0, concurrency, per_address=per_address)
    places = places or Places(64)
    for host in (*ADDRESSES, "127.0.0.1", "shop.localhost"):
        places.heard(host)
    return Room(Paces(pace, Pace(0.0, 8)), lambda host: known.get(host, frozenset()), places)


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


def test_a_host_that_has_not_answered_has_place_for_one() -> None:
    places = Places(64)
    made = room(places=places)
    assert made.left("new.example") == 1
    made.enter(1, "new.example")
    assert made.left("new.example") == 0
    places.heard("new.example")
    assert made.left("new.example") == 1
    places.missed("new.example")
    assert made.left("new.example") == 0


def test_hosts_that_have_not_answered_are_not_all_tried_at_once() -> None:
    made = room(per_address=0, places=Places(2))
    made.promise("new.example")
    assert (made.left("newer.example"), made.left("a.example")) == (1, 2)
    made.enter(1, "newest.example")
    assert (made.left("newer.example"), made.left("a.example")) == (0, 2)
    made.chosen()
    assert made.left("newer.example") == 1


def test_hosts_that_were_never_met_count_as_one_address() -> None:
    made = room()
    for lease in range(3):
        made.enter(lease, f"{lease}.example")
    assert (made.left("4.example"), made.left("a.example")) == (0, 2)


def test_hosts_that_were_met_and_never_answer_leave_place_for_others_to_be_met() -> None:
    known = dict(ADDRESSES)
    made = room(known=known)
    for lease in range(3):
        made.enter(lease, f"dead{lease}.example")
    assert made.left("new.example") == 0
    known |= {f"dead{lease}.example": frozenset({f"198.51.100.{lease}"}) for lease in range(3)}
    assert made.left("new.example") == 1


def test_hosts_of_one_address_that_are_met_one_after_the_other_have_twice_its_share_at_most() -> None:
    known = dict(ADDRESSES)
    made = room(known=known)
    for lease in range(100):
        if made.left(f"blog{lease}.example") > 0:
            made.enter(lease, f"blog{lease}.example")
            known[f"blog{lease}.example"] = frozenset({"198.51.100.1"})
    assert made.under_way == 2 * 3


def test_names_that_are_looked_up_for_long_leave_place_for_others() -> None:
    now = [0.0]
    made = room(places=Places(64, ticks=lambda: now[0]))
    for lease in range(3):
        made.enter(lease, f"unknown{lease}.example")
    assert made.left("new.example") == 0
    now[0] = WAITING_SECONDS + 1
    assert made.left("new.example") == 1
    made.leave(0, "unknown0.example")


def test_a_lease_ends_where_it_was_counted_though_its_host_is_known_by_then() -> None:
    known: dict[str, frozenset[str]] = {"b.example": frozenset()}
    made = room(per_address=1, known=known)
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
