"""Which pages look better to an engine than they are? By themselves, and together: doorways, farms, anchor bombs.

A filter gives each page its signals (page_signals.py). When a run ends, pages are compared with each other (groups.py),
in candidates that SQL finds (tables.py). The engine keeps the signals, shows them in `why`, and lowers scores by them:
indexer/ranking/demotion.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from pipelines.filters import PageFilter


@extends
def page_filters() -> list[type[PageFilter]]:
    """Add the signals of spoofing that a page gives by itself."""
    from extensions.spoofing.page_signals import Spoofing

    return [Spoofing]


@extends
def crawl_ends(database: CrawlDatabase, journal: Journal) -> None:
    """Find the pages that spoof together."""
    from extensions.spoofing.groups import find_spoofing

    find_spoofing(database, journal)
