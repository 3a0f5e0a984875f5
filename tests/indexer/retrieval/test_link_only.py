"""A forbidden page is a result by the words of links to it: after pages with the words themselves, and marked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import indexer
from indexer.ranking.score import PriorPart
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import url_key
from robots import PageControls
from urls.records import Page


def closed(page: Callable[..., Page], name: str = "closed", *anchors: str) -> Page:
    words = anchors or ("the cellar", "wine of the baker")
    return page(name, anchors=words, not_fetched="robots.txt forbids it", controls=PageControls(archive=False))


def test_71_it_shows_the_words_of_links_and_nothing_of_its_own(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    [hit] = index(closed(page), page("other", "something else")).search("cellar").hits
    assert (hit.title, hit.archive, hit.not_fetched) == ("", False, "robots.txt forbids it")
    assert str(hit.snippet) == "“the cellar”, “wine of the baker”"
    assert hit.known_by_links == "Not fetched: robots.txt forbids it. Known from links alone: pages link to it"


def test_a_page_that_answers_by_what_it_says_stands_before_it(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    said = page("open", "Among many other things, and long after all of them, this page speaks of a cellar as well.")
    assert found(index(closed(page), said), "cellar") == ["open", "closed"]
    assert found(index(closed(page), said), "baker") == ["closed"]


def test_what_that_costs_is_a_part_of_its_score(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    [hit] = index(closed(page), page("other", "something else")).search("cellar").hits
    score = hit.explain()
    [taken] = score.demotions
    assert taken.term == "not-fetched"
    assert taken.evidence == "it was never fetched, and only words of its URL and of links to it match"
    assert round(sum(part.value for part in score.parts), 4) == hit.score
    assert taken.value < 0


def test_a_setting_switches_such_results_off(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    results = index(closed(page), page("other", "cellar"), link_only=False).search("cellar")
    assert ([hit.url for hit in results.hits], results.total) == (["http://site.test/other"], 1)


def test_it_is_hidden_as_soon_as_it_is_judged_otherwise(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    searcher = index(closed(page), page("other", "cellar"), withdrawn=lambda url: url.endswith("closed"))
    assert [hit.url for hit in searcher.search("cellar").hits] == ["http://site.test/other"]


def test_what_blocks_a_page_is_not_asked_of_it(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    assert index(closed(page), blocked=lambda _: True).search("cellar").total == 1


def test_what_links_say_is_laid_beside_the_pages(tmp_path: Path, page: Callable[..., Page]) -> None:
    urls = [f"http://site.test/{name}" for name in ("a", "b", "gone")]
    known = sorted(zip(map(url_key, urls), (3.0, 0.5, 9.0), (4, 1, 7), strict=True))
    keys, ranks, inlinks = zip(*known, strict=True)
    arrays = np.array(keys, np.uint64), np.array(ranks, np.float32), np.array(inlinks, np.uint32)
    with indexer.open_writer(tmp_path) as writer:
        for name in ("a", "b", "c", "gone"):
            writer.put(page(name, "words"))
        writer.put_ranks(LinkRanks(GraphState(1, 9, 3, 0.85), *arrays))
        writer.commit()
        writer.remove(urls[2])
    searcher = indexer.open_index(tmp_path)
    first, second = searcher.standing(urls[0]), searcher.standing(urls[1])
    assert str(first) == (
        "By links it is number 1 of 3: its PageRank is 3.00 times the mean, and 4 pages link to it, as the index knows "
        "them."
    )
    assert second is not None
    assert (second.place, second.pagerank, second.inlinks) == (3, 0.5, 1)  # a page without a rank counts as a mean one
    assert searcher.standing("http://site.test/c") is None
    assert searcher.standing(urls[2]) is None
    found = searcher.search("words").hits
    told = {hit.url[-1]: part.told for hit in found for part in hit.explain().parts if isinstance(part, PriorPart)}
    assert told["a"].startswith("4 pages link to it, and its PageRank is 3.00 times the mean; ")
    assert told["b"].startswith("1 page links to it, and its PageRank is 0.50 times the mean; ")
    assert told["c"].startswith("links to it are not known yet, so it counts as a mean page; ")
