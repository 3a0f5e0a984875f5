"""What does a search read? The index, and the crawl database, which hides at once what was taken out since."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher


def open_searcher(data_dir: Path) -> Searcher:
    """Open the index of a data folder. Raises NoIndex, CorruptIndex, and DatabaseError for a damaged crawl database."""
    from crawldb import CrawlDatabase  # noqa: PLC0415 - late, so that --help is quick
    from crawldb.database import FILE_NAME  # noqa: PLC0415 - the same
    from crawldb.requests import is_blocked_or_gone  # noqa: PLC0415 - the same
    from indexer import open_index  # noqa: PLC0415 - the same

    if not (data_dir / FILE_NAME).exists():
        return open_index(data_dir)  # an index answers alone
    database = CrawlDatabase(data_dir, readonly=True)  # open as long as the command runs
    return open_index(data_dir, blocked=lambda url: is_blocked_or_gone(database, url))
