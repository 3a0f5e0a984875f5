"""Are the pages of an area apart? A search without them knows nothing of them, as if they had never been indexed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import indexer
from indexer.retrieval.results import results_as_dict
from indexer.segments.areas import areas_in
from indexer.writing.writer import IndexWriter
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

STAFF, BOARD = "http://firm.test/staff/", "http://firm.test/staff/board/"
PUBLIC = [
    Page(CanonicalUrl(f"http://firm.test/news/{n}"), f"News {n}", f"The bakery opens at {n}. Bread and rye.")
    for n in range(12)
]
PRIVATE = [
    Page(CanonicalUrl(f"{area}{n}"), f"Zeppelin {n}", "A zeppelin full of rye bread, for the zeppelinists alone.")
    for area in (STAFF, BOARD)
    for n in range(9)
]
QUERIES = (
    "rye",
    "zeppelin",
    "bread rye",
    "zepp*",
    "zeppelinists",
    "bred",
    "rye OR zeppelin",
    "site:firm.test",
    "-rye bread",
)


def index_of(folder: Path, pages: Sequence[Page], apart: Sequence[str] = (), a_commit: int = 100) -> Searcher:
    with IndexWriter(folder) as writer:
        writer.builder.apart = frozenset(apart)
        for first in range(0, len(pages), a_commit):
            for page in pages[first : first + a_commit]:
                writer.put(page)
            writer.commit(ending=True)
    return indexer.open_index(folder)


def shown(searcher: Searcher, query: str) -> dict[str, object]:
    found = results_as_dict(searcher.search(query), 0.0, str)
    return {name: value for name, value in found.items() if name not in {"generation", "took_ms"}}


@pytest.mark.parametrize("a_commit", [1, 4, 100])
def test_a_search_without_an_area_is_that_of_an_index_that_never_had_it(tmp_path: Path, a_commit: int) -> None:
    areas = (STAFF, BOARD)
    whole = index_of(tmp_path / "whole", [*PRIVATE, *PUBLIC], areas, a_commit)
    public = index_of(tmp_path / "public", PUBLIC, areas, a_commit)
    limited = whole.limited_to(lambda file: areas_in(file, areas) == {""})
    assert whole.search("zeppelinists").total > limited.documents - 12 == 0
    for query in QUERIES:
        assert shown(limited, query) == shown(public, query), query
        assert [*limited.search(query).facets] == [*public.search(query).facets]
    for typed in ("z", "ze", "zeppelin", "r", "rye b", "news"):
        assert limited.complete(typed) == public.complete(typed)


def test_the_inner_area_has_its_pages(tmp_path: Path) -> None:
    whole = index_of(tmp_path, [*PRIVATE, *PUBLIC], (STAFF, BOARD))
    staff = whole.limited_to(lambda file: BOARD not in areas_in(file, (STAFF, BOARD)))
    assert (staff.search("zeppelin").total, whole.search("zeppelin").total) == (9, 18)


def test_pages_that_were_mixed_are_noticed(tmp_path: Path) -> None:
    index_of(tmp_path, [*PRIVATE, *PUBLIC])
    with IndexWriter(tmp_path) as writer:
        writer.builder.apart = frozenset((STAFF,))
        assert writer.builder.mixes
        writer.put(replace(PUBLIC[0], text="New"))
        writer.builder.flush()
        areas = [areas_in(writer.builder.file(each), (STAFF,)) for each in writer.builder.segments]
    assert areas == [{STAFF, ""}, {""}]
