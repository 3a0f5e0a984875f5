"""Where do sentences begin and end, and is what a snippet shows of a text whole?"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.snippets.sentences import (
    ELLIPSIS,
    MIN_CHARS_WITH_DOTS,
    cut_before,
    has_sentence,
    sentence_ends,
    whole_sentences,
)
from indexer.snippets.snippet import HighlightTerms, make_snippet


def sentences(text: str) -> list[str]:
    ends = [0, *sentence_ends(text, 0, len(text)), len(text)]
    cut = [text[start:end].strip() for start, end in pairwise(ends)]
    return [each for each in cut if each]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(["It runs.", "Then it stops."], id="full stop"),
        pytest.param(["Use a list, e.g. one of words.", "It is long."], id="e.g."),
        pytest.param(["It is first, i.e. before it.", "It is long."], id="i.e."),
        pytest.param(["Words, signs, etc. are read.", "It is long."], id="etc. before a word in lower case"),
        pytest.param(["See Fig. 3 and Dr. Smith.", "It is long."], id="abbreviations"),
        pytest.param(["It needs Python 3.11 or later.", "It is long."], id="version"),
        pytest.param(["It was new in Python 3.11.", "It is long."], id="version at the end"),
        pytest.param(["Read a.txt, or os.path.", "It is long."], id="file name"),
        pytest.param(["Call join(a).", "It is long."], id="bracket"),
        pytest.param(["It is empty ('').", "It is long."], id="quotes"),
        pytest.param(["It comes from pg_dump.", "psql reads it."], id="name in lower case"),
        pytest.param(["Is it read?", "Yes!", "It is."], id="other marks"),
        pytest.param(["1.2. Foreign keys of tables"], id="number of a heading"),
        pytest.param(["Table 9.33. Date functions"], id="number of a caption"),
        pytest.param(["J. Smith wrote it.", "It is long."], id="initial"),
        pytest.param(["It returns the value of X.", "If it has none, it is empty."], id="a letter before a stop word"),
        pytest.param(["А. С. Пушкин написал это.", "Это роман."], id="initials that are stop words"),  # noqa: RUF001
        pytest.param(["dump [option...] [name] of it"], id="dots of a synopsis"),
        pytest.param(["git tag -d <tag>…\nDESCRIPTION"], id="dots after a placeholder"),
        pytest.param(["It goes on…", "It is long."], id="dots after a word"),
        pytest.param(["東京は首都です。", "人口は多い\uff01", "「本当ですか\uff1f」", "はい。"], id="Japanese"),
        pytest.param(["यह लंबा है।", "वह छोटा है।"], id="Hindi"),
        pytest.param(["Hier ist z. B. ein Wort.", "Es ist lang."], id="German"),
    ],
)
def test_these_are_the_sentences_of_a_line(parts: list[str]) -> None:
    text = " ".join(parts)
    assert sentences(text) == parts


def test_a_heading_has_no_sentence() -> None:
    assert not has_sentence("5.3. Constraints of tables", 0, 26)
    assert has_sentence("A table has constraints, and keys.", 0, 34)
    assert has_sentence("A table has no constraints on it.\nkeys", 0, 33)  # a short word, but the end of its line
    assert has_sentence("東京は日本の首都です。人口は多い", 0, 16)


def test_what_fits_is_shown() -> None:
    text = "os.path.join(path)\nJoin paths. It returns one.\nNext"
    shown = [(text[each.start : each.end], each.gap) for each in whole_sentences(text, 0, 60)]
    assert shown == [("os.path.join(path)", " · "), ("Join paths.", " "), ("It returns one.", " "), ("Next", " · ")]
    assert [text[each.start : each.end] for each in whole_sentences(text, 0, 40)] == [*(each for each, _ in shown[:2])]


@given(st.integers(1, 60))
def test_a_name_is_cut_only_if_it_is_longer_than_the_room(room: int) -> None:
    text = "call os.path.join(one) or urllib.parse.urlsplit now"
    shown = text[: cut_before(text, 0, room)]
    assert len(shown) <= room
    assert text[len(shown) :][:1] in ("", " ", ",") or room < len("call")


LINES = st.lists(
    st.lists(
        st.sampled_from(
            [
                "Rye is old.",
                "Use e.g. rye.",
                "It needs 3.11 now.",
                "a.txt and `os.path` keep it,",
                "東京は古い。",
                "rye",
            ]
        ),
        min_size=1,
        max_size=5,
    ).map(" ".join)
    | st.sampled_from(["Rye bread", "--rye", "join(rye)", "word " * 80 + "end."]),
    min_size=1,
    max_size=8,
)
BEGINS = re.compile(r"(?:\A|\n|[.。](?:\s|(?=東)))\s*\Z")


@given(LINES, st.sampled_from(["rye", "東京", "absent"]), st.none() | st.integers(MIN_CHARS_WITH_DOTS, 300))
def test_a_snippet_is_made_of_parts_of_its_text_that_begin_with_a_sentence_unless_dots_say_otherwise(
    lines: list[str], asked: str, limit: int | None
) -> None:
    text = "\n".join(lines)
    snippet = make_snippet(text, HighlightTerms({asked: asked}), limit)
    shown = snippet.text.removeprefix(ELLIPSIS)
    words = [re.escape(word) for word in shown.removesuffix(ELLIPSIS).split() if word != "·"]
    found = list(re.finditer(r"\s*".join(words), text))
    assert found, "a part of the text"
    if not snippet.text.startswith(ELLIPSIS):
        assert any(BEGINS.search(text, 0, each.start()) for each in found)
    if not snippet.text.endswith(ELLIPSIS):
        assert any(re.match(r"\s*(?:\n|\Z)", text[each.end() :]) or each[0][-1] in ".。" for each in found)
    for start, end in snippet.spans:
        assert snippet.text[start:end].lower() in {"rye", "東京", "--rye", "join(rye)"}
