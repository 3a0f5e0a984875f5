"""When is PageRank computed again, and which of its values reach a search?"""

from dataclasses import replace
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from frontier.session import Session
from frontier.takedown import forget
from indexer import open_index, open_writer
from indexer.following import FeedFollower, StopSignal, catch_up
from indexer.links import PageRankSchedule
from indexer.segments.link_ranks import GraphState
from tests.samples import SEED, a_page, lease_all
from urls.records import Link

HOST = "http://a.example"


@pytest.mark.parametrize(
    ("state", "changes", "ending", "due"),
    [
        pytest.param(GraphState(), 0, True, False, id="no link was ever met"),
        pytest.param(GraphState(), 1, False, True, id="the first links count at once"),
        pytest.param(GraphState(100, 100, 50, 0.85), 125, False, False, id="a quarter more is not enough"),
        pytest.param(GraphState(100, 100, 50, 0.85), 126, False, True, id="… more than that is"),
        pytest.param(GraphState(100, 100, 50, 0.85), 101, True, True, id="at the end each link counts"),
        pytest.param(GraphState(100, 100, 50, 0.85, 0, 0), 100, True, False, id="nothing changed: nothing to do"),
        pytest.param(GraphState(100, 100, 50, 0.85), 100, True, True, id="of a version that counted no sites"),
        pytest.param(GraphState(100, 100, 50, 0.85, 0), 100, True, True, id="… or no texts of links"),
        pytest.param(GraphState(100, 100, 50, 0.85), 100, False, False, id="… which has time until the end"),
        pytest.param(GraphState(100, 100, 50, 0.5), 100, False, True, id="another damping"),
        pytest.param(GraphState(900, 100, 50, 0.85), 100, False, True, id="the database was put back to an older copy"),
        pytest.param(GraphState(900, 0, 0, 0.85), 900, True, False, id="all links are gone, and that is known"),
    ],
)
def test_it_is_due(state: GraphState, changes: int, *, ending: bool, due: bool) -> None:
    assert PageRankSchedule().is_due(state, changes, ending=ending) is due


def crawl(session: Session) -> None:
    """A seed that links to two pages, which link to one of them."""
    lease_all(session)
    session.store.page(a_page(SEED, "the first", links=(f"{HOST}/b", f"{HOST}/c")))
    lease_all(session)
    session.store.page(a_page(f"{HOST}/b", "the second", links=(SEED,)))
    session.store.page(a_page(f"{HOST}/c", "the third", links=(f"{HOST}/b",)))


def test_the_index_knows_the_links_of_the_crawl_when_it_ends(session: Session, data_dir: Path) -> None:
    crawl(session)
    catch_up(data_dir)
    searcher = open_index(data_dir)
    standings = {name: searcher.standing(f"{HOST}/{name}") for name in ("", "b", "c")}
    assert {name: (found.place, found.inlinks) for name, found in standings.items() if found} == {
        "": (1, 1),
        "b": (2, 2),
        "c": (3, 1),
    }
    assert sum(found.pagerank for found in standings.values() if found) == pytest.approx(3, abs=1e-3)


def test_what_a_page_links_to_next_time_counts_without_any_page_being_indexed_again(
    session: Session, data_dir: Path
) -> None:
    crawl(session)
    until = StopSignal()
    until.closed.set()
    links = (Link(f"{HOST}/b", "a link"), Link(SEED, ""))  # no words: no page's entry changes by that
    with CrawlDatabase(data_dir, readonly=True) as database, open_writer(data_dir) as writer:
        follower = FeedFollower(Feed(database), writer)
        follower.follow(until)
        put = follower.put
        session.store.page(replace(a_page(f"{HOST}/c", "the third"), links=links))
        follower.follow(until)
    found = open_index(data_dir).standing(SEED)
    assert found is not None
    assert found.inlinks == 2
    assert (follower.put, follower.commits) == (put, 2)


def test_who_takes_a_page_out_does_not_wait_for_it(session: Session, data_dir: Path) -> None:
    crawl(session)
    catch_up(data_dir)
    forget(session.database, f"{HOST}/c")
    catch_up(data_dir)
    found = open_index(data_dir).standing(f"{HOST}/b")
    assert found is not None
    assert found.inlinks == 2  # as it was last computed; the next crawl tells otherwise


def test_with_a_damping_of_zero_nobody_follows_a_link(session: Session) -> None:
    crawl(session)
    ranks = PageRankSchedule(damping=0.0).ranks(*Feed(session.database).links())
    assert sorted(ranks.ranks.tolist()) == [0, 0, 3]  # the seed has it all
