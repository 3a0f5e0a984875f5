"""Which pages has each URL pattern brought, which decisions were made about it, and what did a person release?

A pattern is evaluated by its yield: its pages with new content, and those without. If the yield is too low, it is
closed. A person may release it, or single URLs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.traps import harms
from crawldb.tables.journal import Journal, JournalEntry
from crawldb.tables.url_counts import exemptions
from extensions.course.inside.tables import PatternRow, patterns_by_waste, patterns_counted, sites_with_patterns
from reports.traps import Catch, catches, sum_of_traps, suspects
from urls.canonical import site_of
from urls.generated_urls import Authorship
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.traps import PatternKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.figures.traps import Suspect

PATTERNS_TOLD = 200  # those that wasted most
RELEASES_TOLD = 20  # the newest
_KINDS = {
    PatternKind.NUMBERED: "URLs that differ in numbers, tokens or values",
    PatternKind.PROGRAM: "all URLs of one program",
    PatternKind.FOLDER: "a folder",
}
_AUTHORS = {
    Authorship.UNASKED: "",
    Authorship.ASKED: "Requests for two generated URLs of this pattern had no clear result.",
    Authorship.WRITTEN: "A generated URL of this pattern has no page, so people wrote its pages.",
    Authorship.MADE_UP: "Every generated URL of this pattern has a page.",
}


class PatternYield(PatternRow):
    """The yield of a pattern: `fresh` pages have new content, `wasted` ones have none."""

    __slots__ = ()

    @property
    def decision(self) -> str:
        """The decision on it, in a word or two."""
        closed = "closed" if self.closed else "closed with its program" if self.within_closed else "open"
        return "released" if self.exempt else closed

    @property
    def shown_first(self) -> bool:
        """Whether it may be a trap."""
        return bool(self.wasted or self.held or self.closed or self.exempt)

    @property
    def holds(self) -> str:
        """What its URLs have in common, and whether its site generates them."""
        return f"{_KINDS[PatternKind(self.kind)]}. {_AUTHORS[Authorship(self.authorship)]}".strip()


@dataclass(frozen=True, slots=True)
class TrapFigures:
    """Everything known about traps, on one site or on all."""

    harms: Mapping[str, Any]  # as `crawldb.figures.traps.TrapCosts`: of all sites
    catches: tuple[Catch, ...]
    suspects: tuple[Suspect, ...]
    yields: tuple[PatternYield, ...]  # the most wasteful first
    patterns: int  # that there are; `yields` has PATTERNS_TOLD at most of each part
    releases: tuple[JournalEntry, ...]  # of all sites, the newest first
    exempt: tuple[str, ...]  # addresses that a person released; * at the end: all that begin so
    sites: tuple[str, ...]  # that have patterns
    faults: Mapping[str, str]  # parts that can't be asked, and why


def traps_of(parts: Parts, site: str = "") -> TrapFigures:
    """Return everything known about traps in all readable parts. Raises `DatabaseError` if there are none."""
    by_part, faults = parts.ask(lambda database: read_traps(database, site))
    found = list(by_part.values())
    summed = sum_of_traps([{"harms": each.harms, "traps": (), "suspects": ()} for each in found], faults)
    return TrapFigures(
        harms=summed["harms"],
        catches=tuple(sorted((one for each in found for one in each.catches), key=lambda catch: -catch.caught)),
        suspects=tuple(sorted((one for each in found for one in each.suspects), key=lambda each: -each.wasted)),
        yields=tuple(sorted((one for each in found for one in each.yields), key=lambda each: -each.wasted)),
        patterns=sum(each.patterns for each in found),
        releases=tuple(sorted((one for each in found for one in each.releases), key=lambda each: -each.at)),
        exempt=tuple(one for each in found for one in each.exempt),
        sites=tuple(sorted(one for each in found for one in each.sites)),
        faults=faults,
    )


def read_traps(database: CrawlDatabase, site: str = "") -> TrapFigures:
    """Return everything known about traps, from one state of a database."""
    with database.one_state():
        return TrapFigures(
            harms=asdict(harms(database)),
            catches=tuple(catch for catch in catches(database) if site in {"", catch.site}),
            suspects=tuple(each for each in suspects(database) if site in {"", each.site}),
            yields=tuple(PatternYield(*row) for row in patterns_by_waste(database, site, PATTERNS_TOLD)),
            patterns=patterns_counted(database, site),
            releases=tuple(Journal(database).latest(RELEASES_TOLD, Rule.RELEASED_TRAP)),
            exempt=tuple(each for each in exemptions(database) if not site or _site_of(each) == site),
            sites=sites_with_patterns(database),
            faults={},
        )


def _site_of(released: str) -> str:
    return site_of(CanonicalUrl(released.rstrip("*")))
