"""Is a URL known? Found by its key, settled by its text; and the spellings of the last pages are remembered."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.visited import ENTRY_OCTETS, FROM_VISITED, LONGEST_SPELLING, Spellings, find, key_of
from frontier.session import Session
from tests.docs.conftest import OWN_ROOMS
from tests.frontier.test_discovery import discover
from tests.samples import accounting

ROOT = Path(__file__).resolve().parents[2]
SAME_KEY = ("http://a.example/15760", "http://a.example/113706")
# `FROM url …` or `JOIN url …` with a condition on the text alone, in one SQL statement
BY_TEXT = re.compile(r"(?:FROM|JOIN) url\b(?: ON url\.id = \S+)? WHERE (?:url\.)?url = ")


def test_two_urls_that_share_a_key_are_two_urls(session: Session) -> None:
    first, second = SAME_KEY
    assert key_of(first) == key_of(second)
    discover(session, [first])
    connection = session.database.connection
    assert (find(connection, first) is None, find(connection, second)) == (False, None)
    discover(session, [second])
    assert find(connection, first) != find(connection, second)
    assert accounting(session)["discovered"] == 3


def test_a_row_is_found_whoever_wrote_it(session: Session) -> None:
    with session.database.transaction() as connection:
        connection.execute(
            "INSERT INTO url (url, site, state, depth, found_by, found_at) "
            "VALUES ('http://a.example/x', 1, 0, 1, '', 0)"
        )
    assert session.database.value("SELECT url FROM url WHERE id = ?", find(connection, "http://a.example/x"))


def test_the_question_is_answered_by_the_tree_of_keys(session: Session) -> None:
    rows = session.database.connection.execute(f"EXPLAIN QUERY PLAN SELECT url.id FROM {FROM_VISITED}", (1, "x"))
    assert [row[3].split(" (")[0] for row in rows] == [
        "SEARCH visited USING PRIMARY KEY",
        "SEARCH url USING INTEGER PRIMARY KEY",
    ]


@pytest.mark.parametrize("room", OWN_ROOMS)
def test_nothing_asks_for_a_url_by_its_text_alone(room: str) -> None:
    asking = [
        f"{source.relative_to(ROOT)}: {found[0]}"
        for source in (ROOT / room).rglob("*.py")
        for found in BY_TEXT.finditer(re.sub(r'"\s*\n\s*f?"', "", source.read_text("utf-8")))
    ]
    assert asking == []  # without an index of texts that reads the whole table: crawldb/visited.py finds it


@given(st.lists(st.tuples(st.text(max_size=20), st.integers(1, 9))), st.integers(500, 5000))
def test_it_forgets_and_never_errs(met: list[tuple[str, int]], octets: int) -> None:
    spellings, truth = Spellings(octets), dict[str, int]()
    for spelling, known in met:
        spellings.put(spelling, known)
        truth[spelling] = known
        assert spellings.get(spelling) == known
    assert all(spellings.get(spelling) in {None, known} for spelling, known in truth.items())


def test_its_memory_is_bounded_whatever_it_meets() -> None:
    spellings = Spellings(1_000_000)
    for number in range(100_000):
        spellings.put(f"http://a.example/{number}", number)
    assert len(spellings) * ENTRY_OCTETS < 1_000_000
    held = sys.getsizeof(spellings._young) + sys.getsizeof(spellings._old)
    held += sum(sys.getsizeof(spelling) + 32 for each in (spellings._young, spellings._old) for spelling in each)
    assert held < 1_000_000


def test_what_is_met_again_and_again_is_kept() -> None:
    spellings = Spellings(20_000)
    spellings.put("http://a.example/", 1)
    for number in range(1000):
        spellings.put(f"http://a.example/{number}", number)
        assert spellings.get("http://a.example/") == 1
    assert spellings.get("http://a.example/0") is None


def test_an_overlong_spelling_is_not_kept() -> None:
    spellings = Spellings()
    spellings.put("x" * (LONGEST_SPELLING + 1), 1)
    assert len(spellings) == 0
