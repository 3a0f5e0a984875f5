"""A page that is blocked, gone or ended is in no result of a searcher of Whoosh, though the index still has it."""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query
from whoosh.scoring import BM25F

import indexer
from crawldb.database import CrawlDatabase
from extensions.whoosh.searcher import Breadcrumb
from frontier.takedown import block, forget
from robots import controls_from
from tests.gateway.conftest import SITE, a_page, crawl, index
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extensions.whoosh.searcher import PageSearcher

MANY = tuple(a_page(f"/{number}", f"Loaf {number}", "Rye bread. " * (number + 1)) for number in range(30))
RYE = query.Or([query.Term("body", "rye"), query.Prefix("title", "loa")])


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    crawl(tmp_path, MANY, ())
    index(tmp_path)
    return tmp_path


def take_out(data_dir: Path, how: Callable[..., Any], number: int, *reason: str) -> str:
    url = canonicalize(f"{SITE}/{number}")
    with CrawlDatabase(data_dir) as database:
        how(database, url, *reason)
    return url


def urls(found: Any) -> list[str]:
    return [hit["url"] for hit in found]


def ways_to_find(searcher: PageSearcher) -> dict[str, list[str]]:
    return {
        "ten best": urls(searcher.search(RYE)),
        "one term": urls(searcher.search(query.Term("body", "rye"), limit=3)),
        "all": urls(searcher.search(RYE, limit=None)),
        "sorted": urls(searcher.search(RYE, sortedby="url", limit=None)),
        "with terms": urls(searcher.search(RYE, terms=True)),
        "filtered": urls(searcher.search(RYE, filter=query.Every())),
        "every": urls(searcher.search(query.Every(), limit=None)),
        "documents": [stored["url"] for stored in searcher.documents(title="loaf")],
        "stored": [stored["url"] for stored in searcher.all_stored_fields()],
    }


@pytest.mark.parametrize("weighting", [BM25F, Breadcrumb], ids=lambda one: str(one.__name__))
def test_a_page_that_is_blocked_or_forgotten_is_hidden_from_an_open_searcher_at_once(
    crawled: Path, weighting: Any
) -> None:
    with indexer.open_whoosh(crawled).searcher(weighting=weighting) as searcher:
        first = searcher.search(query.Term("body", "rye"), limit=1)[0]["url"]
        number = int(first.rpartition("/")[2])
        assert len(searcher.search(RYE, limit=5)) == len(MANY)
        gone = {
            take_out(crawled, block, number, "its owner wrote to us"),
            take_out(crawled, forget, 29 if number != 29 else 28),
        }
        for way, found in ways_to_find(searcher).items():
            assert found, way
            assert not gone & {*found}, way
        assert len(urls(searcher.search(RYE))) == 10, "others take their places"
        assert len(searcher.search(RYE, limit=5)) == len(MANY) - 2
        assert searcher.document(url=first) is None
        assert searcher.document_number(url=first) is None
        groups = searcher.search(RYE, groupedby="site").groups()
        assert sum(len(pages) for pages in groups.values()) == len(MANY) - 2


def test_the_searches_of_both_doors_hide_the_same_pages(crawled: Path) -> None:
    blocked = take_out(crawled, block, 4, "its owner wrote to us")
    ours = indexer.open_index(crawled, blocked=blocked.__eq__).search("rye", 50)
    with indexer.open_whoosh(crawled).searcher() as searcher:
        assert {*urls(searcher.search(query.Term("body", "rye"), limit=None))} == {hit.url for hit in ours.hits}


def test_a_page_whose_time_is_over_is_hidden_from_an_open_searcher(tmp_path: Path) -> None:
    end = time.time() + 2
    header = [("X-Robots-Tag", f"unavailable_after: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(end))}")]
    ending = replace(MANY[3], controls=controls_from(header, (), agent="Breadcrumb"))
    with indexer.open_writer(tmp_path) as writer:
        for page in (*MANY[:3], ending):
            writer.put(page)
    with indexer.open_whoosh(tmp_path).searcher() as searcher:
        found_before = len(urls(searcher.search(query.Term("body", "rye"))))
        assert found_before == 4 or time.time() >= end, "a busy machine may come to it too late"
        time.sleep(max(0.0, end - time.time()) + 0.1)
        for found in ways_to_find(searcher).values():
            assert ending.url not in found


def test_a_writer_deletes_a_page_that_is_hidden(crawled: Path) -> None:
    take_out(crawled, block, 4, "its owner wrote to us")
    door = indexer.open_whoosh(crawled)
    with door.writer() as writer:
        assert writer.delete_by_term("title", "4") == 1
    assert door.doc_count() == len(MANY) - 1


def test_a_page_that_whoosh_s_writer_adds_to_the_folder_of_a_crawl_is_hidden(crawled: Path) -> None:
    with indexer.open_whoosh(crawled).writer() as writer:
        writer.add_document(url="https://example.org/pears", title="Pears", content="Pears keep for weeks.")
    with indexer.open_whoosh(crawled).searcher() as searcher:
        assert searcher.doc_count() == len(MANY) + 1
        assert urls(searcher.search(query.Term("content", "pears"))) == []
