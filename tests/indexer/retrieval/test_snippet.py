from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.retrieval.snippet import WINDOW, Snippet, make_snippet

LONG = "filler words stand here. " * 100


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.spans]


@pytest.mark.parametrize(
    ("text", "wanted", "language", "marks"),
    [
        pytest.param("He was running; she runs.", {"english:run": "run"}, "en", ["running", "runs"], id="stems"),
        pytest.param("call os.path.join here", {"join": "join"}, "en", ["os.path.join"], id="part of an identifier"),
        pytest.param(
            "東京都は首都", {"東京": "東京", "京都": "京都"}, "ja", ["東京都"], id="pairs that overlap are one mark"
        ),
        pytest.param("Читаю книги", {"russian:книг": "книга"}, "ru", ["книги"], id="Russian"),
        pytest.param("cat catalogue", {"cat": "cat"}, "en", ["cat"], id="whole words only"),
        pytest.param("<b>bold</b> & run", {"run": "run"}, "en", ["run"], id="markup is text"),
    ],
)
def test_these_words_are_marked(text: str, wanted: dict[str, str], language: str, marks: list[str]) -> None:
    snippet = make_snippet(text, wanted, language, None)
    assert marked(snippet) == marks
    assert snippet.text == text == str(snippet)


def test_the_window_with_most_different_words_is_shown() -> None:
    text = f"alpha alpha alpha. {LONG}alpha meets beta. {LONG}"
    snippet = make_snippet(text, {"alpha": "alpha", "beta": "beta"}, "en", None)
    assert marked(snippet) == ["alpha", "beta"]
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")


def test_without_a_found_word_the_beginning_is_shown() -> None:
    assert make_snippet(LONG, {"absent": "absent"}, "en", None).text.startswith("filler words")


MENU = "Home\nBreads Rye Sourdough The starter Orders\n"
RYE = "The rye of this house is older than the shop. It keeps for a week in a cloth."


def snippet_of(text: str, *words: str) -> str:
    return make_snippet(text, {word: word for word in words}, "en", None).text


def test_a_sentence_of_the_page_is_shown_and_not_its_menu() -> None:
    assert snippet_of(f"{MENU}Rye\n{RYE}\n{LONG}", "rye").startswith("…The rye of this house")


def test_two_words_of_a_menu_do_not_stand_before_one_in_a_sentence() -> None:
    assert snippet_of(f"{MENU}{LONG}\n{RYE}", "rye", "starter").startswith("…The rye of this house")


def test_three_words_in_a_list_stand_before_one_in_a_sentence() -> None:
    assert snippet_of(f"Rye Oats Corn\n{LONG}\n{RYE}", "rye", "oats", "corn").startswith("Rye Oats Corn")


def test_a_heading_above_a_sentence_stands_before_a_menu() -> None:
    text = f"{MENU}About us\nThe starter\nIt lives in a stone crock, and its name is Harold."
    assert snippet_of(text, "starter").startswith("…The starter It lives in a stone crock")


def test_a_page_of_lists_shows_its_lists() -> None:
    assert snippet_of(f"{MENU}Flour\nRye flour\nWheat flour", "flour") == "…Flour Rye flour Wheat flour"


def test_numbered_headings_are_no_sentences() -> None:
    contents = "".join(f"{number}.1. Foreign keys of part {number}\n" for number in range(1, 30))
    text = f"{contents}A foreign key leads from one table to another one."
    assert snippet_of(text, "foreign", "kei") == "…A foreign key leads from one table to another one."


def test_a_snippet_begins_with_a_sentence_where_one_is_near() -> None:
    before = "Some bread is dark, and some is not, and nobody knows for certain why that is so."
    text = f"{LONG}{before} Of all of them the rye is darkest. {LONG}"
    assert snippet_of(text, "rye").startswith("…Of all of them the rye is darkest.")


def test_japanese_sentences_count_without_blanks() -> None:
    snippet = make_snippet("東京 大阪 京都\n東京は日本の首都です。人口は多い。", {"東京": "東京"}, "ja", None)
    assert snippet.text.startswith("…東京は日本の首都です。")


def test_without_a_found_word_the_first_sentence_is_shown() -> None:
    assert snippet_of(f"{MENU}{RYE}", "absent") == f"…{RYE}"


def test_a_page_that_forbids_snippets_has_none() -> None:
    assert make_snippet(LONG, {"fill": "filler"}, "en", 0) == Snippet()


@given(
    st.text(alphabet="ab 東京.\n_é", max_size=600),
    st.sets(st.sampled_from(["a", "b", "ab", "東京", "京東", "東"]), max_size=3),
    st.one_of(st.none(), st.integers(0, 400)),
)
def test_a_snippet_keeps_its_limit_and_its_marks_lie_inside(text: str, wanted: set[str], limit: int | None) -> None:
    snippet = make_snippet(text, {term: term for term in wanted}, "en", limit)
    assert len(snippet.text) <= (WINDOW if limit is None else min(WINDOW, limit))
    end = 0
    for start, stop in snippet.spans:
        assert end <= start < stop <= len(snippet.text)
        end = stop
