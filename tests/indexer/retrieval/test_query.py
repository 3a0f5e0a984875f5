# ruff: noqa: RUF001  # Russian letters are what is tested
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.retrieval.query import MAX_QUERY_TERMS, parse_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

ENGLISH = frozenset({"en"})


def test_a_repeated_word_counts_as_often_as_it_is_asked_for() -> None:
    (term,) = parse_query("python Pythons python", ENGLISH).terms
    assert term.weight == 3


def test_a_word_is_looked_for_under_every_stem_it_can_have_in_this_index() -> None:
    (term,) = parse_query("running", frozenset({"en", "de"})).terms
    assert term.stems == ("run", "running")


def test_only_so_many_words_are_ranked_by() -> None:
    words = " ".join(f"word{number}" for number in range(1_000))
    assert len(parse_query(words, ENGLISH).terms) == MAX_QUERY_TERMS


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        pytest.param(" ".join(f"w{number}" for number in range(64)), (), id="as many words as are ranked by"),
        pytest.param(" ".join(f"w{number}" for number in range(65)), ("words after the first 64",), id="one more"),
        pytest.param('"rye bread" ' * 9, ("phrases after the first 8",), id="phrases"),
        pytest.param("rye " + "-x " * 9, ("exclusions after the first 8",), id="exclusions"),
        pytest.param(f'"{"rye " * 17}"', ("words of a phrase after its first 16",), id="a long phrase"),
    ],
)
def test_what_a_question_is_too_long_for_is_named(text: str, unread: tuple[str, ...]) -> None:
    assert parse_query(text, ENGLISH).unread == unread


def test_filters_take_the_options_and_the_words_of_the_query() -> None:
    query = parse_query("x site:A.test -site:b.test lang:DE", ENGLISH, site="c.test:81")
    assert query.sites == {"a.test", "c.test:81"}
    assert query.excluded_sites == {"b.test"}
    assert query.languages == {"de"}


@pytest.fixture
def library(index: Callable[..., Any], page: Callable[..., Page]) -> Any:
    return index(
        page("rust", "the rust compiler checks borrows, the borrow checker", language="en"),
        page("gcc", "the gnu compiler collection checks little", language="en"),
        page("who", "to be or not to be: the who", language="en"),
        page("sqlite", "SQLite database engine: PRAGMA foreign_keys and os.path.join()", language="en"),
        page("star", "a * is a literal star? (yes) AND no /regex/", language="en"),
        page("ja", "東京都は日本の首都です", language="ja"),
        page("ru", "Книги о программировании", language="ru"),
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        pytest.param("rust collection", {"rust", "gcc"}, id="one of the words is enough"),
        pytest.param('"borrow checker"', {"rust"}, id="phrase"),
        pytest.param('"checker borrow"', set(), id="phrase in the wrong order"),
        pytest.param('"sqlite database"', {"sqlite"}, id="phrase over a CamelCase name"),
        pytest.param('"to be or not to be"', {"who"}, id="phrase of stop words"),
        pytest.param('compiler "borrow checker"', {"rust"}, id="a phrase is required, a word is not"),
        pytest.param("compiler -gnu", {"rust"}, id="word excluded"),
        pytest.param('compiler -"borrow checker"', {"gcc"}, id="phrase excluded"),
        pytest.param("the who", {"rust", "gcc", "who"}, id="only stop words"),
        pytest.param("foreign keys", {"sqlite"}, id="identifier taken apart"),
        pytest.param("foreign_keys", {"sqlite"}, id="identifier whole"),
        pytest.param("path", {"sqlite"}, id="part of a dotted name"),
        pytest.param("compi*", set(), id="* is text, not a prefix"),
        pytest.param("star?", {"star"}, id="? is text"),
        pytest.param("compiler AND collection", {"gcc", "rust"}, id="AND is a word"),
        pytest.param("東京", {"ja"}, id="Japanese pair"),
        pytest.param("都", {"ja"}, id="one Japanese character"),
        pytest.param("книга", {"ru"}, id="Russian stem"),
        pytest.param("lang:ru", {"ru"}, id="a filter alone"),
        pytest.param("compiler site:site.test", {"rust", "gcc"}, id="site"),
        pytest.param("compiler site:other.test", set(), id="another site"),
        pytest.param("compiler -site:site.test", set(), id="site excluded"),
        pytest.param("compiler lang:ja", set(), id="language"),
        pytest.param("", set(), id="nothing"),
        pytest.param("-gnu", set(), id="only an exclusion"),
        pytest.param('"unbalanced compiler', {"rust", "gcc"}, id="a quote that does not close"),
    ],
)
def test_a_query_finds_these_pages(library: Any, found: Callable[..., list[str]], query: str, names: set[str]) -> None:
    assert set(found(library, query)) == names


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(max_size=3_000),
        st.text(alphabet="ab-\"*?:() sitelang[]~^/\\'+#.東", max_size=200),
        st.text(alphabet=st.characters(categories=["Cs", "Cc", "Mn", "Lo"]), max_size=50),
    ),
    st.integers(-5, 500),
    st.integers(-5, 5_000),
)
def test_no_query_raises(library: Any, query: str, limit: int, page: int) -> None:
    results = library.search(query, limit, page)
    assert len(results.hits) <= results.total
