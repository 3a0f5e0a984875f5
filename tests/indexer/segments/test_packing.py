"""Packed values come back the same, and other bytes are recognised as such."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.postings import (
    PackedPositions,
    Postings,
    pack_lists,
    pack_numbers,
    unpack_lists,
    unpack_numbers,
    unpack_positions,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 1))
PLACES = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5).map(sorted)
ROWS = st.dictionaries(st.integers(0, 70_000), PLACES, min_size=1, max_size=12)


def unpack_one(content: bytes, *extent: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    return unpack_lists([content], *np.array([extent]).T)


@given(st.lists(NUMBERS))
def test_numbers_come_back_as_they_were(numbers: list[int]) -> None:
    content, ends = pack_numbers(np.array(numbers, np.uint32))
    assert unpack_numbers(content).tolist() == numbers
    assert [unpack_numbers(content[:end]).tolist() for end in ends] == [numbers[: n + 1] for n in range(len(numbers))]


@pytest.mark.parametrize(
    ("number", "content"),
    [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (16_384, "808001"), (2**32 - 1, "ffffffff0f")],
)
def test_a_number_is_packed_as_the_textbook_has_it(number: int, content: str) -> None:
    assert pack_numbers(np.array([number], np.uint32))[0].hex() == content


@pytest.mark.slow
@given(st.lists(ROWS, min_size=1, max_size=6))
def test_lists_come_back_as_they_were(lists: list[dict[int, list[int]]]) -> None:
    rows = [dict(sorted(each.items())) for each in lists]
    counts = np.array([len(each) for each in rows])
    documents = np.array([number for each in rows for number in each], np.uint32)
    places = [some for each in rows for some in each.values()]
    frequencies = np.array([len(some) for some in places], np.uint32)
    flat = np.array([place for some in places for place in some], np.uint32)
    packed = pack_lists(np.cumsum(counts) - counts, documents, frequencies, flat)
    read, often = packed.unpacked_postings()
    assert (read.tolist(), often.tolist()) == (documents.tolist(), frequencies.tolist())
    assert unpack_positions(packed.positions, often).tolist() == flat.tolist()
    for place, each in enumerate(rows):
        one = packed.cut(place, place + 1)
        extent = int(one.counts[0]), int(one.firsts[0]), int(one.lasts[0])
        assert unpack_one(one.postings, *extent)[0].tolist() == list(each)
        flat_places = [number for some in each.values() for number in some]
        assert unpack_positions(one.positions, unpack_one(one.postings, *extent)[1]).tolist() == flat_places


@given(st.lists(PLACES, min_size=1, max_size=12), st.data())
def test_the_positions_of_some_postings_are_those_among_all(places: list[list[int]], data: st.DataObject) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(places) - 1))))
    frequencies = np.array([len(some) for some in places], np.uint32)
    flat = np.array([place for some in places for place in some], np.uint32)
    starts = np.array([0])
    content = pack_lists(starts, np.arange(len(places), dtype=np.uint32), frequencies, flat).positions
    wanted = [place for row in rows for place in places[row]]
    assert PackedPositions(content, frequencies).of(np.array(rows, np.int64)).tolist() == wanted
    cut = Postings(np.arange(len(places), dtype=np.uint32), frequencies, lambda _: flat)
    assert cut.positions.tolist() == flat.tolist()
    assert cut.positions_of(np.array(rows, np.int64)).tolist() == wanted


@pytest.mark.slow
@given(st.lists(ROWS, min_size=1, max_size=6))
def test_lists_that_are_unpacked_together_are_those_unpacked_alone(lists: list[dict[int, list[int]]]) -> None:
    rows = [dict(sorted(each.items())) for each in lists]
    counts = np.array([len(each) for each in rows])
    documents = np.array([number for each in rows for number in each], np.uint32)
    frequencies = np.array([len(some) for each in rows for some in each.values()], np.uint32)
    packed = pack_lists(np.cumsum(counts) - counts, documents, frequencies, None)
    contents = [packed.cut(place, place + 1).postings for place in range(len(rows))]
    read, often = unpack_lists(contents, packed.counts, packed.firsts, packed.lasts)
    assert (read.tolist(), often.tolist()) == (documents.tolist(), frequencies.tolist())


@given(
    st.lists(st.binary(max_size=20), min_size=1, max_size=4),
    st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=4, max_size=4),
)
def test_no_bytes_make_a_list_that_does_not_ascend_to_its_last_document(
    contents: list[bytes], extents: list[tuple[int, int, int]]
) -> None:
    counts, firsts, spans = np.array(extents[: len(contents)]).T
    try:
        documents, frequencies = unpack_lists(contents, counts, firsts, firsts + spans)
    except (ValueError, IndexError):
        return
    assert len(documents) == len(frequencies) == counts.sum()
    for stop, count, first, span in zip(np.cumsum(counts), counts, firsts, spans, strict=True):
        some = documents[stop - count : stop].tolist()
        assert (some[0], some[-1], sorted(set(some))) == (first, first + span, some)


@given(st.binary(max_size=60), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_no_bytes_make_more_positions_than_the_frequencies_name(content: bytes, counts: list[int]) -> None:
    with contextlib.suppress(ValueError):
        assert len(PackedPositions(content, np.array(counts, np.uint32)).of(np.array([0]))) == counts[0]


@given(st.binary(max_size=60), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_no_bytes_make_more_postings_than_they_are(content: bytes, count: int, first: int, span: int) -> None:
    try:
        documents, frequencies = unpack_one(content, count, first, first + span)
    except (ValueError, IndexError):
        return  # SegmentReader tells both as damage
    assert len(documents) == len(frequencies) == count
    assert (documents[0], documents[-1]) == (first, first + span)
    assert sorted(set(documents.tolist())) == documents.tolist()
    with contextlib.suppress(ValueError):
        assert len(unpack_positions(content, frequencies)) == frequencies.sum()


@pytest.mark.parametrize("content", [b"\x80", b"\x01\xff", b"\x80\x80\x80\x80\x80\x01"])
def test_what_is_cut_short_or_too_large_is_no_number(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"cut short|32 bits"):
        unpack_numbers(content)
