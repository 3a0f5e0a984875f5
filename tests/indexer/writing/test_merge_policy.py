from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.writing.builder import LARGEST, MAX_BYTES, MERGE_FACTOR, SMALLEST, Weight, choose_merge


def of(*pages: int) -> list[Weight]:
    return [Weight(count, 0, count * 5_000) for count in pages]  # bytes, as manuals have them


def test_a_full_tier_is_merged_and_a_smaller_one_is_not() -> None:
    assert choose_merge(of(*[10] * (MERGE_FACTOR - 1))) == []
    assert choose_merge(of(5_000, *[10] * MERGE_FACTOR)) == list(range(1, MERGE_FACTOR + 1))


def test_a_segment_that_is_mostly_deleted_is_rewritten() -> None:
    assert choose_merge([Weight(100, 10, 1), Weight(100, 51, 1)]) == [1]


def test_large_segments_are_left_alone() -> None:
    assert choose_merge(of(*[LARGEST] * 20)) == []


def test_pages_of_a_few_words_are_merged_as_long_as_that_is_no_more_work() -> None:
    passages = [Weight(LARGEST, 0, 15_000_000)] * MERGE_FACTOR
    assert choose_merge(passages) == list(range(MERGE_FACTOR))
    assert choose_merge(passages[:2], ending=True) == [0, 1]
    assert choose_merge([Weight(8 * LARGEST, 0, 120_000_000)] * 20) == []
    assert choose_merge([Weight(100, 0, MAX_BYTES // 4)] * MERGE_FACTOR) == [0, 1, 2, 3]


@given(st.lists(st.integers(1, 3_000), max_size=300))
def test_however_pages_come_there_are_few_segments_and_each_page_is_rewritten_seldom(commits: list[int]) -> None:
    segments: list[int] = []
    written = 0
    for pages in commits:
        segments.append(pages)
        while places := choose_merge(of(*segments)):
            merged = sum(segments[place] for place in places)
            assert len(places) > 1
            written += merged
            segments = [pages for place, pages in enumerate(segments) if place not in places] + [merged]
    total = sum(commits)
    tiers = 5  # SMALLEST, and as often times MERGE_FACTOR as it takes to LARGEST
    assert SMALLEST * MERGE_FACTOR**tiers > LARGEST
    assert len(segments) <= tiers * MERGE_FACTOR + total // (LARGEST // 2)
    assert written <= tiers * total


def test_at_the_end_small_segments_are_merged_and_a_large_one_is_left_alone() -> None:
    assert choose_merge(of(16_000, 2_000, 2_000, 200)) == []
    assert choose_merge(of(16_000, 2_000, 2_000, 200), ending=True) == [1, 2, 3]
    assert choose_merge(of(16_000, 4_200), ending=True) == choose_merge(of(16_000), ending=True) == []
    assert choose_merge(of(5_000, 10), ending=True) == [], "an update of few pages rewrites few"


@given(st.lists(st.integers(1, 3_000), max_size=300))
def test_however_often_a_writer_ends_there_are_few_segments_and_each_page_is_rewritten_seldom(ends: list[int]) -> None:
    segments: list[int] = []
    written = 0
    for pages in ends:
        segments.append(pages)
        while places := choose_merge(of(*segments), ending=True):
            merged = sum(segments[place] for place in places)
            assert len(places) > 1
            written += merged
            segments = [pages for place, pages in enumerate(segments) if place not in places] + [merged]
        small = sorted(pages for pages in segments if pages < LARGEST)
        for place, own in enumerate(small):
            assert sum(small[:place]) < own or sum(small[: place + 1]) > 2 * LARGEST
    assert written <= 30 * sum(ends)  # a page's segment grows by half each time, from 1 to LARGEST
