"""Which passages of a page are read by meaning?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.meaning.passages import (
    FIRST_PASSAGES,
    PASSAGE_TOKENS,
    PASSAGES,
    SECTIONS,
    TITLE_TOKENS,
    digest_of_reading,
    passages_of,
)
from indexer.segments.schema import StoredFields
from tests.extensions.meaning.networks import WordCounts

if TYPE_CHECKING:
    from typing import Any

ENCODER = WordCounts()


def stored(text: str, title: str = "", *languages: str, **more: Any) -> StoredFields:
    spoken = languages or ("en",)
    return StoredFields(
        url="http://site.test/",
        site="site.test",
        title=title,
        text=text,
        description="",
        language=spoken[0],
        fetched_at=0.0,
        expires=0.0,
        archive=True,
        snippet=None,
        languages=spoken,
        **more,
    )


def said(page: StoredFields) -> list[str]:
    return [page.text[passage.begin : passage.end] for passage in passages_of(page, ENCODER)]


def test_a_short_page_is_one_passage_with_its_title_before_it() -> None:
    page = stored("Rye needs warmth.", "Bread")
    (passage,) = passages_of(page, ENCODER)
    assert said(page) == ["Rye needs warmth."]
    assert passage.tokens == tuple(ENCODER.pieces("Bread Rye needs warmth.").tokens)


def test_a_passage_ends_with_a_sentence_and_the_next_one_goes_on_there() -> None:
    sentence = "one two three four five six seven eight nine ten eleven twelve thirteen. "
    first, second, *_ = said(stored(sentence * 40))
    assert first.endswith("thirteen.")
    assert second.startswith("one")


def test_a_passage_without_a_full_stop_ends_where_it_is_full() -> None:
    first, *_ = passages_of(stored("word " * 500), ENCODER)
    assert len(first.tokens) == PASSAGE_TOKENS


def test_only_the_beginning_of_a_long_page_is_read() -> None:
    page = stored("".join(f"Sentence number {number}. " for number in range(5_000)))
    assert len(said(page)) == FIRST_PASSAGES
    assert said(page)[0].startswith("Sentence number 0.")


def test_each_section_has_a_passage_of_its_own_and_the_highest_levels_come_first() -> None:
    heads = ["Rye", "Storage", "Oven", "Water", "Salt", "Flour"]
    text, sections = "All about bread. ", []
    for number, head in enumerate(heads):
        sections.append((len(text), len(text) + len(head), 3 if head == "Storage" else 2, f"s{number}"))
        text += f"{head} " + f"is what sentence {number} is about. " * 30
    found = said(stored(text, "Bread", sections=tuple(sections)))
    assert found[0] == "All about bread."
    assert [passage.split()[0] for passage in found[1:]] == ["Rye", "Oven", "Water", "Salt"]  # SECTIONS of level 2
    assert len(found) == 1 + SECTIONS
    assert {passage.count("sentence 2") for passage in found} - {0}, "the third section is read"
    assert all(len({word for word in passage.split() if word.isdigit()}) == 1 for passage in found[1:])


def test_a_section_at_the_beginning_of_a_page_is_read_once() -> None:
    text = "Bread needs time. " * 3
    assert said(stored(text, sections=((0, 5, 1, "bread"),))) == said(stored(text)) == [text.strip()]


def test_a_page_that_has_only_a_title_is_read_by_that() -> None:
    (passage,) = passages_of(stored("", "A title alone"), ENCODER)
    assert (passage.begin, passage.end, len(passage.tokens)) == (0, 0, 3)


@pytest.mark.parametrize(("languages", "passages"), [(("de",), 0), (("",), 0), (("en",), 1), (("de", "en"), 1)])
def test_only_english_is_read(languages: tuple[str, ...], passages: int) -> None:
    assert len(passages_of(stored("Some words.", "", *languages), ENCODER)) == passages


def test_the_digest_changes_with_whatever_is_read() -> None:
    page = stored("text", "title")
    others = [stored("text", "other"), stored("other", "title"), stored("text", "title", "de"), stored("titletext")]
    others.append(stored("text", "title", sections=((2, 3, 1, "x"),)))
    assert len({digest_of_reading(each) for each in (page, *others)}) == 6
    assert digest_of_reading(page) == digest_of_reading(stored("text", "title", modified=2.0)), (
        "when it changed is not read"
    )


@given(st.text(max_size=3_000), st.text(max_size=300), st.data())
def test_any_text_gives_passages_in_order_within_bounds(text: str, title: str, data: st.DataObject) -> None:
    starts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=9)))
    sections = tuple((start, start, data.draw(st.integers(1, 7)), "id") for start in starts)
    page = stored(text, title, sections=sections)
    passages = passages_of(page, ENCODER)
    assert len(passages) <= PASSAGES
    assert all(0 < len(passage.tokens) <= TITLE_TOKENS + PASSAGE_TOKENS for passage in passages)
    bounds = [place for passage in passages for place in (passage.begin, passage.end)]
    assert bounds == sorted(bounds)
    assert max(bounds, default=0) <= len(text)
