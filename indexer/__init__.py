"""Which pages match a query? An inverted index: a writer, and a searcher that cannot write.

    with open_writer(data_dir) as writer:      # put, remove, commit
        writer.put(page)
    open_index(data_dir).search("two words")   # results, each with an explanation of its score

The index is in `data_dir / "index"`, or where the setting INDEX says (`remote.py`). It can be rebuilt from the crawl
database at any time. An index that another program wrote can be searched, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexer.faults import CorruptIndex, IndexFault, IndexLocked, IndexUnreachable, NoIndex, OutdatedIndex
from indexer.remote import configured_index, foreign_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from whoosh.index import Index

    from indexer.ranking.weights import Formula
    from indexer.retrieval.searcher import Searcher
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
    data_dir: str | PathLike[str],
    *,
    blocked: Callable[[str], bool] | None = None,
    copies: Callable[[str], tuple[str, ...]] | None = None,
    formula: Formula | None = None,
    withdrawn: Callable[[str], bool] | None = None,
    link_only: bool = True,
) -> Searcher:
    """Open the index of a data folder for searching, wherever it is kept; the parts of a divided crawl are one index.

    `blocked` returns whether a URL must not be shown. Each result calls it, so a block works at once. `copies` returns
    the pages of other parts that are near copies of one; of those that match, the best is shown. `formula` has the
    weights of the ranking, the penalty for spoofing, and the contributions of extensions. With `link_only`, a page that
    was never fetched is a result if the words of links to it match; `withdrawn` hides such results.

    Raises NoIndex and CorruptIndex; if there are parts, only if none of them can be searched.
    """
    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility

    chosen, visibility = formula or Formula(), Visibility(blocked, copies, withdrawn, link_only)
    folder = Path(data_dir)
    if foreign := foreign_index(folder):
        return foreign.open_searcher()
    if remote := configured_index():
        return remote.open_searcher(visibility, chosen)
    from indexer.retrieval.searcher import Searcher

    return Searcher(folder, visibility, chosen)


def open_writer(data_dir: str | PathLike[str], *, rebuild: bool = False) -> CommittingWriter:
    """Open the index of a data folder for writing; make it if there is none. Raises IndexLocked, CorruptIndex.

    With `rebuild` it starts empty; searches use the old index until the first commit.
    """
    if remote := configured_index():
        return remote.open_writer(Path(data_dir), rebuild=rebuild)
    from indexer.writing.writer import IndexWriter

    return IndexWriter(Path(data_dir), rebuild=rebuild)


def open_whoosh(data_dir: str | PathLike[str]) -> Index:
    """Open the index of a data folder as a `whoosh.index.Index` (docs/python.md has its fields, and examples).

    Its searchers omit pages that the crawl database hides: blocked or gone since they were indexed. Raises NoIndex,
    CorruptIndex, and IndexFault if INDEX names a cluster or the extension is off.
    """
    from extension_points import call_extensions

    for library in call_extensions("index_libraries"):
        if library.key == "whoosh":
            opened: Index = library.open(Path(data_dir), None)
            return opened
    raise IndexFault("open_whoosh needs the extension whoosh: add its name to extensions/built_in.txt")


def check_engine(data_dir: Path, *, in_parts: bool = False, must_respond: bool = False) -> None:
    """Raise IndexFault if the cluster of INDEX cannot hold the index: no client, a taken name, no permission.

    With `must_respond`, raise IndexUnreachable too if it does not respond; otherwise the crawled pages wait for it.
    """
    if remote := configured_index():
        try:
            remote.check_name(data_dir, in_parts=in_parts)
        except IndexUnreachable:
            if must_respond:
                raise


def check_index(data_dir: Path) -> None:
    """Read the whole index of a data folder once; a cluster reports its state. Raises NoIndex, CorruptIndex."""
    if remote := configured_index():
        return remote.check(data_dir)
    from indexer.segments.segment import check_index_files as check

    return check(data_dir)


def delete_index(data_dir: Path) -> None:
    """Delete the index of a data folder. Raises IndexLocked while a process writes it."""
    if remote := configured_index():
        return remote.delete(data_dir)
    from indexer.segments.generation import delete_index_files as delete

    return delete(data_dir)
