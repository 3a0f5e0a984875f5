# ruff: noqa: RUF001  # Russian letters are what is tested
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.query.parser import MAX_QUERY_TERMS, Query, parse_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.query.syntax import SearchFilters
    from urls.records import Page

ENGLISH = frozenset({"en"})
NEW_YEAR_2020 = 1577836800.0


def test_a_repeated_word_counts_as_often_as_it_is_asked_for() -> None:
    (term,) = parse_query("python Pythons python", ENGLISH).terms
    assert (term.weight, term.positions) == (3, (0, 1, 2))


def test_a_word_is_looked_for_under_every_form_it_can_have_in_this_index() -> None:
    (term,) = parse_query("running", frozenset({"en", "de"})).terms
    assert {"english:run", "german:running"} <= set(term.variants.forms)


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
        pytest.param("rye " * 501, ("characters after the first 2,000",), id="a long text"),
        pytest.param(" OR ".join("abcdefgh" * 9), ("conditions after the first 64",), id="alternatives"),
    ],
)
def test_what_a_question_is_too_long_for_is_named(text: str, unread: tuple[str, ...]) -> None:
    assert parse_query(text, ENGLISH).unread == unread


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("for loop", ["for", "loop"], id="two words"),
        pytest.param("try except finally", ["try", "except", "finally"], id="three words"),
        pytest.param("python is", ["python", "is"], id="a stop word that is the point"),
        pytest.param("how to bake rye bread", ["bake", "rye", "bread"], id="a longer question"),
        pytest.param("to be or not to be that is", ["to", "be", "or", "not", "that", "is"], id="only stop words"),
    ],
)
def test_a_short_question_keeps_its_stop_words(text: str, words: list[str]) -> None:
    assert [term.text for term in parse_query(text, ENGLISH).ranking_terms] == words


def test_what_a_question_is_narrowed_to_holds_beside_its_operators() -> None:
    where: SearchFilters = {"site": "c.test:81", "language": "fr", "file_type": "pdf", "year": 2025}
    query = parse_query("x site:A.test -site:b.test lang:DE lang:fr", ENGLISH, **where)
    assert query.sites == {"a.test", "c.test:81"}
    assert query.understood == (
        "Only pages not on b.test, on a.test, in the language de or fr, dated 2025-01-01 or later, "
        "dated before 2026-01-01, on c.test:81, in the language fr and of the type pdf."
    )


@pytest.mark.parametrize("year", [0, -1, 999, 9999, 10**30])
def test_a_year_that_no_date_has_narrows_nothing(year: int) -> None:
    assert not parse_query("x", ENGLISH, year=year).conditions


@settings(deadline=None)
@given(st.one_of(st.text(max_size=3_000), st.text(alphabet="ab-\"*?:() ORsitelang[]~^/'+#.東", max_size=2_000)))
def test_any_text_is_a_question_within_its_bounds(text: str) -> None:
    query = parse_query(text, ENGLISH)
    assert isinstance(query, Query)
    assert len(query.terms) <= MAX_QUERY_TERMS
    assert len(query.phrases) <= 8
    assert not re.search("[\x00-\x1f\ud800-\udfff]", query.text + query.understood)


