"""Do the segments tell where they are from, and do the sizes by field add up to those of the files?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.course.inside.inspection import field_lengths, index_sizes, segment_rows, tier_in_words
from indexer.query.deadline import Deadline
from indexer.segments.schema import IndexField
from indexer.writing.builder import MERGE_FACTOR

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.searcher import Searcher
    from urls.records import Page


def test_a_segment_says_when_it_was_born_and_what_it_was_merged_from(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    for number in range(MERGE_FACTOR - 1):
        searcher = index(page(f"{number}", "bread"))
    before = segment_rows(searcher.snapshot)
    assert [(row.pages, row.deleted, row.born, row.merged_from) for row in before] == [
        (1, 0, generation, ()) for generation in range(1, MERGE_FACTOR)
    ]
    searcher = index(page("last", "bread"))
    (merged,) = segment_rows(searcher.snapshot)
    assert (merged.pages, merged.born, len(merged.merged_from)) == (MERGE_FACTOR, MERGE_FACTOR, MERGE_FACTOR)
    assert merged.merged_from[:-1] == tuple((row.name, 1) for row in before)
    searcher = index(page("0", "bread again"))
    first, second = segment_rows(searcher.snapshot)
    assert (first.name, first.born, first.deleted) == (merged.name, MERGE_FACTOR, 1), "it stays what it was"
    assert second.born == MERGE_FACTOR + 1


def test_sizes_by_field_add_up_to_the_parts_of_the_files(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    index(*(page(f"{number}", f"bread {'rye ' * number}", title=f"Page {number}") for number in range(70)))
    searcher = index(page("more", "wheat"))
    sizes = index_sizes(searcher.snapshot, Deadline())
    files = [view.file for view in searcher.snapshot.views]
    assert sizes.counted == sizes.segments == 2
    for part, column in (("postings", "postings"), ("positions", "positions")):
        assert sum(getattr(each, column) for each in sizes.fields) == sum(file.bytes_of(part) for file in files)
    terms = sum(file.bytes_of("terms") for file in files)
    assert abs(sum(each.dictionary for each in sizes.fields) - terms) <= len(sizes.fields), "but for the rounding"
    assert {each.field for each in sizes.fields} >= {IndexField.BODY, IndexField.TITLE, "url", "site"}
    rows = {each.field: each.terms for each in sizes.fields}
    assert (rows[IndexField.BODY], rows["url"]) == (3, 71)
    others = dict(sizes.others)
    assert others.keys() == {"record", "forms", "columns"}
    assert sum(others.values()) + terms < sum(file.size for file in files)


def test_what_there_is_no_time_for_is_told_as_not_counted(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    index(page("1", "bread"))
    searcher = index(page("2", "wheat"))
    assert index_sizes(searcher.snapshot, Deadline(0)).counted == 1
    assert index_sizes(searcher.snapshot, Deadline(0)).counted == 2, "each answer counts one more at least"


def test_lengths_are_counted_by_powers_of_two(index: Callable[..., Searcher], page: Callable[..., Page]) -> None:
    searcher = index(*(page(f"{number}", "word " * number) for number in (1, 2, 3, 4, 7, 8)))
    body = next(each for each in field_lengths(searcher.snapshot) if each.field is IndexField.BODY)
    assert (body.pages, body.longest, body.mean) == (6, 8, 25 / 6)
    assert body.bins == ((1, 1, 1), (2, 3, 2), (4, 7, 2), (8, 15, 1))


def test_a_size_class_is_told_in_pages() -> None:
    assert [tier_in_words(tier) for tier in (0, 1, 2)] == ["up to 64 pages", "65 to 512 pages", "513 to 4,096 pages"]
