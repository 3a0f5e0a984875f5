"""Which pages answer a question? An inverted index to write into, and one to search, which cannot write.

    with open_writer(data_dir) as writer:      # put, remove, commit
        writer.put(page)
    open_index(data_dir).search("two words")   # results with their scores, and what those are made of

The index lives in `data_dir / "index"`, or where the setting INDEX says (`remote.py`), and holds nothing that the
crawl database could not tell again. An index that Whoosh wrote can be searched, too (`plain_whoosh/`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.faults import (
    CorruptIndex,
    IndexFault,
    IndexLocked,
    IndexUnreachable,
    NoIndex,
    OutdatedIndex,
)
from indexer.plain_whoosh.folder import whoosh_folder
from indexer.remote import configured_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.searcher import Searcher
    from indexer.whoosh_door.index import PageIndex
    from indexer.writing.writer import CommittingWriter


__all__ = [
    "CorruptIndex",
    "IndexFault",
    "IndexLocked",
    "NoIndex",
    "OutdatedIndex",
    "check_engine",
    "check_index",
    "delete_index",
    "open_index",
    "open_whoosh",
    "open_writer",
]


def open_index(
    data_dir: Path,
    *,
    blocked: Callable[[str], bool] | None = None,
    copies: Callable[[str], tuple[str, ...]] | None = None,
    formula: Formula | None = None,
    withdrawn: Callable[[str], bool] | None = None,
    link_only: bool = True,
) -> Searcher:
    """Open the index of a data folder for searching, or those of a divided crawl's parts as one, wherever it is kept.

    Raises NoIndex and CorruptIndex; where there are parts, only if none of them can be searched. `blocked` says of a
    URL whether it may not be shown; it is asked for each result, so that a block works at once. `copies` tells the
    pages of other parts that say the same as one; of those that answer, the best is shown. `formula` has the weights of
    the ranking, what spoofing costs a page, and what extensions add. With `link_only` a page that was never fetched,
    and that others link to, is a result by their words alone; `withdrawn` is asked of each such result as `blocked` of
    the others.
    """
    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility

    chosen, visibility = formula or Formula(), Visibility(blocked, copies, withdrawn, link_only)
    if folder := whoosh_folder(data_dir):
        from indexer.plain_whoosh.searcher import WhooshSearcher

        return WhooshSearcher(folder)
    if address := configured_index():
        return address.open_searcher(visibility, chosen)
    from indexer.retrieval.searcher import Searcher

    return Searcher(data_dir, visibility, chosen)


def open_writer(data_dir: Path, *, rebuild: bool = False) -> CommittingWriter:
    """Open the index of a data folder for writing, and make it where there is none. Raises IndexLocked, CorruptIndex.

    With `rebuild` everything is put anew; searches go on in the old index until the first commit.
    """
    if address := configured_index():
        return address.open_writer(data_dir, rebuild=rebuild)
    from indexer.writing.writer import IndexWriter

    return IndexWriter(data_dir, rebuild=rebuild)


def open_whoosh(data_dir: Path, visibility: Visibility | None = None) -> PageIndex:
    """Open the index of a data folder as a `whoosh.index.Index`: docs/python.md has its fields, and examples.

    Its searchers leave out what the crawl database of the folder hides at once: pages that are blocked or gone since
    they were indexed; or what `visibility` hides. Raises NoIndex, CorruptIndex, and IndexFault where INDEX names a
    cluster.
    """
    from indexer.whoosh_door.index import PageIndex

    return PageIndex(data_dir, visibility)


def check_engine(data_dir: Path, *, in_parts: bool = False, answers: bool = False) -> None:
    """Raise IndexFault where a crawl's index can't be in its cluster: no client, a name that is taken, no rights.

    Where it has to answer, too, raise IndexUnreachable if it does not: else what is crawled may wait for it.
    """
    if address := configured_index():
        try:
            address.check_name(data_dir, in_parts=in_parts)
        except IndexUnreachable:
            if answers:
                raise


def check_index(data_dir: Path) -> None:
    """Read all of the index of a data folder once; a cluster says how it is. Raises NoIndex, CorruptIndex."""
    if address := configured_index():
        return address.check(data_dir)
    from indexer.segments.segment_infos import check_index_files as check

    return check(data_dir)


def delete_index(data_dir: Path) -> None:
    """Delete the index of a data folder. Raises IndexLocked while a process writes it."""
    if address := configured_index():
        return address.delete(data_dir)
    from indexer.segments.segment_infos import delete_index_files as delete

    return delete(data_dir)
