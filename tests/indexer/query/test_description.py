"""How a query was understood: each operator is named, and plain words are not mentioned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.query.parser import parse_query


def understood(text: str) -> str:
    return parse_query(text, frozenset({"en"})).understood


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("rye bread -- (how)?", "", id="plain words"),
        pytest.param("“rye bread”", "Pages with the phrase “rye bread” rank first.", id="a phrase"),
        pytest.param('"a b" "c d"', "Pages with the phrases “a b” and “c d” rank first.", id="two phrases"),
        pytest.param("x -gcc", "Only pages without “gcc”.", id="an exclusion"),
        pytest.param("x OR y", "Only pages with “x” or with “y”.", id="alternatives"),
        pytest.param("(x y) OR z", "Only pages (with “x” and with “y”) or with “z”.", id="alternatives with a group"),
        pytest.param("-(x OR y)", "Only pages not (with “x” or with “y”).", id="a group excluded"),
        pytest.param("x site:a.test site:b.test", "Only pages on a.test or b.test.", id="sites"),
        pytest.param("x lang:DE-at", "Only pages in the language de.", id="language"),
        pytest.param("intitle:rye", "Only pages with “rye” in the title.", id="title"),
        pytest.param("-inurl:rye", "Only pages without “rye” in the URL.", id="address"),
        pytest.param("filetype:.PDF x", "Only pages of the type pdf.", id="type"),
        pytest.param("before:2020 x", "Only pages dated before 2020-01-01.", id="before"),
        pytest.param("after:2020-02 x", "Only pages dated 2020-03-01 or later.", id="after a month is when it is over"),
        pytest.param(
            "x intitle:rye -gcc lang:de",
            "Only pages with “rye” in the title, without “gcc” and in the language de.",
            id="all together",
        ),
        pytest.param("x OR y -z", "Only pages (with “x” or with “y”) and without “z”.", id="alternatives and more"),
        pytest.param("zz*", "No word of the index matches “zz*”.", id="a beginning"),
        pytest.param(
            "https://A.test/b",
            "The query is a URL, so the search looks for that page: https://a.test/b.",
            id="an address",
        ),
        pytest.param("filtype:pdf AND a* /x/", "", id="what has no meaning is text"),
    ],
)
def test_what_was_understood_is_said(text: str, sentence: str) -> None:
    assert understood(text) == sentence


NAMED = {  # what a sentence says of an operator
    "intitle:rye": "“rye” in the title",
    "inurl:rye": "“rye” in the URL",
    "site:a.test": "a.test",
    "lang:de": "in the language de",
    "filetype:pdf": "of the type pdf",
    "before:2020": "dated before 2020-01-01",
    "after:2020": "dated 2021-01-01 or later",
    '"rye bread"': "“rye bread”",
    "zz*": "“zz*”",
    "x OR y": "“x” or with “y”",
}


@given(st.lists(st.sampled_from(list(NAMED)), min_size=1, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_sentence_names_each_operator_that_was_used(pieces: list[str], minus: list[bool]) -> None:
    used = [f"-({piece})" if out else piece for piece, out in zip(pieces, minus, strict=False)]
    sentence = understood(" word ".join(used))
    assert all(NAMED[piece] in sentence for piece in pieces)
    assert ("without" in sentence or "not" in sentence) is any(minus[: len(pieces)])
