"""Is what an archive holds of a URL read at all? By method, address, policy, dates, and the robots.txt of its origin.

A robots.txt of an archive is kept like one that was asked for, and the newest that the folder knows decides. Where none
is known, nothing speaks against a page: its robot has fetched it, and to read it sends no request (docs/decisions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.figures.one_url import rule_of_url
from crawldb.tables.robots_files import read_robots
from crawldb.visited import find
from robots import Access, RobotsCache, Verdict, origin_of, robots_url
from urls.rules import Rule

if TYPE_CHECKING:
    from extensions.archives.captures import Capture
    from extensions.archives.tables import ImportedArchive, Imports
    from frontier.writer import CrawlWriter
    from robots import AccessState
    from urls.records import CanonicalUrl

# How a record ends, as the account of an archive counts it; some with a word behind a colon.
STORED, ROBOTS, OLDER, KNOWN, RENEWED = "stored", "robots.txt", "older", "known", "renewed"
NOT_A_PAGE, REFUSED, ENDED, UNREAD, DAMAGED = "not a page", "refused", "ended", "unread", "damaged"
NO_ANSWER = f"{NOT_A_PAGE}: answer to another method, or to a made-up address"
NOT_HERE = f"{UNREAD}: revisit, what it refers to is not here"
ELSEWHERE = f"{UNREAD}: robots.txt that redirects, what it leads to is not here"
SITEMAP = f"{NOT_A_PAGE}: sitemap"
UNKNOWN = Verdict(allowed=True, line=0, rule="", reason="no robots.txt of its origin is known")


class CaptureAdmission:
    """Decides which captures of an archive are read; `product` is what a robots.txt calls us by."""

    def __init__(self, writer: CrawlWriter, imports: Imports, archive: ImportedArchive, product: str) -> None:
        self._database = writer.database
        self._discovery = writer.discovery
        self._imports = imports
        self._archive = archive
        self._product = product
        self._known = RobotsCache()

    def unread(self, capture: Capture, url: CanonicalUrl) -> str:
        """Return the end of a capture that is not to be read, as things stand; "" where it is."""
        is_robots = url == robots_url(origin_of(url))
        if self._imports.is_no_page(self._archive.id, capture.record):
            return NOT_HERE if is_robots and capture.same_as else NO_ANSWER
        if is_robots:
            return ROBOTS if self._state(origin_of(url)) is not None else ELSEWHERE
        named = self._named_by_robots(url)
        if named:
            return named
        judged = self._discovery.policy.judge(url)
        return f"{REFUSED}: {judged.refusal.rule}" if judged.refusal else self._by_date(capture, url)

    def _named_by_robots(self, url: CanonicalUrl) -> str:
        """Return the end of what is no page by the robots.txt of its origin: the file elsewhere, or a sitemap."""
        state = self._state(origin_of(url))
        if state is None or state.copy is None:
            return ""
        if state.copy.address == url:
            return ROBOTS
        return SITEMAP if url in state.copy.file.sitemaps else ""

    def _by_date(self, capture: Capture, url: CanonicalUrl) -> str:
        imports, identity = self._imports, find(self._database.connection, url)
        if identity is None:
            return ""
        rule = rule_of_url(self._database, identity)
        if imports.is_known(identity, capture):
            return KNOWN
        if rule == Rule.FORGOTTEN and capture.at <= imports.forgotten_at(identity, Rule.FORGOTTEN):
            return f"{REFUSED}: {Rule.FORGOTTEN}"
        return OLDER if capture.at < imports.newest(identity) else ""

    def verdict(self, url: CanonicalUrl) -> Verdict:
        """Return what the newest robots.txt says of a URL that the folder knows; `UNKNOWN` where it knows none.

        Where it failed when it was last asked for, the copy before that decides; without one the site is closed.
        """
        state = self._state(origin_of(url))
        if state is None:
            return UNKNOWN
        if state.access is Access.CLOSED and state.copy is not None:
            return state.copy.file.decide(self._product, url)
        return state.availability(state.asked_at).decide(self._product, url)

    def _state(self, origin: str) -> AccessState | None:
        state = self._known.get(origin)
        if state is None and (record := read_robots(self._database, origin)) is not None:
            state = record.access_state
            self._known.put(origin, state)
        return state
