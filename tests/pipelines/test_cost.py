"""How many statements does SQLite run for a page? The number doesn't depend on the machine, so a test can hold it."""

from collections.abc import Callable

from frontier.session import Session
from pipelines.filters import FilterSettings, PageFilters
from tests.samples import SEED, a_page, accounting

PAGES = 60
TOGETHER = 8  # pages in a transaction, as in a crawl
MOST_STATEMENTS = 46  # a page, with all of a transaction; a row that is written is one statement


def words(url: str) -> str:
    """Text that only this page has."""
    return " ".join(f"{url}word{number}" for number in range(60))


def test_a_page_is_found_leased_judged_and_stored_in_few_statements(open_session: Callable[..., Session]) -> None:
    session = open_session(probe_after=PAGES + 1)
    filters = PageFilters(session.database, FilterSettings())
    ran: list[str] = []
    session.database.connection.set_trace_callback(ran.append)
    home = (f"{SEED}page{number}.html" for number in range(PAGES - 1))
    links = {SEED: tuple(home)}
    while leased := session.frontier.lease(TOGETHER, lambda _: TOGETHER):
        with session.store.together():
            for url in (lease.url for lease in leased):
                page = a_page(url, words(url), links.get(url, (SEED,)), content_type="text/html", fingerprint=b"")
                session.store.page(filters.apply(page))
    session.database.connection.set_trace_callback(None)
    assert accounting(session)["done"] == PAGES
    own = [statement for statement in ran if not statement.startswith("--")]  # what a trigger runs begins so
    assert len(own) / PAGES <= MOST_STATEMENTS
