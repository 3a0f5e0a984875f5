"""On pages that people wrote the door finds what plain Whoosh finds, also while another process writes the index."""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import random
import sys
import threading
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query, scoring

import indexer
from tests.extensions.whoosh.oracle import Both, Queries, compare, urls
from tests.extensions.whoosh.real_pages import named_pages, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from urls.records import Page

QUERIES, PAGES = 160, 300  # -m long asks MANY_QUERIES of MANY_PAGES
MANY_QUERIES, MANY_PAGES = 10_000, 3_000
BATCH = 25  # pages of a commit while queries are asked
OPTIONS: tuple[dict[str, Any], ...] = (
    {"sortedby": "url"},
    {"sortedby": ["site", "title", "url"], "reverse": True},
    {"filter": query.Term("site", "a.test")},
    {"mask": query.Prefix("title", "a")},
    {"filter": query.Prefix("body", "in"), "mask": query.Term("site", "b.test")},
    {"groupedby": "site"},
    {"terms": True},
)


class Churn(threading.Thread):
    """Commits, replacements and deletions that go on until the queries of others have ended."""

    def __init__(self, data_dir: Path, pages: list[Page]) -> None:
        super().__init__()
        self.ends, self.commits = threading.Event(), 0
        self._data_dir, self._pages = data_dir, pages

    def run(self) -> None:
        """Replace some pages by the text of others, and delete a few, commit after commit."""
        chance = random.Random(3)
        while not self.ends.is_set():
            with indexer.open_writer(self._data_dir) as writer:
                for page in chance.sample(self._pages, BATCH):
                    writer.put(replace(page, text=chance.choice(self._pages).text))
                for page in chance.sample(self._pages, BATCH // 5):
                    writer.remove(page.url)
            self.commits += 1
            self.ends.wait(0.2)


def compare_options(both: Both, queries: Queries, count: int) -> Counter[str]:
    """Sort, group, filter, mask, page and highlight the results of random queries in both indexes."""
    found: Counter[str] = Counter()
    both.weigh_by(scoring.BM25F())
    for number in range(count):
        options = OPTIONS[number % len(OPTIONS)]
        kind, asked = queries.one()
        ours, plain = (searcher.search(asked, limit=None, **options) for searcher in both.each())
        about = kind, asked, options
        if "sortedby" in options:
            assert urls(ours) == urls(plain), about
        else:
            wanted = {hit["url"]: hit.score for hit in plain}
            assert {hit["url"]: hit.score for hit in ours} == pytest.approx(wanted, abs=1e-6), about
        if "groupedby" in options:
            groups = [{name: len(some) for name, some in one.groups().items()} for one in (ours, plain)]
            assert groups[0] == groups[1], about
        lines = {hit["url"]: hit.highlights("body") for hit in plain[:1]}
        assert {hit["url"]: hit.highlights("body") for hit in ours if hit["url"] in lines} == lines, about
        first = both.ours.search_page(asked, 2, pagelen=3)
        skips = {"optimize": kind != "require"}  # plain Whoosh's matcher of a required word fails where it skips
        second = both.plain.search_page(asked, 2, pagelen=3, **skips)
        assert (first.total, first.pagecount, len([*first])) == (second.total, second.pagecount, len([*second])), about
        every = both.plain.search(asked, limit=None)  # where plain Whoosh looks for the best alone, it loses some
        assert [hit.score for hit in first] == pytest.approx(
            [hit.score for hit in every][first.offset :][:3], abs=1e-6
        ), about
        found[str(options)] += bool(ours)
    return found


def hold_against_whoosh(folder: Path, pages: list[Page], queries: int) -> dict[str, Any]:
    """Ask queries of an index of pages while it is written, then of what it has become; return how many found any."""
    with indexer.open_writer(folder / "ours") as writer:
        for page in pages:
            writer.put(page)
    asked = Queries(random.Random(41), words_of(pages))
    both = Both(folder / "ours", folder / "plain")
    churn = Churn(folder / "ours", pages)
    churn.start()
    try:
        found = compare(both, asked, queries)
        with_options = compare_options(both, asked, queries // 10)
    finally:
        churn.ends.set()
        churn.join()
    assert churn.commits > 1
    assert not both.ours.up_to_date()
    after = compare(Both(folder / "ours", folder / "after"), asked, queries // 10)
    return {"commits": churn.commits, "queries": found, "options": with_options, "after": after}


@pytest.mark.slow
def test_real_pages_give_the_same_while_the_index_is_written(tmp_path: Path) -> None:
    told = hold_against_whoosh(tmp_path, named_pages(PAGES), QUERIES)
    assert sum(told["queries"].values()) > QUERIES / 2


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_ten_thousand_queries_of_three_thousand_pages_give_the_same(tmp_path: Path) -> None:
    pages = named_pages(MANY_PAGES)
    told = hold_against_whoosh(tmp_path, pages, MANY_QUERIES)
    print(f"{len(pages)} pages: {told}", file=sys.stderr)
