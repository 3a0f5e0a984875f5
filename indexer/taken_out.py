"""What was taken out of the crawl is out of the results at once: how does the index follow?

Searches ask the crawl database what is hidden, so nobody has to wait for this. It takes the words off the disk as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from indexer.faults import IndexFault, IndexLocked
from indexer.following import catch_up
from indexer.position import is_there

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crawldb.database import CrawlDatabase


def bring_index_up_to_date(databases: Iterable[CrawlDatabase]) -> str:
    """Let the index beside each follow what was taken out; return what was done, each sentence once."""
    return " ".join(dict.fromkeys(_bring(database.path.parent) for database in databases))


def _bring(data_dir: Path) -> str:
    if not is_there(data_dir):
        return "There is no index yet."
    try:
        catch_up(data_dir)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "the process that writes it"
        return f"Searches hide it from now on; {by} takes it out of the index."
    except (IndexFault, DatabaseError, OSError) as fault:
        return f"Searches hide it from now on; the index could not follow: {fault}"
    return "The index is up to date: searches no longer find it."
