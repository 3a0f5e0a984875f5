"""What each seed reaches, by an oracle that walks from every seed; and what a crawl without a seed really loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawldb.pages.feed import LinkRows
from extensions.course.root_set.reach import MAX_SEEDS, RootSetReach, WayGraph, loss_without, root_set
from extensions.course.root_set.study import seed_loss, study
from extensions.course.root_set.tables import WayRows
from gateway import GatewaySettings, create_app
from tests.journey.conftest import Folder, Site, _forks, folder, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["_forks", "folder"]  # fixtures
NONE = np.zeros((0, 2), np.int64)


def rows(
    count: int, links: Iterable[tuple[int, int]], seeds: Sequence[int], handed_over: Sequence[int] = ()
) -> WayRows:
    """A crawl of `count` stored pages, with the ids 0, 10, 20 …, all on one site."""
    ids = np.arange(count) * 10
    pairs = np.array([(a * 10, b * 10) for a, b in sorted(set(links))], np.int64).reshape(-1, 2)
    urls, sites = tuple(f"http://a.example/{number}" for number in range(count)), np.ones(count, np.int64)
    graph = LinkRows(urls, ids, sites, np.isin(ids // 10, seeds), pairs, NONE, NONE)
    other_parts = np.array(handed_over, np.int64) * 10
    return WayRows(graph, NONE, NONE, ids, np.array(seeds, np.int64) * 10, other_parts, {"a.example": 1})


def found(
    count: int, links: Iterable[tuple[int, int]], seeds: Sequence[int], handed_over: Sequence[int] = ()
) -> RootSetReach:
    return root_set(WayGraph(rows(count, links, seeds, handed_over)))


def walked(links: Iterable[tuple[int, int]], start: int) -> set[int]:
    """The oracle: from link to link."""
    reached, news = {start}, [start]
    while news:
        here = news.pop()
        fresh = {target for source, target in links if source == here} - reached
        reached |= fresh
        news += fresh
    return reached


PAGES = 8
LINKS = st.sets(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=20)
SEEDS = st.lists(st.integers(0, PAGES - 1), min_size=1, max_size=4, unique=True)


@settings(max_examples=30)
@given(LINKS, SEEDS)
def test_each_seed_reaches_what_one_comes_to_from_link_to_link(links: set[tuple[int, int]], seeds: list[int]) -> None:
    told = found(PAGES, links, seeds)
    oracle = {seed: walked(links, seed) for seed in seeds}
    by_seed = {int(seed.url.rsplit("/", 1)[1]): seed for seed in told.seeds}
    assert {seed: record.pages for seed, record in by_seed.items()} == {seed: len(oracle[seed]) for seed in seeds}
    for seed in seeds:
        others = set().union(*(oracle[other] for other in seeds if other != seed), set())
        assert by_seed[seed].alone == len(oracle[seed] - others)
        place = told.seeds.index(by_seed[seed])
        loss = loss_without(told, place, np.zeros(PAGES, np.bool_))
        assert (set(loss.by_ways.tolist()), loss.by_scope.tolist()) == (oracle[seed] - others, [])
    numbers = [sum(page in reached for reached in oracle.values()) for page in range(PAGES)]
    assert told.by_number == {number: numbers.count(number) for number in set(numbers)}
    chosen = [int(told.seeds[step.seed].url.rsplit("/", 1)[1]) for step in told.cover]
    assert set().union(*(oracle[seed] for seed in chosen)) == set().union(*oracle.values())
    assert [step.reached for step in told.cover] == np.cumsum([step.adds for step in told.cover]).tolist()
    assert sum(part.pages for part in told.parts) == PAGES


def test_a_greedy_cover_may_be_larger_than_the_smallest() -> None:
    """Two seeds reach everything, and the greedy choice begins with a third: the example that textbooks have."""
    one, two, tempting = range(3, 9), range(9, 15), (*range(3, 7), *range(9, 13))
    links = {(seed, page) for seed, pages in enumerate((one, two, tempting)) for page in pages}
    assert [step.seed for step in found(15, links, [0, 1, 2]).cover] == [0, 1, 2]


def test_the_parts_are_the_pages_of_the_same_seeds_with_the_links_between_them() -> None:
    told = found(5, {(0, 2), (1, 2), (2, 3)}, [0, 1])
    assert [(part.seeds, part.pages) for part in told.parts] == [((0, 1), 2), ((0,), 1), ((1,), 1), ((), 1)]
    assert told.part_ways == ((1, 0), (2, 0))


def test_seeds_beyond_the_limit_count_as_one_more_start() -> None:
    count = MAX_SEEDS + 2
    told = found(count + 1, {(0, count), (MAX_SEEDS, count)}, range(count))
    assert (len(told.seeds), told.others, told.outside) == (MAX_SEEDS, 2, 3)
    assert told.seeds[0].pages == 2
    assert told.seeds[0].alone == 1, "one of the other seeds reaches the page as well"


def test_where_other_parts_lead_nothing_is_lost() -> None:
    told = found(3, {(0, 1), (1, 2)}, [0], handed_over=[1])
    assert (told.seeds[0].pages, told.seeds[0].alone, told.outside) == (3, 1, 2)
    assert loss_without(told, 0, np.zeros(3, np.bool_)).by_ways.tolist() == [0]


def test_a_crawl_without_pages_or_seeds_has_nothing_to_tell() -> None:
    assert (found(0, (), ()).seeds, found(0, (), ()).parts) == ((), ())
    assert [(part.seeds, part.pages) for part in found(2, {(0, 1)}, ()).parts] == [((), 2)]


def make_archipelago(one: Site, two: Site) -> list[str]:
    """Two sites with each kind of way; returns five seeds."""
    sitemap = f"<urlset><url><loc>{one.url}/listed</loc></url></urlset>".encode()
    one.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, f"Sitemap: {one.url}/map.xml\n".encode()),
        "/map.xml": (200, {"Content-Type": "application/xml"}, sitemap),
        "/listed": html("A list"),
        "/": html("The harbour", "/pier", f"{two.url}/beacon"),
        "/pier": html("The pier", "/moved"),
        "/moved": (301, {"Location": "/quay"}, b""),
        "/quay": html("The quay", "/"),
        "/island": html("An island", "/cove", "/quay"),
        "/cove": html("A cove", head='<meta http-equiv="refresh" content="0; url=/cave">'),
        "/cave": html("A cave"),
    }
    two.pages = {
        "/": html("The lighthouse", "/stairs"),
        "/stairs": html("Its stairs", "/lamp"),
        "/lamp": html("The lamp"),
        "/beacon": html("A beacon", "/stairs"),
    }
    return [f"{one.url}/", f"{one.url}/island", f"{two.url}/", f"{one.url}/pier", f"{one.url}/nothing"]


def stored(data: Folder) -> set[str]:
    with data.database() as database:
        return {url for (url,) in database.connection.execute("SELECT url.url FROM page JOIN url ON url.id = page.url")}


@pytest.mark.slow
def test_a_crawl_without_a_seed_loses_what_the_view_says(folder: Folder, tmp_path: Path) -> None:
    with served_site() as one, served_site() as two:
        seeds = make_archipelago(one, two)
        folder.crawl(*seeds)
        everything = stored(folder)
        assert len(everything) == 11
        losses: dict[str, set[int]] = {}
        app = create_app(folder.path, GatewaySettings())
        with folder.database() as database, app.app_context():
            studied = study(database)
            graph = studied.found.graph
            for place, seed in enumerate(studied.found.seeds):
                loss = seed_loss(database, studied, place)
                losses[seed.url] = {*loss.by_ways.tolist(), *loss.by_scope.tolist()}
        assert losses.keys() == set(seeds)
        for number, left_out in enumerate(seeds):
            without = Folder(tmp_path / f"without-{number}")
            without.crawl(*(seed for seed in seeds if seed != left_out))
            kept = {graph.node_of(url) for url in stored(without)}
            lost = {graph.node_of(url) for url in everything} - kept
            assert losses[left_out] == lost, left_out
        assert len(losses[seeds[1]]) == 2, "the island, and its cove, which has two names"
        assert len(losses[seeds[2]]) == 4, "the only seed of a site: the other site leads to most of its pages"
        assert losses[seeds[3]] == losses[seeds[4]] == set()
