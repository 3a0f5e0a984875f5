"""Words that are meant by one another, and whatever else a person may type: all of it is answered within bounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page


@pytest.fixture
def library(index: Callable[..., Any], page: Callable[..., Page]) -> Any:
    return index(
        page("rust", "the rust compiler checks borrows, the borrow checker", language="en", title="Rust book"),
        page("docs/tools.pdf", "pg_dump -Fc and python -m venv, in a café"),
        page("ja", "東京都は日本の首都です", language="ja"),
    )


def test_accents_are_found_without_and_stand_first_with(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(page("plain", "the cafe"), page("accented", "the café"))
    assert found(searcher, "cafe") == ["plain", "accented"]
    assert found(searcher, "café") == ["accented", "plain"]


def test_words_with_a_hyphen_and_without_find_each_other(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(page("with", "send an e-mail, it is sqlite's"), page("without", "send an email"))
    assert set(found(searcher, "email")) == set(found(searcher, "e-mail")) == {"with", "without"}
    assert found(searcher, "sqlite") == ["with"]


def test_a_compound_that_no_page_has_is_taken_apart_and_two_words_are_found_as_one(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(
        page("oven", "ein Backofen für das Brot, am Arbeitstag", language="de"),
        page("one", "a filesystem", language="en"),
        page("two", "a file of the system", language="en"),
    )
    assert found(searcher, "Brotbackofen") == ["oven"]
    told = searcher.search("Brotbackofen").understood
    assert told == "No page has “brotbackofen”, so the search also looks for its parts “brot” and “backofen”."
    assert set(found(searcher, "file system")) == {"one", "two"}
    assert searcher.search("file system").understood == ""
    assert found(searcher, "backofenxyz") == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("rye " * 25_000, id="100 KB"),
        pytest.param("\x00rye\ud800bread\udfff", id="NUL and lone surrogates"),
        pytest.param(" ".join(f"w{number}" for number in range(10_000)), id="10,000 terms"),
        pytest.param(" OR ".join(["rye"] * 1_000), id="1,000 OR"),
        pytest.param("NOT " * 2_000 + "a", id="2,000 NOT"),
        pytest.param('"' * 1_000, id="1,000 quotes"),
        pytest.param("(" * 1_000 + "a" + ")" * 1_000, id="1,000 parentheses"),
        pytest.param("(a OR " * 1_000, id="1,000 parentheses that do not close"),
        pytest.param("the of and to", id="only stop words"),
        pytest.param('a^nan b^1e999 term~9 r".*" body:* url:* *a*b*', id="other engines' operators"),
        pytest.param("a" + "\u0301" * 5_000, id="5,000 accents"),
        pytest.param("\u202eabc\u202c {{7*7}} <script>alert(1)</script>", id="marks of direction, and code"),
        pytest.param("👨\u200d👩\u200d👧", id="a family of emoji"),
        pytest.param("site:" * 300 + " lang:" * 300, id="operators without values"),
        pytest.param("site:[::1 lang:.. before:9999-99 filetype:/ inurl:( http://[::1", id="values that mean nothing"),
        pytest.param("http://" + "a" * 5_000, id="an address too long to be one"),
    ],
)
def test_whatever_a_person_types_is_answered(library: Any, text: str) -> None:
    results = library.search(text)
    assert len(results.hits) <= results.total
    assert not re.search("[\x00-\x1f\ud800-\udfff]", results.query + results.understood)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.one_of(
        st.text(max_size=3_000),
        st.text(alphabet="ab-\"*?:() ORsitelang[]~^/\\'+#.東", max_size=200),
        st.text(alphabet=st.characters(categories=["Cs", "Cc", "Mn", "Lo"]), max_size=50),
    ),
    st.integers(-5, 500),
    st.integers(-5, 5_000),
)
def test_no_query_raises(library: Any, query: str, limit: int, page: int) -> None:
    results = library.search(query, limit, page)
    assert len(results.hits) <= results.total
