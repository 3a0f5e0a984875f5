"""Is a URL known? Found by its key, settled by its text, however the row came there."""

import re
from pathlib import Path

import pytest

from crawldb.visited import FROM_VISITED, find, key_of
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
