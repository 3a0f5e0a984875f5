"""What does the crawl have as the robots.txt of a site? The file, or what its server answered instead, to judge by.

And what had it before, or of a collection? Any version, to judge by as if it held now.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.tables.robots_files import read_robots, version_numbered
from reports.four_readings import RobotsSource
from reports.wording import calendar_day
from robots import origin_of, robots_url

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.robots_files import RobotsVersion


def stored_robots(parts: Parts, site: str) -> RobotsSource | None:
    """Return what was last learnt of the robots.txt of a site, by either protocol; None where none was asked for."""
    found = [
        record
        for scheme in ("http", "https")
        if (record := read_robots(parts.home(f"{scheme}://{site}/"), origin_of(f"{scheme}://{site}/")))
    ]
    if not found:
        return None
    record = max(found, key=lambda each: each.fetched_at)
    availability = record.access_state.availability(time.time())
    return RobotsSource(robots_url(record.origin), availability, record.body, record.origin, record.status or 0)


def stored_version(parts: Parts, part: str, number: int) -> RobotsSource | None:
    """Return a version of a robots.txt, by the folder of its part ("" of a whole crawl) and its number there.

    None where it is gone.
    """

    def kept_in(database: CrawlDatabase) -> tuple[RobotsVersion, bytes] | None:
        own = database.path.parent.name if parts.divided else ""
        return version_numbered(database, number) if own == part else None

    answers, _ = parts.ask(kept_in)
    kept = next(filter(None, answers.values()), None)
    return _version_source(*kept) if kept else None


def _version_source(version: RobotsVersion, body: bytes) -> RobotsSource:
    """Return a version as a file to judge by; its reason says where it is from, and when it was there."""
    days = dict.fromkeys(map(calendar_day, (version.first_seen, version.last_seen)))
    seen = f"seen {'from' if len(days) > 1 else 'on'} {' to '.join(days)}"
    whence = f"imported from {version.collection}" if version.imported else "fetched by this crawl"
    age = "the newest version" if version.newest else "an older version"
    source = RobotsSource.of_text(version.address, body, f"{age}, {whence}, {seen}")
    return replace(source, origin=version.origin)