@pytest.fixture
def library(index: Callable[..., Any], page: Callable[..., Page]) -> Any:
    return index(
        page("rust", "the rust compiler checks borrows, the borrow checker", language="en", title="Rust book"),
        page("gcc", "the gnu compiler collection checks little", language="en", modified=NEW_YEAR_2020),
        page("who", "to be or not to be: the who", language="en"),
        page("sqlite", "SQLite database engine: PRAGMA foreign_keys and os.path.join()", language="en"),
        page("star", "a * is a literal star? (yes) AND no /regex/", language="en"),
        page("ja", "東京都は日本の首都です", language="ja"),
        page("ru", "Книги о программировании", language="ru"),
        page("docs/tools.pdf", "pg_dump -Fc and python -m venv, in a café", published=NEW_YEAR_2020 - 1),
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        pytest.param("rust collection", {"rust", "gcc"}, id="one of the words is enough"),
        pytest.param('"to be or not to be"', {"who"}, id="phrase of stop words"),
        pytest.param("compiler -gnu", {"rust"}, id="word excluded"),
        pytest.param('compiler -"borrow checker"', {"gcc"}, id="phrase excluded"),
        pytest.param("compiler -(gnu OR borrow)", set(), id="alternatives excluded"),
        pytest.param("compiler -(gnu borrow)", {"rust", "gcc"}, id="a group excluded: only what has all of it"),
        pytest.param("(gnu OR python) checks", {"gcc", "tools.pdf"}, id="one of the alternatives must be there"),
        pytest.param('"borrow checker" OR "gnu compiler"', {"rust", "gcc"}, id="alternatives in quotes"),
        pytest.param("(rust borrow) OR engine", {"rust", "sqlite"}, id="a group among alternatives"),
        pytest.param("pg_dump -Fc", {"tools.pdf"}, id="an option that a page names"),
        pytest.param("python -m venv", {"tools.pdf"}, id="another one"),
        pytest.param('pg_dump -"Fc"', set(), id="excluded all the same"),
        pytest.param("the who", {"rust", "gcc", "who"}, id="only stop words"),
        pytest.param("foreign keys", {"sqlite"}, id="identifier taken apart"),
        pytest.param("foreign_keys", {"sqlite"}, id="identifier whole"),
        pytest.param("path", {"sqlite"}, id="part of a dotted name"),
        pytest.param("compi*", {"rust", "gcc"}, id="the words that begin so"),
        pytest.param("compiler -coll*", {"rust"}, id="a beginning excluded"),
        pytest.param("a*", {"star", "tools.pdf"}, id="one letter and a star are text: the word a"),
        pytest.param("*", set(), id="a star alone asks for nothing"),
        pytest.param("star?", {"star"}, id="? is text"),
        pytest.param("compiler AND collection", {"gcc", "rust"}, id="AND is a word"),
        pytest.param("東京", {"ja"}, id="Japanese pair"),
        pytest.param("都", {"ja"}, id="one Japanese character"),
        pytest.param("книга", {"ru"}, id="Russian stem"),
        pytest.param("lang:ru", {"ru"}, id="a filter alone"),
        pytest.param("compiler site:site.test", {"rust", "gcc"}, id="site"),
        pytest.param("compiler site:site", {"rust", "gcc"}, id="part of a host"),
        pytest.param("compiler site:http://site.test/x", {"rust", "gcc"}, id="site by an address on it"),
        pytest.param("compiler site:other.test", set(), id="another site"),
        pytest.param("compiler -site:site.test", set(), id="site excluded"),
        pytest.param("compiler lang:ja", set(), id="language"),
        pytest.param("compiler lang:xx", set(), id="a language that no page has"),
        pytest.param("intitle:rust", {"rust"}, id="word in the title"),
        pytest.param("compiler -intitle:rust", {"gcc"}, id="word in the title excluded"),
        pytest.param("inurl:docs", {"tools.pdf"}, id="word in the address"),
        pytest.param("filetype:pdf", {"tools.pdf"}, id="type"),
        pytest.param("before:2020 after:2018", {"tools.pdf"}, id="published between"),
        pytest.param("after:2019", {"gcc"}, id="changed after"),
        pytest.param("compiler after:2020-01-01", set(), id="after a day leaves that day out"),
        pytest.param("http://site.test/who", {"who"}, id="an address"),
        pytest.param("site.test/who/", {"who"}, id="an address without a scheme"),
        pytest.param("http://site.test/nothing", set(), id="an address that the index has not"),
        pytest.param("os.path", {"sqlite"}, id="a name with a dot is no address"),
        pytest.param("", set(), id="nothing"),
        pytest.param("?! ... ;", set(), id="only punctuation"),
        pytest.param("-gnu", set(), id="only an exclusion"),
        pytest.param('"unbalanced compiler', {"rust", "gcc"}, id="a quote that does not close"),
    ],
)
def test_a_query_finds_these_pages(library: Any, found: Callable[..., list[str]], query: str, names: set[str]) -> None:
    assert set(found(library, query)) == names


@pytest.mark.parametrize(
    ("query", "names", "behind"),
    [
        pytest.param('"borrow checker"', ["rust"], set(), id="phrase"),
        pytest.param('"gnu compiler"', ["gcc"], {"rust"}, id="phrase that one page has and one nearly"),
        pytest.param('"sqlite database"', ["sqlite"], set(), id="phrase over a CamelCase name"),
        pytest.param('rust compiler "gnu compiler"', ["gcc"], {"rust"}, id="a phrase goes before words"),
        pytest.param('"checker borrow"', [], {"rust"}, id="phrase in the wrong order"),
    ],
)
def test_pages_with_a_phrase_stand_first_and_others_are_told_to_be_without(
    library: Any, query: str, names: list[str], behind: set[str]
) -> None:
    hits = library.search(query).hits
    assert [hit.url.rpartition("/")[2] for hit in hits[: len(names)]] == names
    assert not any(hit.lacks for hit in hits[: len(names)])
    assert {hit.url.rpartition("/")[2] for hit in hits[len(names) :]} == behind


def test_where_a_page_of_results_has_the_phrase_nothing_else_answers(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    with_it = [page(f"with{number}", "rye bread") for number in range(10)]
    searcher = index(*with_it, page("without", "bread of rye, rye, rye"))
    assert len(found(searcher, '"rye bread"')) == 10
    assert len(found(searcher, 'all of it: "rye bread"')) == 10
    assert "without" in found(searcher, "rye bread")
    absence = searcher.reason_absent("http://site.test/without", '"rye bread"')
    assert absence.reason.startswith("it has not the phrase “rye bread”, and enough other pages have")
