from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis.tokens import MAX_NAME_PARTS, MAX_TOKEN_CHARS, cut_token, positions, term, terms_of


def terms(text: str, language: str = "en") -> dict[str, list[int]]:
    return positions((text,), language)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("os.path.join", {"os": [0], "path": [1], "join": [2], "os.path.join": [0]}, id="dotted name"),
        pytest.param("foreign_keys", {"foreign": [0], "key": [1], "foreign_keys": [0]}, id="snake_case"),
        pytest.param("getUserName", {"getusernam": [0], "get": [0], "user": [0], "name": [0]}, id="camelCase"),
        pytest.param("HTTPServer", {"httpserver": [0], "http": [0], "server": [0]}, id="acronym before a word"),
        pytest.param("URLs", {"url": [0]}, id="plural of an acronym is no CamelCase"),
        pytest.param("__init__", {"init": [0]}, id="underscores around a name"),
        pytest.param("C++ C#", {"c": [0, 1], "c++": [0], "c#": [1]}, id="signs that belong to the name"),
        pytest.param("3.14", {"3": [0], "14": [1], "3.14": [0]}, id="number with a point"),
        pytest.param(
            "東京都", {"東京": [0], "京都": [1], "東": [0], "京": [1], "都": [1]}, id="bigrams and single characters"
        ),
        pytest.param("東", {"東": [0]}, id="one character"),
        pytest.param("हिन्दी", {"हिन्द": [0]}, id="vowel signs stay in their word"),
        pytest.param("\uff26\uff55\uff4c\uff4c", {"full": [0]}, id="NFKC: full-width letters"),
        pytest.param("Running RUNS run", {"run": [0, 1, 2]}, id="one stem"),
    ],
)
def test_a_text_becomes_these_terms_at_these_positions(text: str, expected: dict[str, list[int]]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("language", "word", "stem"),
    [
        pytest.param("ru", "программирования", "программирован", id="the page's language"),
        pytest.param("ru", "running", "run", id="another script on the page: that script's stand-in"),
        pytest.param("en", "книги", "книг", id="the same the other way round"),
        pytest.param("", "running", "run", id="unknown language: English"),
        pytest.param("de", "Häuser", "haus", id="German"),
        pytest.param("xx", "running", "run", id="language without a stemmer: English"),
    ],
)
def test_a_word_is_stemmed_by_page_and_script(language: str, word: str, stem: str) -> None:
    assert list(terms(word, language)) == [stem]


def test_no_phrase_reaches_from_one_text_of_a_field_into_the_next() -> None:
    found, length = positions(("first heading", "second one"), "en")
    assert found["head"] == [1]
    assert found["second"] == [3]
    assert length == 4


@given(st.text())
def test_any_text_is_cut_into_bounded_terms_inside_the_field(text: str) -> None:
    found, length = positions((text,), "en")
    for word, places in found.items():
        assert 0 < len(word) <= MAX_TOKEN_CHARS
        assert places == sorted(places)
        assert all(0 <= place < length for place in places)


@given(st.from_regex(r"[A-Za-z_.]{1,2000}", fullmatch=True))
def test_one_name_has_a_bounded_number_of_parts(name: str) -> None:
    assert all(len(cut_token(raw).pieces) <= MAX_NAME_PARTS * (MAX_NAME_PARTS + 1) + 1 for raw in [name])


@given(st.from_regex(r"[A-Za-z]{1,80}", fullmatch=True), st.sampled_from(["en", "de", "ru", ""]))
def test_the_short_way_for_plain_words_agrees_with_the_long_one(word: str, language: str) -> None:
    taken = cut_token(word)
    assert terms_of(word, language) == (tuple((term(one, language), one.offset) for one in taken.pieces), taken.width)
