"""Which links count, and how much: read from a crawl's own database."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.pages.feed import read_link_rows
from frontier.session import Session
from indexer.links import NEAR_COPY, OWN_SITE, TEMPLATE, WebGraph, web_graph
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd, Link
from urls.rules import Rule

HOST = "http://a.example"


def weights(graph: WebGraph) -> dict[tuple[str, str], float]:
    """The weight of each link, by the ends of the addresses of its two pages; of several names the first."""
    names = {int(node): url for url, node in zip(reversed(graph.urls), reversed(graph.node), strict=True)}
    links = zip(graph.sources, graph.targets, graph.weights, strict=True)
    return {(names[s].removeprefix(HOST), names[t].removeprefix(HOST)): w for s, t, w in links}


def graph_of(session: Session) -> WebGraph:
    return web_graph(read_link_rows(session.database))


def test_a_page_is_linked_once_by_another_however_often_and_never_by_itself(session: Session) -> None:
    lease_all(session)
    twice = (Link(f"{HOST}/b", "one"), Link(f"{HOST}/b", "two"), Link(SEED, "itself"))
    session.store.page(replace(a_page(SEED), links=twice))
    graph = graph_of(session)
    assert weights(graph) == {("/", "/b"): OWN_SITE}
    assert graph.inlinks.tolist() == [0, 1]
    assert graph.roots.tolist() == [True, False]


def test_a_link_that_says_nofollow_is_none(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/b",)))
    lease_all(session)
    links = (Link(f"{HOST}/c", "vouched for", nofollow=True), Link(SEED, "home"))
    session.store.page(replace(a_page(f"{HOST}/b"), links=links))
    assert set(weights(graph_of(session))) == {("/", "/b"), ("/b", "/")}


def test_what_a_site_repeats_weighs_a_tenth(session: Session) -> None:
    lease_all(session)
    others = tuple(f"{HOST}/{number}" for number in range(5))
    session.store.page(a_page(SEED, links=others))
    lease_all(session)
    for url in others:
        session.store.page(a_page(url, links=(f"{HOST}/imprint", f"{url}/own")))
    found = weights(graph_of(session))
    assert found["/0", "/imprint"] == pytest.approx(OWN_SITE * TEMPLATE)
    assert found["/0", "/0/own"] == found["/", "/0"] == OWN_SITE < 1


def test_a_link_from_another_site_counts_in_full(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, "http://b.example/")
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://b.example/",)))
    assert weights(graph_of(session)) == {("/", "http://b.example/"): 1.0}


def test_links_from_other_sites_are_counted_once_a_site(open_session: Callable[..., Session]) -> None:
    other = "http://b.example/"
    session = open_session(SEED, other)
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/b", other)))
    session.store.page(a_page(other, links=(f"{other}own",)))
    lease_all(session)
    session.store.page(a_page(f"{HOST}/b", links=(other, SEED)))
    session.store.page(a_page(f"{other}own", links=(other,)))
    graph = graph_of(session)
    counted = {url: int(graph.other_sites[node]) for url, node in zip(graph.urls, graph.node, strict=True)}
    assert counted == {SEED: 0, other: 1, f"{HOST}/b": 0, f"{other}own": 0}
    assert graph.inlinks[graph.node[graph.urls.index(other)]] == 3
    assert graph.linking_sites == 1


def test_a_link_between_near_copies_weighs_a_tenth(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/b",)))
    lease_all(session)
    session.store.page(a_page(f"{HOST}/b"))
    with session.database.transaction():
        connection = session.database.connection
        connection.execute("INSERT INTO cluster (id, signature, canonical, reason) VALUES (7, x'00', 1, 'first')")
        connection.execute("UPDATE page SET cluster = 7")
    assert weights(graph_of(session)) == {("/", "/b"): pytest.approx(OWN_SITE * NEAR_COPY)}


def test_names_of_one_page_are_one_page(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/old", f"{HOST}/new")))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/old", LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/new"))
    session.store.page(a_page(f"{HOST}/new", links=(f"{HOST}/old",)))
    graph = graph_of(session)
    assert weights(graph) == {("/", "/old"): OWN_SITE}
    assert graph.node[1] == graph.node[2]


def test_a_crawl_without_links_has_a_graph_all_the_same(session: Session) -> None:
    graph = graph_of(session)
    assert (graph.pages, len(graph.sources)) == (1, 0)
