from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.snippets.sentences import MIN_CHARS_WITH_DOTS, Snippet
from indexer.snippets.snippet import WINDOW, HighlightTerms, _best_excerpt, _best_of, highlight_terms, make_snippet

LONG = "filler words stand here. " * 100


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.spans]


@pytest.mark.parametrize(
    ("text", "wanted", "marks"),
    [
        pytest.param("He was running; she runs.", {"running": "run", "runs": "run"}, ["running", "runs"], id="stems"),
        pytest.param("call os.path.join here", {"join": "join"}, ["os.path.join"], id="part of an identifier"),
        pytest.param(
            "東京都は首都", {"東京": "東京", "京都": "京都"}, ["東京都"], id="pairs that overlap are one mark"
        ),
        pytest.param("Читаю книги", {"книги": "книга"}, ["книги"], id="Russian"),
        pytest.param("cat catalogue", {"cat": "cat"}, ["cat"], id="whole words only"),
        pytest.param("<b>bold</b> & run", {"run": "run"}, ["run"], id="markup is text"),
    ],
)
def test_these_words_are_marked(text: str, wanted: dict[str, str], marks: list[str]) -> None:
    snippet = make_snippet(text, HighlightTerms(wanted), None)
    assert marked(snippet) == marks
    assert snippet.text == text == str(snippet)


def test_the_window_with_most_different_words_is_shown() -> None:
    text = f"alpha alpha alpha. {LONG}alpha meets beta. {LONG}"
    snippet = make_snippet(text, HighlightTerms({"alpha": "alpha", "beta": "beta"}), None)
    assert marked(snippet) == ["alpha", "beta"]
    assert snippet.text.startswith("alpha meets beta. filler")
    assert snippet.text.endswith("words stand here.")


def test_without_a_found_word_the_beginning_is_shown() -> None:
    assert make_snippet(LONG, HighlightTerms({"absent": "absent"}), None).text.startswith("filler words")


MENU = "Home\nBreads Rye Sourdough The starter Orders\n"
RYE = "The rye of this house is older than the shop. It keeps for a week in a cloth."


def snippet_of(text: str, *words: str) -> str:
    return make_snippet(text, HighlightTerms({word: word for word in words}, order=words), None).text


def test_a_sentence_of_the_page_is_shown_and_not_its_menu() -> None:
    assert snippet_of(f"{MENU}Rye\n{RYE}\n{LONG}", "rye").startswith("The rye of this house")


def test_two_words_of_a_menu_do_not_stand_before_one_in_a_sentence() -> None:
    assert snippet_of(f"{MENU}{LONG}\n{RYE}", "rye", "starter").startswith("The rye of this house")


def test_three_words_in_a_list_stand_before_one_in_a_sentence() -> None:
    assert snippet_of(f"Rye Oats Corn\n{LONG}\n{RYE}", "rye", "oats", "corn").startswith("Rye Oats Corn")


def test_a_heading_above_a_sentence_stands_before_a_menu() -> None:
    text = f"{MENU}About us\nThe starter\nIt lives in a stone crock, and its name is Harold."
    assert snippet_of(text, "starter").startswith("The starter · It lives in a stone crock")


def test_a_page_of_lists_shows_its_lists() -> None:
    assert snippet_of(f"{MENU}Flour\nRye flour\nWheat flour", "flour") == "Flour · Rye flour · Wheat flour"


def test_numbered_headings_are_no_sentences() -> None:
    contents = "".join(f"{number}.1. Foreign keys of part {number}\n" for number in range(1, 30))
    text = f"{contents}A foreign key leads from one table to another one."
    assert snippet_of(text, "foreign", "key") == "A foreign key leads from one table to another one."


def test_a_snippet_begins_with_a_sentence_where_one_is_near() -> None:
    before = "Some bread is dark, and some is not, and nobody knows for certain why that is so."
    text = f"{LONG}{before} Of all of them the rye is darkest. {LONG}"
    assert snippet_of(text, "rye").startswith("Of all of them the rye is darkest.")


