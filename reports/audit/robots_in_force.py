"""Which robots.txt was in force? A file that a person names, or what the crawl database says of the origin.

The database keeps the last file only, and since when it has held: it says nothing about a request made before that.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crawldb.tables.robots_files import holds_since, read_robots
from robots import Access, Availability, parse, to_utf8

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from reports.audit.logged_requests import LoggedRequest

MAX_KEPT = 256  # parsed files: one is 500 KiB at most, and mostly a thousandth of that
NO_HOST = "the log shows no host, so that --robots FILE would have to name the file"
NO_FILE = "no robots.txt is known for the origin; --robots FILE names one"
TWO_FILES = "http and https have a robots.txt each, and the log does not show which was meant"


@dataclass(frozen=True, slots=True)
class RobotsInForce:
    """A robots.txt and since when it is known to be in force, in seconds since the epoch."""

    availability: Availability
    since: float = 0.0


class Rules(Protocol):
    """Finds the robots.txt that a visit is judged by."""

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the copy, or the sentence that says why there is none."""


class NamedFile:
    """One file for every visit, at every time."""

    def __init__(self, body: bytes) -> None:
        text = to_utf8(body)
        self._copy = RobotsInForce(Availability(Access.PARSED, "the file given", file=parse(text), body=text))

    def of(self, _: LoggedRequest) -> RobotsInForce | str:
        """Return the copy."""
        return self._copy


class StoredFiles:
    """The files that the crawl database holds; none where there is no database."""

    def __init__(self, database: CrawlDatabase | None) -> None:
        self._database = database
        self._kept: OrderedDict[tuple[str, ...], RobotsInForce | str] = OrderedDict()

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the copy, or the sentence that says why there is none."""
        if not visit.origins:
            return NO_HOST
        if visit.origins not in self._kept:
            if len(self._kept) >= MAX_KEPT:
                self._kept.popitem(last=False)
            self._kept[visit.origins] = self._read(visit.origins)
        self._kept.move_to_end(visit.origins)
        return self._kept[visit.origins]

    def _read(self, origins: tuple[str, ...]) -> RobotsInForce | str:
        if self._database is None:
            return NO_FILE
        records = [record for origin in origins if (record := read_robots(self._database, origin)) is not None]
        if len(records) != 1:
            return TWO_FILES if records else NO_FILE
        (record,) = records
        return RobotsInForce(record.access_state.availability(record.fetched_at), holds_since(self._database, record))
