"""What has each pattern of a crawl brought, and what was decided about it? All of it, for whoever looks into it.

A pattern is judged by its yield: the pages of it that said something new, and those that did not. Where that was too
little it was closed; a person may have released it, or addresses by themselves, since.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.traps import harms, patterns_by_waste, patterns_counted, released_addresses, sites_with_patterns
from crawldb.tables.journal import Journal, JournalEntry
from reports.divided_report import sum_of_traps
from reports.trap_report import Catch, catches, suspects
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.site import site_of
from urls.traps.made_up import Authorship
from urls.traps.pattern import PatternKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.figures.traps import PatternRow, Suspect

PATTERNS_TOLD = 200  # those that wasted most
RELEASES_TOLD = 20  # the newest
_KINDS = {
    PatternKind.NUMBERED: "URLs that differ in numbers, tokens or values",
    PatternKind.PROGRAM: "all that one program answers",
    PatternKind.FOLDER: "a folder",
}
_AUTHORS = {
    Authorship.UNASKED: "",
    Authorship.ASKED: "Two made-up addresses of it were asked for, which decided nothing.",
    Authorship.WRITTEN: "There is no page at a made-up address of it: somebody wrote what it has.",
    Authorship.MADE_UP: "There is a page at any made-up address of it.",
}


@dataclass(frozen=True, slots=True)
class PatternYield:
    """What a pattern of a site has brought: `fresh` pages said something new, `wasted` ones did not."""

    site: str
    pattern: str
    kind: PatternKind
    fresh: int
    wasted: int
    held: int  # URLs of it that are held back
    closed: str  # why nothing more of it is asked for; "": it is open
    released: bool  # by a person
    authorship: Authorship
    within_closed: bool = False  # it belongs to a program that was closed as a whole

    @property
    def decision(self) -> str:
        """What was decided about it."""
        closed = "closed" if self.closed else "closed with its program" if self.within_closed else "open"
        return "released" if self.released else closed

    @property
    def told_first(self) -> bool:
        """Whether anything about it may be a trap's doing."""
        return bool(self.wasted or self.held or self.closed or self.released)

    @property
    def holds(self) -> str:
        """What its URLs have in common, and what is known of who made them."""
        return f"{_KINDS[self.kind]}. {_AUTHORS[self.authorship]}".strip()


@dataclass(frozen=True, slots=True)
class TrapsTold:
    """All that is known of traps, of one site or of all."""

    harms: Mapping[str, Any]  # as `crawldb.figures.traps.Harms`: of all sites
    catches: tuple[Catch, ...]
    suspects: tuple[Suspect, ...]
    yields: tuple[PatternYield, ...]  # the most wasteful first
    patterns: int  # that there are; `yields` has PATTERNS_TOLD at most of each part
    releases: tuple[JournalEntry, ...]  # of all sites, the newest first
    exempt: tuple[str, ...]  # addresses that a person released; * at the end: all that begin so
    sites: tuple[str, ...]  # that have patterns
    faults: Mapping[str, str]  # parts that can't be asked, and why


def traps_of(parts: Parts, site: str = "") -> TrapsTold:
    """Return what is known of traps, of all parts that can be asked. Raises `DatabaseError` where none can be."""
    told, faults = parts.ask(lambda database: traps_told(database, site))
    found = list(told.values())
    summed = sum_of_traps([{"harms": each.harms, "traps": (), "suspects": ()} for each in found], faults)
    return TrapsTold(
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


def traps_told(database: CrawlDatabase, site: str = "") -> TrapsTold:
    """Return what is known of traps in one database, in one state of it."""
    with database.one_state():
        return TrapsTold(
            harms=asdict(harms(database)),
            catches=tuple(catch for catch in catches(database) if site in {"", catch.site}),
            suspects=tuple(each for each in suspects(database) if site in {"", each.site}),
            yields=tuple(map(_yield, patterns_by_waste(database, site, PATTERNS_TOLD))),
            patterns=patterns_counted(database, site),
            releases=tuple(Journal(database).latest(RELEASES_TOLD, Rule.RELEASED_TRAP)),
            exempt=tuple(each for each in released_addresses(database) if not site or _site_of(each) == site),
            sites=sites_with_patterns(database),
            faults={},
        )


def _site_of(released: str) -> str:
    return site_of(CanonicalUrl(released.rstrip("*")))


def _yield(row: PatternRow) -> PatternYield:
    return PatternYield(
        row.site,
        row.pattern,
        PatternKind(row.kind),
        row.fresh,
        row.wasted,
        row.held,
        row.closed,
        bool(row.exempt),
        Authorship(row.authorship),
        bool(row.within_closed),
    )