def test_a_snippet_ends_with_a_sentence_where_one_is_near() -> None:
    last = "And so the rye of this house was never sold to anybody else."
    text = f"The rye is old. {'It keeps well. ' * 10}{last} {'Other words follow on it without an end ' * 9}"
    assert snippet_of(text, "rye").endswith(last)  # the sentence is whole: no dots say that it goes on


def test_a_sentence_longer_than_a_snippet_is_cut_between_words_and_dots_say_so() -> None:
    long = "The rye of this house keeps " + "for a week in its cloth and " * 9 + "then the oats of os.path.join come, "
    shown = snippet_of(f"{long}{'and nobody knows why that is ' * 9}.", "rye")
    assert shown.startswith("The rye of this house")
    assert re.search(r" (?:for|a|week|in|its|cloth|and)…$", shown)
    later = snippet_of(f"{long}{'and nobody knows why that is ' * 9}.", "oats")
    assert later.startswith("…")
    assert "os.path.join come" in later


def test_a_clause_ends_what_is_shown_of_a_long_sentence() -> None:
    long = "The rye keeps " + "for a week in its cloth and " * 7 + "then it is dry, but nobody minds that it is " * 2
    assert snippet_of(long, "rye").endswith("then it is dry…")


def test_the_next_heading_is_not_part_of_the_last_sentence() -> None:
    assert (
        snippet_of(f"Rye bread is dark, and it keeps.\nOats\n{'x' * WINDOW}", "rye")
        == "Rye bread is dark, and it keeps."
    )


HEADINGS = "The house of rye", "Oats", "Mills", "Corn"
HOUSE = f"""The house of rye
Version 3 of it
The house keeps breads warm, and nobody knows for how long.
Oats
Oats are dry. They stay in a jar.
Mills
{LONG}
They are old. Nobody has better flour.
Corn
It stands on the roof.
"""
STARTS = [HOUSE.index(f"{heading}\n") for heading in HEADINGS]
SECTIONS = [(start, start + len(heading), 1, "") for start, heading in zip(STARTS, HEADINGS, strict=True)]


@pytest.mark.parametrize(
    ("word", "snippet"),
    [
        pytest.param("oats", "Oats · Oats are dry. They stay in a jar.", id="with its heading, and without the next"),
        pytest.param("jar", "Oats are dry. They stay in a jar.", id="without a heading that has no word of the query"),
        pytest.param("flour", "They are old. Nobody has better flour.", id="far from its heading: with its line"),
        pytest.param("rye", "The house keeps breads warm, and nobody knows for how long.", id="the title alone has it"),
    ],
)
def test_a_snippet_is_part_of_one_section_and_begins_with_it_if_it_can(word: str, snippet: str) -> None:
    assert make_snippet(HOUSE, HighlightTerms({word: word}), None, sections=SECTIONS).text == snippet


def test_words_side_by_side_as_they_were_asked_for_stand_before_the_same_words_apart() -> None:
    text = f"A key may be foreign, and nobody knows why. {LONG}Each foreign key leads to a table. {LONG}"
    assert snippet_of(text, "foreign", "key").startswith("Each foreign key leads")


def test_a_name_as_it_was_asked_for_stands_before_its_parts() -> None:
    text = f"The os has a path, and so we join it here. {LONG}Call os.path.join with two names. {LONG}"
    parts = {"os": "os", "path": "path", "join": "join", "os.path.join": "os.path.join"}
    wanted = HighlightTerms(parts, {"os": 0.5, "path": 0.5, "join": 0.5}, tuple(parts))
    assert make_snippet(text, wanted, None).text.startswith("Call os.path.join")


def test_only_the_parts_of_a_text_that_are_asked_for_are_read() -> None:
    text = f"The rye is old. {LONG}The rye is dark. {LONG}"
    there = text.index("The rye is dark")
    snippet = make_snippet(text, HighlightTerms({"rye": "rye"}), None, regions=[(there, there + 40, 1.0)])
    assert snippet.text.startswith("The rye is dark.")


