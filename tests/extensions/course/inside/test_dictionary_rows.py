"""Are the neighbours of a word those of the whole dictionary, whichever segments they are in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.course.inside.inspection import dictionary_around
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.searcher import Searcher
    from urls.records import Page

WORDS = [f"{first}{second}{third}" for first in "bcdf" for second in "aeiou" for third in "lmnrst"]  # over one block


def test_the_neighbours_of_a_word_are_those_of_all_segments_together(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    index(page("1", " ".join(WORDS[::2]), title="cat"))
    searcher = index(page("2", " ".join(WORDS[1::2]), title="cal cat"))
    in_order = sorted([*WORDS, "1", "2"])
    for word in (*WORDS, "a", "zzz", "cat", "can't", "CAT", "1"):
        rows = dictionary_around(searcher.snapshot, word, 4)
        before = [known for known in in_order if known < word][-4:]
        after = [known for known in in_order if known > word][:4]
        assert [row.word for row in rows] == [*before, *([word] if word in in_order else []), *after]
        assert [row.word for row in rows if row.is_asked] == ([word] if word in in_order else [])


def test_a_row_says_in_how_many_pages_a_word_stands_by_field(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    searcher = index(page("1", "cat", title="Cat"), page("2", "cat and dog"))
    rows = {row.word: row.pages for row in dictionary_around(searcher.snapshot, "cat")}
    assert rows["cat"] == {IndexField.BODY: 2, IndexField.TITLE: 1}
    assert rows["dog"] == {IndexField.BODY: 1}
    assert rows["1"] == {IndexField.URL: 1}
