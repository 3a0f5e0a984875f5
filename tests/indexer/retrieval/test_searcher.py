from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import indexer
from robots import PageControls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from urls.records import Page


def test_no_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(indexer.NoIndex, match=r"\./breadcrumb crawl site -a seeds=URL"):
        indexer.open_index(tmp_path)


def test_an_empty_index_answers_nothing(index: Callable[..., Any]) -> None:
    searcher = index()
    assert (searcher.search("alpha").total, searcher.documents, searcher.generation) == (0, 0, 1)


def test_a_result_shows_what_the_index_kept(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    searcher = index(page("a", "alpha beta", title="The title", language="en-GB", fetched_at=1_700_000_000.0))
    (hit,) = searcher.search("beta").hits
    assert (hit.url, hit.title, hit.language, hit.fetched_at) == (
        "http://site.test/a",
        "The title",
        "en",
        1_700_000_000.0,
    )
    assert (hit.site, hit.archive, hit.rank, str(hit.snippet)) == ("site.test", True, 1, "alpha beta")
    stored = searcher.stored(hit.url)
    assert stored is not None
    assert list(stored.terms.items()) == [("beta", 1), ("alpha", 1)]


def test_pages_of_results_follow_each_other_without_gap_or_repeat(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(*(page(str(number), "alpha " * (number + 1)) for number in range(25)))
    pages = [searcher.search("alpha", 10, number) for number in (1, 2, 3, 4)]
    assert [len(one.hits) for one in pages] == [10, 10, 5, 0]
    assert len({hit.url for one in pages for hit in one.hits}) == 25
    assert [hit.rank for one in pages for hit in one.hits] == list(range(1, 26))
    assert {one.total for one in pages} == {25}


def test_a_blocked_page_is_out_of_the_next_search(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    blocked: set[str] = set()
    searcher = index(*(page(str(number), "alpha") for number in range(4)), blocked=blocked.__contains__)
    assert searcher.search("alpha").total == 4
    blocked.add("http://site.test/0")
    first, second = searcher.search("alpha", 2), searcher.search("alpha", 2, 2)
    assert [hit.url[-1] for hit in (*first.hits, *second.hits)] == ["1", "2", "3"]
    assert second.total == 3


def test_an_expired_page_is_out_of_the_results(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    now = datetime.now(UTC)
    searcher = index(
        page("past", "alpha", controls=PageControls(expires=now - timedelta(seconds=1))),
        page("future", "alpha", controls=PageControls(expires=now + timedelta(days=1))),
        page("never", "alpha"),
    )
    assert {hit.url.rpartition("/")[2] for hit in searcher.search("alpha").hits} == {"future", "never"}


@pytest.mark.parametrize(
    ("controls", "snippet_text", "shown"),
    [
        pytest.param(PageControls(), None, "alpha beta gamma delta", id="no limit"),
        pytest.param(PageControls(snippet=0), None, "", id="nosnippet"),
        pytest.param(PageControls(snippet=11), None, "alpha beta…", id="max-snippet"),
        pytest.param(PageControls(), "alpha delta", "alpha delta", id="data-nosnippet"),
    ],
)
def test_a_snippet_minds_what_the_page_asks_for(
    index: Callable[..., Any], page: Callable[..., Page], controls: PageControls, snippet_text: str | None, shown: str
) -> None:
    text = "alpha beta gamma delta"
    (hit,) = index(page("a", text, controls=controls, snippet_text=snippet_text, description="")).search("alpha").hits
    assert hit.snippet.text == shown


def test_noarchive_reaches_the_result(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    (hit,) = index(page("a", "alpha", controls=PageControls(archive=False))).search("alpha").hits
    assert not hit.archive


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "needle"),
        ("headings", ("first", "needle")),
        ("description", "a needle"),
        ("pictures", ("a needle in the hay",)),
        ("anchors", ("see the needle",)),
    ],
)
def test_a_word_is_found_in_every_field(
    index: Callable[..., Any], page: Callable[..., Page], field: str, value: object
) -> None:
    assert index(page("a", "hay", **{field: value})).search("needle").total == 1


def test_a_page_that_has_a_word_in_its_keywords_meta_alone_is_no_result(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    assert index(page("a", "hay", keywords=("needle",))).search("needle").total == 0


def test_a_page_is_found_in_each_language_that_much_of_it_is_in(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("a", "hay", language="de", languages=(("de", 0.55), ("en", 0.3), ("fr", 0.15))))
    found = {code: searcher.search("hay", language=code).total for code in ("de", "en", "fr")}
    assert found == {"de": 1, "en": 1, "fr": 0}
    absent = searcher.reason_absent(page("a", "").url, "hay", language="fr")
    assert absent.reason == "the query finds only pages in the language fr, and it is none of them"


def test_a_result_has_the_dates_that_its_page_tells(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    told, silent = index(page("a", "hay", published=1.0e9), page("b", "hay", modified=1.5e9)).search("hay").hits
    assert {(told.published, told.modified), (silent.published, silent.modified)} == {(1.0e9, None), (None, 1.5e9)}


def test_the_words_of_a_url_are_found_but_not_those_of_its_host(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("guide/caf%C3%A9-list.html?topic=tea+pots", "x"))
    assert [searcher.search(word).total for word in ("café", "guide", "pots", "site")] == [1, 1, 1, 0]


def test_threads_search_while_a_writer_commits_and_never_see_half_a_commit(
    tmp_path: Path, page: Callable[..., Page]
) -> None:
    pages, rounds = 20, 15
    with indexer.open_writer(tmp_path) as writer:
        writer.commit()
        searcher = indexer.open_index(tmp_path)
        ended, faults = threading.Event(), list[object]()

        def ask() -> None:
            while not ended.is_set():
                try:
                    results = searcher.search("alpha", 100)
                    texts = {hit.snippet.text for hit in results.hits}
                    if results.total not in {0, pages} or len(texts) > 1:
                        faults.append((results.total, texts))
                except indexer.IndexFault as fault:
                    faults.append(fault)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for number in range(rounds):
                for place in range(pages):
                    writer.put(page(str(place), f"alpha {number}"))
                writer.commit()
        finally:
            ended.set()
            for thread in threads:
                thread.join()
    assert not faults
    assert {hit.snippet.text for hit in searcher.search("alpha").hits} == {f"alpha {rounds - 1}"}


def test_a_search_imports_nothing_heavy(index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path) -> None:
    index(page("a", "alpha"))
    code = (
        "import sys, pathlib, indexer\n"
        "assert indexer.open_index(pathlib.Path(sys.argv[1])).search('alpha').total == 1\n"
        "print({'scrapy', 'flask', 'scipy', 'py3langid', 'lxml', 'sqlite3'} & set(sys.modules) or 'light')"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "light"


def test_it_does_not_matter_which_segment_a_page_is_in(tmp_path: Path, page: Callable[..., Page]) -> None:
    pages = [page("de", "Katzen schlafen", language="de"), page("en", "Katzen is a musical", language="en")]
    answers = []
    for name, commits in (("together", [pages]), ("apart", [[one] for one in pages])):
        for some in commits:
            with indexer.open_writer(tmp_path / name) as writer:
                for one in some:
                    writer.put(one)
        hits = indexer.open_index(tmp_path / name).search("katze").hits
        answers.append([(hit.url, repr(hit.explain())) for hit in hits])
    assert len(answers[0]) == len(pages), "the word has a German stem, which a page of its language has told"
    assert answers[0] == answers[1]
