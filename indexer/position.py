"""How far has the index followed the feed of changes? A crawl asks before it begins, and loads no index for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.feed import Feed
from indexer.faults import REBUILD, IndexFault, NoIndex, OtherCrawl, OutdatedIndex
from indexer.remote import configured_index
from indexer.segments.generation import index_folder, read_generation

if TYPE_CHECKING:
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from indexer.remote import FeedPosition


def indexed_position(data_dir: Path) -> int:
    """Return the number of the last change of the feed that is in the index; -1 where there is none to go on with."""
    try:
        return _committed(data_dir).position
    except (NoIndex, OutdatedIndex):
        return -1


def _committed(data_dir: Path) -> FeedPosition:
    if address := configured_index():
        return address.committed(data_dir)
    return read_generation(index_folder(data_dir))


def check_same_crawl(data_dir: Path, database: CrawlDatabase | None, *, rebuild: bool = False) -> None:
    """Raise OtherCrawl where an index would lose its pages to a crawl database that is empty, or another crawl's.

    A person who asks for a rebuild may exchange the crawl, and not replace what there is by nothing.
    """
    try:
        found = _committed(data_dir)
    except (IndexFault, OSError):
        return  # there is none, or who opens it tells what is wrong with it
    if not found.position:
        return
    place = configured_index() or index_folder(data_dir)
    if database is None or not Feed(database).last():
        finding = f"the crawl database has no page, and the index has seen {found.position} changes of one"
        raise OtherCrawl(place, finding, "take the index away (its folder, or INDEX with another name) to begin anew")
    if not rebuild and found.crawl not in {"", database.identity}:
        finding = f"it is that of crawl {found.crawl}, and the crawl database is that of crawl {database.identity}"
        raise OtherCrawl(place, finding, f"make the index of this one: {REBUILD}")


def is_there(data_dir: Path) -> bool:
    """Return whether there is an index, of whatever version and in whatever state."""
    try:
        _committed(data_dir)
    except NoIndex:
        return False
    except IndexFault:
        pass  # who opens it tells what is wrong with it
    return True


def is_ahead(data_dir: Path, database: CrawlDatabase) -> bool:
    """Return whether the index has rows of another feed: of a crawl whose database was put back to an older copy.

    Once the crawl has gone on from that copy, its new rows have the numbers of the lost ones, and nobody can tell.
    """
    try:
        return indexed_position(data_dir) > Feed(database).last()
    except IndexFault:
        return False  # its writer will say what is wrong with it


def is_outdated(data_dir: Path) -> bool:
    """Return whether the index is of an earlier version, which no search reads and a writer makes anew."""
    try:
        _committed(data_dir)
    except OutdatedIndex:
        return True
    except IndexFault:
        pass  # there is none, or who opens it tells what is wrong with it
    return False
