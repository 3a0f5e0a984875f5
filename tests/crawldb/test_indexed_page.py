"""The view `indexed_page`: which pages are in the index. It comes to folders of before, and costs a query nothing."""

from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase, in_index
from crawldb.pages.copies import is_indexed
from crawldb.visited import find
from frontier.session import Session
from tests.samples import SEED, a_page, lease_all
from urls.records import Refusal
from urls.rules import Rule

HIDDEN = "http://a.example/hidden"
BEFORE_THE_VIEW = 38  # the version of the schema before it


def two_pages(session: Session) -> None:
    """Store a page that is in the index, and one that says noindex."""
    lease_all(session)
    session.store.page(a_page(SEED, "This is shown", links=(HIDDEN,)))
    lease_all(session)
    session.store.page(a_page(HIDDEN, "This is not", refusals=(Refusal(Rule.NOINDEX, "a meta says noindex"),)))


def test_a_page_that_no_filter_rejected_is_in_the_index(session: Session) -> None:
    two_pages(session)
    database = session.database
    rows = database.connection.execute("SELECT url.url, title FROM indexed_page AS page JOIN url ON url.id = page.url")
    assert [url for url, _ in rows] == [SEED]
    ids = {url: number for url in (SEED, HIDDEN) if (number := find(database.connection, url))}
    assert {url: is_indexed(database, number) for url, number in ids.items()} == {SEED: True, HIDDEN: False}
    shown = database.connection.execute(f"SELECT url, {in_index('page.url')} FROM page").fetchall()
    assert dict(shown) == {ids[SEED]: 1, ids[HIDDEN]: 0}


def test_a_folder_of_before_the_view_gets_it_and_keeps_its_pages(session: Session, data_dir: Path) -> None:
    two_pages(session)
    session.close("finished")
    with CrawlDatabase(data_dir) as database:
        database.connection.execute("DROP VIEW indexed_page")
        database.connection.execute("ALTER TABLE host DROP COLUMN public")  # which came later
        database.connection.execute(f"PRAGMA user_version = {BEFORE_THE_VIEW}")
    with CrawlDatabase(data_dir) as database:
        assert database.count("SELECT count(*) FROM page") == 2
        [shown] = database.connection.execute("SELECT url.url FROM indexed_page JOIN url ON url.id = indexed_page.url")
        assert shown == (SEED,)
        columns = "SELECT name FROM pragma_table_info(?)"
        assert database.connection.execute(columns, ("indexed_page",)).fetchall() == (
            database.connection.execute(columns, ("page",)).fetchall()
        )


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("url = 1", "INTEGER PRIMARY KEY"),
        ("fingerprint = x'00' ORDER BY page.url", "page_fingerprint"),
        ("cluster IS NOT NULL GROUP BY cluster", "page_cluster"),
        ("duplicate_of IS NOT NULL", "page_duplicate"),
        ("canonical = 1 ORDER BY page.url", "page_canonical"),
    ],
)
def test_sqlite_looks_up_a_page_in_the_view_by_the_indexes_of_its_table(data_dir: Path, query: str, index: str) -> None:
    with CrawlDatabase(data_dir) as database:
        sql = f"EXPLAIN QUERY PLAN SELECT title FROM indexed_page AS page WHERE {query}"
        [step] = [step for *_, step in database.connection.execute(sql)]  # one: no view is filled, nothing is sorted
    assert f"page USING {'' if index.isupper() else 'INDEX '}{index}" in step
