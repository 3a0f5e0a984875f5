"""Under the first page of a site stand the pages of it that most link to, and only those that are results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import indexer
from indexer.retrieval.collector import MAX_SITELINKS
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import url_key
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from pathlib import Path

HOME = "http://a.test/"


def linked(folder: Path, inlinks: dict[str, int], **options: Any) -> Any:
    """An index of a home page and others, each with how many pages link to it."""
    pages = [Page(CanonicalUrl(HOME), "The home of rye", "rye rye rye rye")]
    for name in inlinks:
        url = CanonicalUrl(f"http://{'b' if name == 'elsewhere' else 'a'}.test/{name}")
        title = "" if name == "untitled" else name.partition("-")[0].title()
        unseen = {"not_fetched": "robots.txt forbids it", "anchors": ("x",)} if name == "closed" else {}
        pages.append(Page(url, title, "oats" if name == "untitled" else "rye", **unseen))  # type: ignore[arg-type]  # a dict of several types
    counts = {HOME: 99} | {page.url: inlinks[page.url.rpartition("/")[2]] for page in pages[1:]}
    known = sorted((url_key(url), 1.0, count) for url, count in counts.items())
    keys, ranks, links = zip(*known, strict=True)
    arrays = np.array(keys, np.uint64), np.array(ranks, np.float32), np.array(links, np.uint32)
    with indexer.open_writer(folder) as writer:
        for page in pages:
            writer.put(page)
        writer.put_ranks(LinkRanks(GraphState(1, 9, len(pages), 0.85), *arrays))
        writer.commit()
    return indexer.open_index(folder, **options)


def named(results: Any) -> list[list[str]]:
    return [[one.url.rpartition("/")[2] for one in hit.sitelinks] for hit in results.hits]


def test_the_most_linked_pages_of_the_site_stand_under_its_first_page(tmp_path: Path) -> None:
    searcher = linked(tmp_path, {"menu": 5, "about": 9, "note": 1, "elsewhere": 8, "untitled": 7, "closed": 6})
    found = searcher.search("home rye")
    assert found.hits[0].url == HOME
    assert named(found)[0] == ["about", "menu"]
    assert not any(named(found)[1:])
    assert [one.title for one in found.hits[0].sitelinks] == ["About", "Menu"]


def test_no_other_page_has_them(tmp_path: Path) -> None:
    found = linked(tmp_path, {"menu": 5, "about": 9}).search("menu")
    assert found.hits[0].url == f"{HOME}menu"
    assert not any(named(found))


def test_what_is_blocked_is_not_named_nor_one_title_twice(tmp_path: Path) -> None:
    searcher = linked(tmp_path, {"menu": 5, "about": 9, "about-us": 8}, blocked=lambda url: url.endswith("/menu"))
    assert named(searcher.search("home"))[0] == ["about"]


def test_there_are_a_few_of_them(tmp_path: Path) -> None:
    searcher = linked(tmp_path, {f"part{number}": 2 + number for number in range(20)})
    assert named(searcher.search("home"))[0] == [f"part{number}" for number in range(19, 19 - MAX_SITELINKS, -1)]
