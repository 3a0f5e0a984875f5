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
        pytest.param("He was running; she runs.", {"run": "run"}, "en", ["running", "runs"], id="stems"),
        pytest.param("call os.path.join here", {"join": "join"}, "en", ["os.path.join"], id="part of an identifier"),
        pytest.param(
            "東京都は首都", {"東京": "東京", "京都": "京都"}, "ja", ["東京都"], id="pairs that overlap are one mark"
        ),
        pytest.param("Читаю книги", {"книг": "книга"}, "ru", ["книги"], id="Russian"),
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
