from __future__ import annotations

from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis.tokenizer import (
    MAX_NAME_PARTS,
    MAX_TOKEN_CHARS,
    analyze_token,
    cached_terms,
    positioned_terms,
    raw_tokens,
)
from tests.indexer.plain_inversion import positions


def words(text: str) -> dict[str, list[int]]:
    return positions(text)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("os.path.join", {"os": [0], "path": [1], "join": [2], "os.path.join": [0]}, id="dotted name"),
        pytest.param("vacuum_full", {"vacuum": [0], "full": [1], "vacuum_full": [0]}, id="snake_case"),
        pytest.param("getUserName", {"getusername": [0], "get": [0], "user": [0], "name": [0]}, id="camelCase"),
        pytest.param(
            "SelectorEventLoop",
            {"selectoreventloop": [0], "selector": [0], "event": [0], "loop": [0]},
            id="the name of a class",
        ),
        pytest.param("HTTPServer", {"httpserver": [0], "http": [0], "server": [0]}, id="acronym before a word"),
        pytest.param("URLs SELECT", {"urls": [0], "select": [1]}, id="plural of an acronym is no CamelCase"),
        pytest.param("__init__", {"init": [0]}, id="underscores around a name"),
        pytest.param("C++ C#", {"c": [0, 1], "c++": [0], "c#": [1]}, id="signs that belong to the name"),
        pytest.param("C++-style", {"c": [0], "c++": [0], "style": [1]}, id="a hyphen behind signs is no option"),
        pytest.param("gcc -O2", {"gcc": [0], "o2": [1], "-o2": [1]}, id="option"),
        pytest.param("(-Fc)", {"fc": [0], "-fc": [0]}, id="option in parentheses"),
        pytest.param("--with-ssl", {"with": [0], "ssl": [1], "--with-ssl": [0]}, id="long option"),
        pytest.param("a -5 b", {"a": [0], "5": [1], "b": [2]}, id="a number below 0 is no option"),
        pytest.param("see .htaccess", {"see": [0], "htaccess": [1], ".htaccess": [1]}, id="hidden file"),
        pytest.param("f().join", {"f": [0], "join": [1]}, id="a method is no hidden file"),
        pytest.param("3.14", {"3": [0], "14": [1], "3.14": [0]}, id="number with a point"),
        pytest.param("e-mail", {"e": [0], "mail": [1], "email": [0]}, id="a word with a hyphen is one without"),
        pytest.param("UTF\u20118", {"utf": [0], "8": [1], "utf8": [0]}, id="a hyphen that keeps the line together"),
        pytest.param("2026-11-22", {"2026": [0], "11": [1], "22": [2]}, id="a date is no word"),
        pytest.param("state-of-the-art", {"state": [0], "of": [1], "the": [2], "art": [3]}, id="a phrase with hyphens"),
        pytest.param("some\u00adwhere", {"somewhere": [0]}, id="soft hyphen"),
        pytest.param("sqlite's own", {"sqlite": [0], "own": [1]}, id="possessive"),
        pytest.param(
            "Rosa\u2019s 's'", {"rosa": [0], "s": [1]}, id="possessive with a curly apostrophe; a letter in quotes"
        ),
        pytest.param(
            "東京都", {"東京": [0], "京都": [1], "東": [0], "京": [1], "都": [1]}, id="bigrams and single characters"
        ),
        pytest.param("東", {"東": [0]}, id="one character"),
        pytest.param("हिन्दी", {"हिन्दी": [0]}, id="vowel signs stay in their word"),
        pytest.param("\uff26\uff55\uff4c\uff4c", {"full": [0]}, id="NFKC: full-width letters"),
        pytest.param("Running RUNS Café", {"running": [0], "runs": [1], "café": [2]}, id="words as they were typed"),
    ],
)
def test_a_text_becomes_these_words_at_these_positions(text: str, expected: dict[str, list[int]]) -> None:
    assert words(text) == expected


def test_no_phrase_reaches_from_one_text_of_a_field_into_the_next() -> None:
    found, length = positions("first heading", "second one")
    assert found["heading"] == [1]
    assert found["second"] == [3]
    assert length == 4


@given(st.text())
def test_any_text_is_cut_into_bounded_words_inside_the_field(text: str) -> None:
    found, length = positions(text)
    for word, places in found.items():
        assert 0 < len(word) <= MAX_TOKEN_CHARS
        assert places == sorted(places)
        assert all(0 <= place < length for place in places)


@given(st.text(alphabet="ab-._'s+# \u2010(東京é", max_size=100))
def test_every_letter_of_a_text_is_in_one_of_its_tokens(text: str) -> None:
    kept = "".join(raw_tokens(text))
    assert [letter for letter in kept if letter.isalpha()] == [letter for letter in text if letter.isalpha()]


@given(st.from_regex(r"[A-Za-z_.-]{1,2000}", fullmatch=True))
def test_one_name_has_a_bounded_number_of_parts(name: str) -> None:
    for raw in (name, *raw_tokens(name)):
        assert len(analyze_token(raw).parts) <= MAX_NAME_PARTS * (MAX_NAME_PARTS + 1) + 1


def test_of_a_long_chain_of_words_none_is_lost() -> None:
    chain = "-".join(f"w{number}" for number in range(100))
    assert words(chain).keys() >= {f"w{number}" for number in range(100)}


@given(st.from_regex(r"[A-Za-z0-9]{1,80}", fullmatch=True))
def test_the_short_way_for_plain_words_agrees_with_the_long_one(word: str) -> None:
    taken = analyze_token(word)
    assert cached_terms(word) == (tuple((one.text, one.offset) for one in taken.parts), taken.width)


@given(st.text(alphabet="ab-._'s+# \u2010(東京都タ\uff8a\u1100\u1161é\u00ad", max_size=40))
def test_words_one_by_one_are_those_of_the_whole_token_by_their_positions(text: str) -> None:
    for raw in (text, *raw_tokens(text)):
        words, width = cached_terms(raw)
        placed, same_width = positioned_terms(raw)
        assert (list(placed), same_width) == (sorted(words, key=itemgetter(1)), width)
