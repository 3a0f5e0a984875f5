from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from indexer import open_index, open_writer
from robots import PageControls
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher

PAST = datetime(2026, 1, 1, tzinfo=UTC)


def a_page(name: str, title: str, text: str, **more: object) -> Page:
    return Page(CanonicalUrl(f"http://site.test/{name}"), title, text, **more)  # type: ignore[arg-type]


RESTRICTED = (
    a_page("hush", "Hush", "The secretary.", controls=PageControls(snippet=0)),
    a_page("brief", "Brief", "The secretion.", controls=PageControls(snippet=40)),
    a_page("ended", "Ended", "The secretariat.", controls=PageControls(expires=PAST)),
    a_page("refused", "", "", anchors=("secretive",), not_fetched="robots.txt forbids it", fetched_at=0.0),
    a_page("blocked", "Blocked", "The secreting."),
    a_page("removed", "Removed", "The secretly."),
    a_page("part", "Part", "Open.\nSecrecy.", snippet_text="Open."),
)
OPEN = a_page("open", "Open", "\u0130: receive.denyCurrentBranch, foreign_keys, ThreadPool. git log, git log.")
WITHHELD = ("secretary", "secretion", "secretariat", "secretive", "secreting", "secretly", "secrecy")


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("restricted")
    for pages in ((OPEN, *RESTRICTED), ()):
        with open_writer(folder) as writer:
            for page in pages:
                writer.put(page)
            if not pages:
                writer.remove("http://site.test/removed")
    return open_index(folder, blocked=lambda url: url.endswith("/blocked"))


@pytest.mark.parametrize("word", WITHHELD)
def test_the_words_of_restricted_pages_are_in_no_suggestion(searcher: Searcher, word: str) -> None:
    assert searcher.usage.spelling(word) is None
    assert searcher.search(f"{word[:-2]}{word[-1]}{word[-2]}").spelling is None


@pytest.mark.parametrize("title", ["Hush", "Ended", "Blocked", "Removed"])
def test_their_words_and_titles_are_no_completions(searcher: Searcher, title: str) -> None:
    assert searcher.complete(title[:-1]) == searcher.complete("the secre") == ()
    assert searcher.complete("Ope") == ("open",)


@pytest.mark.parametrize(
    ("word", "spelling"),
    [("receive.denycurrentbranch", "receive.denyCurrentBranch"), ("foreign_keys", "foreign_keys"), ("keys", "keys"),
     ("pool", "Pool"), ("ool", None), ("none", None)],
)  # fmt: skip
def test_a_word_is_spelt_as_a_page_spells_it(searcher: Searcher, word: str, spelling: str | None) -> None:
    assert searcher.usage.spelling(word) == spelling
