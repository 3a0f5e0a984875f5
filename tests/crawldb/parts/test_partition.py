"""Which part has a host? Every part works out the same, evenly, and little moves when there is one part more."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.parts.partition import WHOLE, Partition, heirs_of, partition_of, shares_of, winner

HOSTS = [f"host{number}.example" for number in range(3000)]


@pytest.mark.parametrize("parts", [2, 3, 8])
def test_hosts_are_shared_evenly(parts: int) -> None:
    shares = Counter(winner(host, parts) for host in HOSTS)
    assert set(shares) == set(range(1, parts + 1))
    assert all(abs(share - len(HOSTS) / parts) < 0.15 * len(HOSTS) / parts + 30 for share in shares.values())


@pytest.mark.parametrize("parts", [2, 3, 8])
def test_with_one_part_more_hosts_move_to_the_new_part_only(parts: int) -> None:
    moved = [host for host in HOSTS if winner(host, parts + 1) != winner(host, parts)]
    assert all(winner(host, parts + 1) == parts + 1 for host in moved)
    assert abs(len(moved) - len(HOSTS) / (parts + 1)) < 0.2 * len(HOSTS) / (parts + 1)


@given(st.from_regex(r"[a-z][a-z0-9.-]{0,30}", fullmatch=True), st.integers(1, 8))
def test_each_host_has_one_owner_whatever_its_port(host: str, parts: int) -> None:
    owners = [number for number in range(1, parts + 1) if Partition(number, parts).owns(f"{host}:8080")]
    assert owners == [Partition(1, parts).owner(host)]


COUNTS = st.lists(st.integers(2, 60), min_size=2, max_size=5, unique=True).map(lambda found: tuple(sorted(found)))
NAMES = st.from_regex(r"[a-z][a-z0-9.-]{0,30}", fullmatch=True)


@given(NAMES, COUNTS)
def test_when_a_crawl_is_split_a_host_stays_or_goes_to_a_part_that_is_new(host: str, counts: tuple[int, ...]) -> None:
    for times in range(1, len(counts)):
        before, after = winner(host, *counts[:times]), winner(host, *counts[: times + 1])
        assert after == before or counts[times - 1] < after <= counts[times]
        assert after in heirs_of(before, times - 1, counts[: times + 1])
    owners = [number for number in range(1, counts[-1] + 1) if Partition(number, counts[-1], counts[:-1]).owns(host)]
    assert owners == [winner(host, *counts)]


@given(COUNTS)
def test_each_new_part_comes_from_one_old_one(counts: tuple[int, ...]) -> None:
    heirs = [heir for part in range(1, counts[0] + 1) for heir in heirs_of(part, 0, counts)]
    assert sorted(heirs) == list(range(1, counts[-1] + 1))
    shares = shares_of(counts)
    assert sum(shares.values()) == 1
    assert max(shares.values()) <= 2 * min(shares.values())
    assert shares.keys() == set(heirs)


def test_twice_as_many_parts_are_all_of_one_size_again() -> None:
    assert set(shares_of((3, 6, 12)).values()) == {Fraction(1, 12)}
    assert set(shares_of((4, 6, 8)).values()) == {Fraction(1, 8)}, "those that stayed large are split first"
    shares = Counter(winner(host, 4, 6, 8) for host in HOSTS)
    assert all(abs(share - len(HOSTS) / 8) < 0.3 * len(HOSTS) / 8 for share in shares.values())


def test_an_undivided_crawl_owns_everything() -> None:
    assert WHOLE.whole
    assert all(WHOLE.owns(host) for host in HOSTS)


def test_a_part_is_written_as_it_is_read() -> None:
    assert str(partition_of("2/3")) == "2/3"


@given(st.text())
def test_any_text_is_a_part_or_a_value_error(text: str) -> None:
    try:
        part = partition_of(text)
    except ValueError as error:
        assert "write 1/3" in str(error)  # noqa: PT017 - any text may be one or the other
    else:
        assert 1 <= part.number <= part.of
