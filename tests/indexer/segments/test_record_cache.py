"""The cache keeps the most recently used records, and never more than its bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.cache import LeastRecentlyUsed
from indexer.segments.schema import StoredFields
from indexer.segments.segment import RECORD_BYTES, RECORD_CACHE, size_of_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

RECORD = StoredFields("http://site.test/", "site.test", "", "", "", "en", 0.0, 0.0, archive=True, snippet=None)
ROOM = 4 * (RECORD_BYTES + 1_000)


def record_cache() -> LeastRecentlyUsed[tuple[int, int], StoredFields]:
    return LeastRecentlyUsed(ROOM, size_of_record)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 900)), max_size=30))
def test_what_is_kept_is_what_was_put_and_has_room(asked: list[tuple[int, int, int]]) -> None:
    kept, put = record_cache(), dict[tuple[int, int], StoredFields]()
    for segment, document, length in asked:
        found = kept.get((segment, document))
        assert found is None or found is put[segment, document]
        if found is None:
            put[segment, document] = replace(RECORD, text="x" * length)
            kept.put((segment, document), put[segment, document])
        assert kept.get((segment, document)) is put[segment, document], "what was just asked for is kept"
        assert len(kept) <= 4


def test_what_was_not_asked_for_longest_goes_first() -> None:
    kept = record_cache()
    for document in range(4):
        kept.put((0, document), replace(RECORD, text="x" * 800))
    assert kept.get((0, 0))
    kept.put((0, 4), replace(RECORD, text="x" * 800))
    assert [bool(kept.get((0, document))) for document in range(5)] == [True, False, True, True, True]
    kept.put((1, 0), replace(RECORD, text="x" * ROOM))
    assert kept.get((1, 0)) is None, "what is larger than all room would drive out everything"
    assert kept.get((0, 4))


def test_two_segments_never_get_the_records_of_one_another(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    index(page("a", "rye bread")).search("rye")
    searcher = index(page("b", "oat bread"))  # the first document of its segment, as the other one is
    for _ in range(2):
        assert {hit.snippet.text for hit in searcher.search("bread").hits} == {"rye bread", "oat bread"}
    assert len(RECORD_CACHE) >= len(searcher.search("bread").hits)
