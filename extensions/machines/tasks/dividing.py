"""What if the folder of a part is of an earlier division? Then it was stored before the crawl was split; it is cut.

That is so while a store is split, and later where the newest folder of a part is damaged and the one before is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.parts.division import held_by
from crawldb.parts.splitting import gone_from_index, keep_share
from indexer import CorruptIndex, OutdatedIndex, open_writer
from indexer.following import catch_up
from indexer.position import index_exists
from indexer.remote import configured_index

if TYPE_CHECKING:
    from pathlib import Path

    from crawldb.parts.partition import Partition


def bring_into_division(folder: Path, partition: Partition) -> bool:
    """Leave in the folder of a part what a later division leaves to `partition`; return whether it was an earlier one.

    An index in the folder loses the pages of the other hosts. One in a cluster is made anew by whoever follows it next.
    """
    with CrawlDatabase(folder) as database:
        held = held_by(database)
        if held.whole or held.counts == partition.counts:
            return False
        has_index, is_sound = not configured_index() and index_exists(folder), True
        if has_index:
            try:
                # First, since it can be done twice; what the database has no more, its feed can't tell.
                with open_writer(folder) as writer:
                    for url in gone_from_index(database, partition):
                        writer.remove(url)
                    writer.commit(ending=True)
            except (CorruptIndex, OutdatedIndex):
                is_sound = False
        keep_share(database, partition)
        database.seal()
    if has_index:
        catch_up(folder, rebuild=not is_sound)
    return True
