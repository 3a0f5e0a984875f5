"""The folder of `export --static` in a real browser: the results of the gateway, from a sub-path of a plain server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from indexer import open_index, open_writer
from indexer.links import PageRankSchedule, with_link_texts
from pages.text.layout import TextLines, with_lines
from tests.extensions.embed.test_embed_in_a_browser import assert_nobody_is_kept_out, other_site, shown
from tests.forks import forked
from tests.gateway.conftest import PAGES, PHONE, SITE, browser, crawl, index, opened
from tests.gateway.in_a_browser.test_every_view_in_a_browser import page
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.forks import ForkServer

__all__ = ["browser", "page"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.slow]
QUERIES = (
    "rye", "rye bread", "sourdough starter", "breads", "baking", "bakes every mornings", "the bakery by the river",
    '"wheat bread"', '"bread wheat"', "rye -wheat", "bread -rye", "cake 17", "cakes", "mohn Brötchen", "brotchen",
    "호밀빵", "사워도우", "pretzels", "marzipan", "script alert", "week-ends", "river bakery", "sour dough", "patience",
    "nothingness", "mill", "opening hours", "sugar cakes", "cake with sugar", "cake sugar", "bakery sugar cakes",
    "mill: the cakes of sugar", "river rye", "rivers rye", "old mill rye bread", "the cakes",
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bakery, indexed without pages known only from links: the index counts these, the folder does not."""
    folder = tmp_path_factory.mktemp("static") / "data"
    lines = "The old mill", *PAGES[0].text.split("\n"), "Opening hours", "Daily"
    text = TextLines(lines, "htttht", (), ((0, 1, ""), (4, 2, "")))
    home = with_lines(replace(PAGES[0], headings=(lines[0], lines[4])), text)
    rye = replace(PAGES[1], links=(Link(PAGES[-1].url, "Sugar cakes"), Link(PAGES[3].url, "rye")))
    crawl(folder, (home, rye, *PAGES[2:]), outcomes=())
    index(folder)
    with CrawlDatabase(folder) as database, open_writer(folder) as writer:
        ranks = PageRankSchedule().ranks(*Feed(database).links())
        alike = replace(ranks, ranks=np.ones_like(ranks.ranks))  # the folder rounds others
        writer.put_ranks(with_link_texts(alike, Feed(database).link_texts()))
        writer.commit(Feed(database).last())
    return folder


@pytest.fixture(scope="module")
def served(forks: ForkServer, data: Path) -> Iterator[str]:
    """The address of the example page of the folder, below a sub-path."""
    root = data.with_name("site")
    words = ("--data", str(data), "--static", str(root / "a" / "search"), "--served-at", f"{SITE}/search/")
    done = forked(forks, "export", *words)
    assert done.returncode == 0, done.stderr
    with other_site(root) as origin:
        yield f"{origin}/a/search/"


def test_it_finds_what_the_gateway_finds_with_the_same_scores(page: Page, served: str, data: Path) -> None:
    with shown(page, served) as said:
        found = page.evaluate(
            """async (queries) => {
              const search = await (await import("./search.js")).open(new URL(".", location.href));
              return Promise.all(queries.map((query) => search.search(query, { n: 50 })));
            }""",
            QUERIES,
        )
        assert said == []
    searcher, root = open_index(data), served.removesuffix("search/")
    for query, own in zip(QUERIES, found, strict=True):
        theirs = searcher.search(query, 50, exact=True).hits
        expected = [(hit.url.replace(f"{SITE}/", root), hit.explain().total) for hit in theirs]
        assert [(hit["url"], round(hit["score"], 4)) for hit in own["hits"]] == expected, query


def test_it_searches_by_keyboard_alone_and_marks_the_words(page: Page, served: str) -> None:
    with shown(page, served) as said:
        page.keyboard.press("Tab")
        page.keyboard.type("patience")
        page.keyboard.press("Enter")
        page.get_by_text("1 result.").wait_for()
        page.keyboard.press("ArrowDown")
        first = page.evaluate("document.querySelector('breadcrumb-search').shadowRoot.activeElement.href")
        assert first == served.replace("search/", "rye.html")
        assert page.locator("breadcrumb-search mark").all_inner_texts() == ["patience"]
        assert page.locator("breadcrumb-search p >> text=Rye needs a sourdough").count() == 1
        assert page.get_by_role("link", name="Why").count() == 0
        page.keyboard.press("Escape")
        assert page.locator("breadcrumb-search h3 a").count() == 0
        assert said == []


def test_it_suggests_titles_and_turns_pages(page: Page, served: str) -> None:
    with shown(page, served) as said:
        page.get_by_role("combobox").type("rye b")
        page.locator("breadcrumb-search option[value='Rye bread']").wait_for(state="attached")
        page.get_by_role("combobox").fill("cake")
        page.keyboard.press("Enter")
        page.get_by_text("30 results.").wait_for()
        page.locator("breadcrumb-search").get_by_role("button", name="More results").click()
        page.locator("breadcrumb-search h3").nth(19).wait_for()
        assert said == []


def test_nobody_is_kept_out_of_the_example_page(browser: Browser, served: str) -> None:
    with opened(browser, viewport=PHONE) as phone, shown(phone, served):
        assert_nobody_is_kept_out(phone)


def test_a_missing_file_is_named_and_the_next_query_tries_again(page: Page, served: str) -> None:
    with shown(page, served):
        page.route("**/pages.bin*", lambda route: route.fulfill(status=404))
        page.get_by_role("combobox").fill("rye")
        page.keyboard.press("Enter")
        page.get_by_text("The search failed: /a/search/pages.bin is not there (404).").wait_for()
        page.unroute("**/pages.bin*")
        page.keyboard.press("Enter")
        page.get_by_text("Rye bread", exact=True).first.wait_for()


def test_a_query_without_results_says_so(page: Page, served: str) -> None:
    with shown(page, served):
        page.get_by_role("combobox").fill("zeppelin")
        page.keyboard.press("Enter")
        page.get_by_text("No results for “zeppelin”.").wait_for()


def test_stems_of_words_that_no_page_has_are_those_of_snowball(page: Page, served: str) -> None:
    import Stemmer  # noqa: PLC0415 - compiled

    endings = ["", "s", "es", "ed", "ing", "ly", "ness", "ization", "ational", "fulness", "ity", "ies", "ying", "able"]
    roots = ["past", "inter", "add", "er", "ev", "cry", "hop", "gener", "commun", "relat", "lie", "bake", "y", "agre"]
    words = sorted({root + ending for root in roots for ending in endings})
    with shown(page, served):
        script = "async (words) => { const { stem } = await import('./stemmer.js'); return words.map(stem); }"
        found = page.evaluate(script, words)
    assert list(zip(words, found, strict=True)) == list(
        zip(words, Stemmer.Stemmer("english").stemWords(words), strict=True)
    )
