"""Which of some addresses lead here, at once or by way of others; and which pages are called otherwise by a change."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.links import LinkGraph, led_to
from frontier.session import Session
from tests.samples import SEED, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule

HOST = "http://a.example"


def test_a_chain_of_redirects_is_followed(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/a"))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/a", LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/b"))
    asked = [SEED, f"{HOST}/a", f"{HOST}/b", f"{HOST}/unknown"]
    assert list(led_to(session.database, f"{HOST}/b", asked)) == [SEED, f"{HOST}/a"]
    assert list(led_to(session.database, f"{HOST}/c", asked)) == []


def test_a_circle_ends(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/a"))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/a", LeaseEnd.MOVED, Rule.MOVED, status=301, target=SEED))
    assert list(led_to(session.database, f"{HOST}/b", [SEED])) == []


PAGES, TEXTS = range(1, 5), ("", "rye", "bread")
LINKS = st.frozensets(st.tuples(st.sampled_from(PAGES), st.sampled_from(TEXTS)), max_size=5)
STEPS = st.lists(st.tuples(st.sampled_from(PAGES), LINKS, st.booleans()), max_size=12)


def texts_of(graph: dict[int, frozenset[tuple[int, str]]]) -> dict[int, set[str]]:
    return {page: {text for links in graph.values() for target, text in links if target == page} for page in PAGES}


@pytest.fixture(scope="module")
def two_connections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CrawlDatabase, CrawlDatabase]]:
    folder = tmp_path_factory.mktemp("links")
    with CrawlDatabase(folder) as database, CrawlDatabase(folder) as other:
        yield database, other


@settings(deadline=None)
@given(steps=STEPS)
def test_a_page_is_told_when_it_gains_or_loses_a_text_whoever_wrote_last(
    two_connections: tuple[CrawlDatabase, CrawlDatabase],
    steps: list[tuple[int, frozenset[tuple[int, str]], bool]],
) -> None:
    database, other = two_connections
    with database.transaction():  # nothing is left of the example before
        for page in PAGES:
            LinkGraph(database).replace(page, frozenset())
    remembering = LinkGraph(database)
    known: dict[int, frozenset[tuple[int, str]]] = {}
    for source, links, by_another in steps:
        before = texts_of(known)
        known[source] = frozenset((target, text) for target, text in links if target != source)
        graph, written = (LinkGraph(other), other) if by_another else (remembering, database)
        with written.transaction():
            changed = graph.replace(source, links)
        after = texts_of(known)
        assert changed == {page for page in PAGES if before[page] - {""} != after[page] - {""}}
