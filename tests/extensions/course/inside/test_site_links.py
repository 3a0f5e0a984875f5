"""The links of a site and around a page: as drawn, as counted, and ranked as for the index."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawldb.figures.totals import links_counted
from extensions.course.inside.site_links import DRAWN, crawl_graph, neighbourhood, site_links
from indexer.links import DAMPING
from reports.links import link_report
from tests.samples import SEED, a_page, lease_all

if TYPE_CHECKING:
    from frontier.session import Session

HOST = "http://a.example"
B, C = f"{HOST}/b", f"{HOST}/c"


@pytest.fixture
def linked(session: Session) -> Session:
    """The seed links to b and c; b to the seed; c to b. So b is linked twice."""
    lease_all(session)
    session.store.page(a_page(SEED, links=(B, C)))
    lease_all(session)
    session.store.page(a_page(B, links=(SEED,)))
    session.store.page(a_page(C, links=(B,)))
    return session


def test_the_most_linked_page_of_a_site_is_first_and_the_links_between_are_kept(linked: Session) -> None:
    drawn = site_links(crawl_graph(linked.database), "a.example")
    urls = [page.url for page in drawn.pages]
    assert urls == [B, SEED, C]
    assert {(urls[a], urls[b]) for a, b in drawn.edges} == {(SEED, B), (SEED, C), (B, SEED), (C, B)}
    assert links_counted(linked.database) == 4


@pytest.mark.parametrize("damping", [0.0, 0.5, DAMPING, 0.95])
def test_the_last_round_is_the_pagerank_of_the_report_and_the_first_is_the_seeds(
    linked: Session, damping: float
) -> None:
    drawn = site_links(crawl_graph(linked.database), "", damping)
    told = {page.url: page.pagerank for page in link_report(linked.database, damping).foremost}
    ranks = dict(zip((page.url for page in drawn.pages), drawn.rounds[-1].tolist(), strict=True))
    assert ranks == pytest.approx(told, abs=1e-4)
    assert dict(zip((page.url for page in drawn.pages), drawn.rounds[0].tolist(), strict=True)) == {SEED: 3, B: 0, C: 0}
    assert drawn.changes == pytest.approx(np.abs(np.diff(drawn.rounds, axis=0)).sum(axis=1).tolist())
    assert drawn.changes[-1] < 1e-8
    assert all(after <= damping * before + 1e-12 for before, after in itertools.pairwise(drawn.changes))


def test_around_a_page_are_those_that_link_to_it_and_those_it_links_to(linked: Session) -> None:
    graph = crawl_graph(linked.database)
    around = neighbourhood(graph, "http://A.example:80/b")
    assert around is not None
    assert (around.page.url, around.page.inlinks, around.page.outlinks) == (B, 2, 1)
    assert {page.url for page in around.linking} == {SEED, C}
    assert [page.url for page in around.linked] == [SEED]
    assert around.drawn.pages[0].url == B


@pytest.mark.parametrize("url", ["http://a.example/unknown", "no address", "", "http://[", "javascript:alert(1)"])
def test_what_has_no_part_in_the_graph_has_no_neighbours(linked: Session, url: str) -> None:
    assert neighbourhood(crawl_graph(linked.database), url) is None


def test_a_site_that_is_not_known_has_no_pages_and_of_a_large_one_only_some_are_drawn(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"{HOST}/{place}" for place in range(2 * DRAWN))))
    graph = crawl_graph(session.database)
    assert site_links(graph, "b.example").pages == ()
    assert len(site_links(graph, "a.example").pages) == DRAWN
