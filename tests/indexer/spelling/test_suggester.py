from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import open_index, open_writer
from indexer.spelling.suggester import MAX_CHARS, MAX_SUGGESTIONS
from robots import PageControls
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher

PAGES = (
    ("git-commit(1)", "Record changes. Call git commit --amend or --all. --amend replaces, --author names."),
    ("git-add(1)", "Add contents. The option --all, again --all, and --apply."),
    ("Merging", "A merge conflict, a merge conflict and a merge conference. The setting merge.conflictStyle."),
    ("How to use hooks", "Read this first."),
    ("Configuration", "The configuration of the configuration, receive.denyCurrentBranch and core.autocrlf."),
    ("Мельница у реки", "Хлеб и мельница."),  # noqa: RUF001
    ("Straße und İstanbul", "Die Straße. ｆｕｌｌ width. Ελλάδα, σίγμας."),  # noqa: RUF001
    ("東京のパン屋", "東京のパン屋でパンを買う。"),
)
SECTIONS = Page(
    CanonicalUrl("http://site.test/sections"),
    "Terms",
    "Terms\n3.1. Resolve a merge by hand\nIt is work.\nResolve every thing\nIt is done.",
    layout="hhtht",
    sections=((0, 1, ""), (1, 2, "by-hand"), (3, 2, "every")),
)
HUSHED = Page(
    CanonicalUrl("http://site.test/hush"),
    "Hush",
    "merge confession, merge confession.",
    controls=PageControls(snippet=0),
)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("completed")
    with open_writer(folder) as writer:
        for number, (title, text) in enumerate(PAGES):
            writer.put(Page(CanonicalUrl(f"http://site.test/{number}"), title, text))
        writer.put(SECTIONS)
        writer.put(HUSHED)
    return open_index(folder)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        pytest.param(
            "merge conf", ["merge conflict", "merge conference"], id="what follows, not what is on most pages"
        ),
        pytest.param("Merge conf", ["Merge conflict"], id="what was typed stays"),
        pytest.param("merge.conf", ["merge.conflictStyle"], id="spelt as on the page"),
        pytest.param("git commit --a", ["git commit --amend", "git commit --all", "git commit --author"], id="options"),
        pytest.param("git add --a", ["git add --all", "git add --apply"], id="those of the other command"),
        pytest.param("--a", [], id="no command"),
        pytest.param("bread --a", [], id="a word that names no page"),
        pytest.param("git-comm", ["git-commit"], id="a part of a hyphenated word"),
        pytest.param("how to u", ["how to use", "How to use hooks"], id="a title"),
        pytest.param("resolve a m", ["resolve a merge", "Resolve a merge by hand"], id="a heading"),
        pytest.param("мельница у р", ["мельница у реки"], id="Russian"),  # noqa: RUF001
        pytest.param("zebra conf", ["zebra configuration"], id="where nothing follows, what is on most pages"),
        pytest.param("x" * (MAX_CHARS + 1), [], id="too long"),
    ],
)
def test_a_query_goes_on_as_the_pages_do(searcher: Searcher, typed: str, completed: list[str]) -> None:
    assert searcher.complete(typed)[: max(len(completed), 1)] == tuple(completed)


def test_what_follows_only_on_a_restricted_page_is_not_a_completion(searcher: Searcher) -> None:
    assert not [each for each in searcher.complete("merge confe") if "confession" in each]


@pytest.mark.slow
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="gitcom-merh wİſßстро東京のﬁ　\"()._'\u0301", max_size=20),  # noqa: RUF001
        st.builds(lambda page, end: " ".join(page)[:end], st.sampled_from(PAGES), st.integers(0, 60)),
    )
)
def test_whatever_is_typed_each_completion_begins_with_it_and_goes_on(searcher: Searcher, typed: str) -> None:
    found = searcher.complete(typed)
    assert len(found) <= MAX_SUGGESTIONS
    assert len({each.casefold() for each in found}) == len(found)
    for each in found:
        assert each.casefold().startswith(typed.casefold())
        assert each.casefold().strip() != typed.casefold().strip()


@pytest.mark.slow
@given(st.text(alphabet="gitcomrecv-. _wİßстро東京のﬁ\"()'", max_size=20))  # noqa: RUF001
def test_whatever_is_asked_a_suggestion_has_other_words(searcher: Searcher, typed: str) -> None:
    spelling = searcher.search(typed).spelling
    assert spelling is None or spelling.query.casefold() != typed.casefold()
