"""How far has the index followed the feed of changes? A crawl asks before it begins, and loads no index for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.feed import Feed
from indexer.faults import IndexFault, NoIndex, OutdatedIndex
from indexer.opensearch.address import chosen_address
from indexer.segments.generation import index_folder, read_generation

if TYPE_CHECKING:
    from pathlib import Path

    from crawldb.database import CrawlDatabase


def followed_to(data_dir: Path) -> int:
    """Return the number of the last change of the feed that is in the index; -1 where there is none to go on with."""
    try:
        return _committed(data_dir)
    except (NoIndex, OutdatedIndex):
        return -1


def _committed(data_dir: Path) -> int:
    if address := chosen_address():
        from indexer.opensearch.part_of_crawl import committed_part  # noqa: PLC0415 - it may ask for an extra

        return committed_part(data_dir, address).position
    return read_generation(index_folder(data_dir)).position


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
        return followed_to(data_dir) > Feed(database).last()
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
