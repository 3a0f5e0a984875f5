"""Are the postings that are shown those of the pages? Counted by hand, over several segments, with pages deleted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indexer
from extensions.course.inside.inspection import MAX_POSITIONS, ROWS, dictionary_around, term_postings, typed_terms
from indexer.analysis.tokenizer import cached_terms, raw_tokens
from indexer.segments.schema import IndexField
from robots import PageControls
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.searcher import Searcher


def words_of(text: str) -> list[str]:
    return [word for raw in raw_tokens(text) for word, _ in cached_terms(raw)[0]]


def test_postings_are_told_by_field_with_positions_and_the_words_around(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    searcher = index(
        page("rye", "Rye bread keeps for a week, and rye keeps the baker warm.", title="Rye"),
        page("night", "The baker sleeps by day.", title="Night"),
    )
    found = term_postings(searcher.snapshot, "rye")
    assert found.pages == 1
    assert found.in_fields == ((IndexField.BODY, 1, 2), (IndexField.TITLE, 1, 1), (IndexField.URL, 1, 1))
    (row,) = found.rows
    assert (row.url, row.title, row.document) == ("http://site.test/rye", "Rye", 0)
    body, title, _ = row.postings
    assert (body.frequency, body.positions, body.length) == (2, (0, 7), 12)
    assert (title.frequency, title.positions, title.length) == (1, (0,), 1)
    assert row.around == ("", "Rye", " bread keeps for a week, and rye keeps t…")
    assert term_postings(searcher.snapshot, "rye", [IndexField.TITLE]).in_fields == ((IndexField.TITLE, 1, 1),)


def test_what_may_not_be_shown_is_counted_and_not_shown(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    hushed = page("hush", "A pretzel, hushed.", controls=PageControls(snippet=0))
    short = page("short", "A pretzel, shortened.", controls=PageControls(snippet=5))
    searcher = index(page("open", "A pretzel."), page("blocked", "Another pretzel."), hushed, short)
    found = term_postings(searcher.snapshot, "pretzel", is_hidden=lambda _, stored: "blocked" in stored.url)
    assert (found.pages, found.hidden) == (4, 1)
    around = {row.url.rpartition("/")[2]: row.around for row in found.rows}
    assert around == {"open": ("A ", "pretzel", "."), "hush": None, "short": None}


def test_a_page_that_was_replaced_is_there_once_and_one_that_was_removed_is_not(
    index: Callable[..., Searcher], page: Callable[..., Page], tmp_path: Path
) -> None:
    index(page("rye", "rye rye"), page("wheat", "rye"), page("oat", "rye"))
    index(page("rye", "rye and oats"))
    with indexer.open_writer(tmp_path) as writer:
        writer.remove("http://site.test/oat")
    found = term_postings(indexer.open_index(tmp_path).snapshot, "rye", [IndexField.BODY])
    assert sorted((row.url, row.postings[0].frequency) for row in found.rows) == [
        ("http://site.test/rye", 1),
        ("http://site.test/wheat", 1),
    ]
    assert (found.pages, found.in_fields) == (2, ((IndexField.BODY, 2, 2),))


def test_a_long_list_is_paged_and_a_page_beyond_its_end_is_the_last(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    searcher = index(*(page(f"{number}", "flour " * (number + 1)) for number in range(45)))
    numbers = [
        row.document for asked in (1, 2, 3) for row in term_postings(searcher.snapshot, "flour", page=asked).rows
    ]
    assert numbers == list(range(45))
    last = term_postings(searcher.snapshot, "flour", page=99)
    assert (last.page, last.last, len(last.rows)) == (3, 3, 45 - 2 * ROWS)
    assert last.rows[-1].postings[0].positions == tuple(range(MAX_POSITIONS))
    assert last.rows[-1].postings[0].frequency == 45


def test_other_forms_of_a_word_are_named(index: Callable[..., Searcher], page: Callable[..., Page]) -> None:
    searcher = index(
        page("1", "running runs", language="en"), page("2", "it runs", language="en"), page("3", "café", language="fr")
    )
    assert term_postings(searcher.snapshot, "running").forms == (("runs", 2),)
    assert term_postings(searcher.snapshot, "cafe").forms == (("café", 1),)
    nothing = term_postings(searcher.snapshot, "baguette")
    assert (nothing.pages, nothing.rows, nothing.forms, nothing.last) == (0, (), (), 1)


@pytest.mark.parametrize(
    ("typed", "words"), [("Rye bread", ("rye", "bread")), ("os.path", ("os", "path", "os.path")), ("!?", ()), ("", ())]
)
def test_what_is_typed_becomes_words_of_the_index(typed: str, words: tuple[str, ...]) -> None:
    assert typed_terms(typed) == words


TEXTS = st.text(
    alphabet=["a", "b", "A", " ", " ", "\n", "ä", "ж", "呼", "吸", "-", "_", ".", "'", "\u00ad", "ß"], max_size=60
)


@settings(max_examples=25)
@given(commits=st.lists(st.lists(st.tuples(st.integers(0, 5), TEXTS), min_size=1, max_size=4), min_size=1, max_size=3))
def test_every_posting_and_every_word_around_is_that_of_the_text(commits: list[list[tuple[int, str]]]) -> None:
    with TemporaryDirectory() as folder:
        texts: dict[str, str] = {}
        for commit in commits:
            with indexer.open_writer(Path(folder)) as writer:
                for number, text in commit:
                    url = CanonicalUrl(f"http://site.test/{number}")
                    texts[url] = text
                    writer.put(Page(url, "", text))
        snapshot = indexer.open_index(Path(folder)).snapshot
        known = sorted({word for text in texts.values() for word in words_of(text)}, key=str.encode)
        for place, word in enumerate(known):
            counts = {url: Counter(words_of(text))[word] for url, text in texts.items()}
            found = term_postings(snapshot, word, [IndexField.BODY])
            told = {row.url: row.postings[0].frequency for row in found.rows}
            assert told == {url: count for url, count in counts.items() if count}
            for row in found.rows:
                assert row.around is not None, "the word stands in the text, and its text may be shown"
                assert word in words_of(row.around[1])
                assert row.around[1] in texts[row.url]
            near = [row.word for row in dictionary_around(snapshot, word, 2) if IndexField.BODY in row.pages]
            alive = known[max(0, place - 2) : place + 3]
            assert set(near) >= {word}
            assert [other for other in near if other in alive] == [other for other in alive if other in near]