def test_the_words_of_a_title_are_marked() -> None:
    assert marked(highlight_terms("Rye & os.path.join", HighlightTerms({"rye": "rye", "join": "join"}))) == [
        "Rye",
        "os.path.join",
    ]


def test_japanese_sentences_count_without_blanks() -> None:
    snippet = make_snippet("東京 大阪 京都\n東京は日本の首都です。人口は多い。", HighlightTerms({"東京": "東京"}), None)
    assert snippet.text.startswith("東京は日本の首都です。")


def test_without_a_found_word_the_first_sentence_is_shown() -> None:
    assert snippet_of(f"{MENU}{RYE}", "absent") == RYE


def test_a_page_that_forbids_snippets_has_none() -> None:
    assert make_snippet(LONG, HighlightTerms({"fill": "filler"}), 0) == Snippet()


@given(
    st.text(alphabet="ab 東京.\n_é", max_size=600),
    st.sets(st.sampled_from(["a", "b", "ab", "東京", "京東", "東"]), max_size=3),
    st.one_of(st.none(), st.integers(0, 400)),
)
def test_a_snippet_keeps_its_limit_and_its_marks_lie_inside(text: str, wanted: set[str], limit: int | None) -> None:
    snippet = make_snippet(text, HighlightTerms({term: term for term in wanted}), limit)
    assert len(snippet.text) <= (WINDOW if limit is None else min(WINDOW, limit))
    end = 0
    for start, stop in snippet.spans:
        assert end <= start < stop <= len(snippet.text)
        end = stop


LINES = st.lists(st.sampled_from(["rye", "A whole sentence.", "Heading", " ", "said:", "wheat (1)", "\t", "東京", "…"]))


@given(LINES, st.integers(1, 300), st.sampled_from(["\n", "\r\n", "\n\n", " "]))
def test_lines_are_put_apart_and_words_stay_marked(lines: list[str], limit: int, between: str) -> None:
    text = between.join(lines)
    snippet = make_snippet(text, HighlightTerms({"rye": "rye"}), limit)
    assert len(snippet.text) <= limit
    assert not set("\r\n\t") & set(snippet.text)
    assert {snippet.text[a:b] for a, b in snippet.spans} <= {"rye"}
    assert bool(snippet.spans) == ("rye" in text) or limit < MIN_CHARS_WITH_DOTS
    assert ".…" not in snippet.text.replace("……", "")


def test_a_heading_is_put_apart_from_the_text_after_it_and_a_sentence_is_not() -> None:
    text = "Rye bread\nRye is old.\nIt keeps:\nWarm places"
    assert snippet_of(text, "rye") == "Rye bread · Rye is old. It keeps: Warm places"


PIECES = [
    "rye",
    "bread",
    "Rye.",
    "C++",
    "-O2",
    "e-mail",
    "東京都",
    "os.path",
    "filler",
    "köstlich",
    "x" * 90,
    "!",
    "。",
]
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", ". ", "\n", "", "\t", "\xa0"])), max_size=120
).map(lambda pieces: "".join(token + between for token, between in pieces))


@given(TEXTS, st.integers(0, 60), st.integers(0, 60), st.integers(1, WINDOW))
def test_what_was_read_need_not_be_read_again_for_its_marks(text: str, start: int, cut: int, size: int) -> None:
    words = ("rye", "bread", "c++", "-o2", "email", "東京", "path")
    wanted = HighlightTerms({word: word for word in words}, order=words)
    read = _best_of(text, [(start, max(start, len(text) - cut), 9.0)], wanted, size, lambda: False)
    if read is not None:
        extent = _best_excerpt(text, read, size, wanted, ()).extent
        known = read.spans(text, *extent)
        assert known in (None, [found.span for found in wanted.highlighter.skim(text, *extent)])
