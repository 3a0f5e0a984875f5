"""How far has the index followed the change feed? A crawl checks before it starts, without loading an index."""

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
    """Return the number of the last indexed change of the feed; -1 if there is no index to continue."""
    try:
        return _committed(data_dir).position
    except (NoIndex, OutdatedIndex):
        return -1


def _committed(data_dir: Path) -> FeedPosition:
    if address := configured_index():
        return address.committed(data_dir)
    return read_generation(index_folder(data_dir))


def check_same_crawl(data_dir: Path, database: CrawlDatabase | None, *, rebuild: bool = False) -> None:
    """Raise OtherCrawl if an index would lose its pages to an empty crawl database, or to that of another crawl.

    With `rebuild` another crawl may replace the indexed one, but an empty database may not.
    """
    try:
        found = _committed(data_dir)
    except (IndexFault, OSError):
        return  # there is none, or its writer reports the fault
    if not found.position:
        return
    place = configured_index() or index_folder(data_dir)
    if database is None or not Feed(database).last():
        finding = f"the crawl database has no page, and the index has followed {found.position} changes of one"
        raise OtherCrawl(place, finding, "remove the index (its folder, or give INDEX another name) to start again")
    if not rebuild and found.crawl not in {"", database.identity}:
        finding = f"it is of crawl {found.crawl}, and the crawl database is of crawl {database.identity}"
        raise OtherCrawl(place, finding, f"index this crawl instead: {REBUILD}")


def index_exists(data_dir: Path) -> bool:
    """Return whether there is an index, of any version and in any state."""
    try:
        _committed(data_dir)
    except NoIndex:
        return False
    except IndexFault:
        pass  # its reader reports the fault
    return True


def is_ahead(data_dir: Path, database: CrawlDatabase) -> bool:
    """Return whether the index has rows that the feed lacks, as the crawl database was restored from an older copy.

    Once the crawl continues from that copy, its new rows have the numbers of the lost ones, and this returns False.
    """
    try:
        return indexed_position(data_dir) > Feed(database).last()
    except IndexFault:
        return False  # its writer reports the fault


def is_outdated(data_dir: Path) -> bool:
    """Return whether the index is of an earlier version, which searches cannot read and a writer rebuilds."""
    try:
        _committed(data_dir)
    except OutdatedIndex:
        return True
    except IndexFault:
        pass  # there is none, or its reader reports the fault
    return False
