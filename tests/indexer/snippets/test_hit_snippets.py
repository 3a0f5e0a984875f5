"""Are the lines found from positions those that a reading of the whole text finds, in an index as it is written?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from indexer.query.deadline import Deadline
from indexer.segments.schema import unpack_checkpoints
from indexer.snippets.snippet import HighlightTerms, make_snippet
from robots import PageControls

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

WORDS = ("rye", "wheat", "oats", "os.path.join", "C++", "getUserName", "東京都は", "köstlich", "e-mail", "-O2")


def long_text(chance: random.Random, words: int = 2_000) -> str:
    """Filler in sentences and lines, with a word to be asked for here and there."""
    pieces = []
    for _ in range(words):
        pieces.append(chance.choice(WORDS) if chance.random() < 0.03 else chance.choice(("filler", "stands", "here")))
        pieces.append(chance.choice((" ", " ", " ", ". ", ".\n", "\n", "。")))
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(6))
def test_lines_found_from_positions_have_as_many_words_as_those_of_the_whole_text(
    index: Callable[..., Any], page: Callable[..., Page], seed: int
) -> None:
    chance = random.Random(seed)
    text = long_text(chance)
    searcher = index(page("a", text, language="en"))
    for words in (chance.sample(("rye", "wheat", "oats", "köstlich"), 3), ["wheat", "rye"], ["oats"]):
        quoted = searcher.search(" ".join(words)).hits[0].snippet
        read = make_snippet(text, HighlightTerms({word: word for word in words}, order=words), None)
        assert {quoted.text[a:b] for a, b in quoted.spans} >= {read.text[a:b] for a, b in read.spans}


@pytest.mark.parametrize("asked", ["os.path.join", "C++", "getUserName", "東京都", "-O2", "e-mail"])
def test_a_name_is_shown_as_it_was_asked_for(index: Callable[..., Any], page: Callable[..., Page], asked: str) -> None:
    text = f"The os has a path, a get and a user; C and O2, e and mail, 東 and 京.\n{'filler stands here. ' * 200}"
    snippet = index(page("a", f"{text}\nHere is {asked} in a line of its own.\n{text}")).search(asked).hits[0].snippet
    assert asked in {snippet.text[start:end] for start, end in snippet.spans}


def test_the_record_has_landmarks_of_the_text_that_it_keeps(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    text = long_text(random.Random(1))
    searcher = index(
        page("whole", text),
        page("part", text, snippet_text=text[:500]),
        page("none", text, controls=PageControls(snippet=0)),
    )
    kept = {name: searcher.stored(page(name, "").url) for name in ("whole", "part", "none")}
    characters, positions = unpack_checkpoints(kept["whole"].checkpoints)
    assert len(characters) > len(text) // 600
    assert sorted(set(positions)) == list(positions)
    assert (kept["part"].checkpoints, kept["none"].checkpoints) == ((), ())
    assert {hit.url.rpartition("/")[2]: bool(hit.snippet.text) for hit in searcher.search("rye").hits} == {
        "whole": True,
        "part": True,
        "none": False,
    }


def test_the_words_of_the_question_are_marked_in_titles(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    hit = index(page("a", "It keeps.", title="Ryes & wheat", language="en")).search("rye").hits[0]
    title = hit.marked_title
    assert (title.text, [title.text[start:end] for start, end in title.spans]) == ("Ryes & wheat", ["Ryes"])


def test_a_snippet_keeps_to_what_a_page_allows(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    text = long_text(random.Random(2))
    hit = index(page("a", text, controls=PageControls(snippet=50))).search("rye").hits[0]
    assert 0 < len(hit.snippet.text) <= 50


def test_past_the_deadline_there_are_lines_all_the_same(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    results = index(page("a", long_text(random.Random(3)))).search("rye", deadline=Deadline(0))
    assert results.hits[0].snippet.text
    assert "the best lines of some pages" in results.left_out


def test_a_phrase_that_the_description_alone_has_is_shown_from_there(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    text = f"The rye keeps, and the bread too. {'Filler stands here. ' * 80}"
    searcher = index(page("a", text, description="How we bake rye bread at home.", language="en"))
    for asked, shown in (
        ('"rye bread"', "How we bake"),
        ("rye bread", "The rye keeps"),
        ('"the bread"', "The rye keeps"),
    ):
        assert searcher.search(asked).hits[0].snippet.text.startswith(shown), asked
