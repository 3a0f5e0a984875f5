"""What does the crawl have as the robots.txt of a site? The file, or what its server answered instead, to judge by."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.tables.robots_files import read_robots
from reports.four_readings import RobotsSource
from robots import origin_of, robots_url

if TYPE_CHECKING:
    from crawldb.parts.parts import Parts


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
