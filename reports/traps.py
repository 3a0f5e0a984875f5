"""What did traps cost, what did the trap rules catch, and what looks like a trap?

*HTTP: The Definitive Guide*, 9.1.3, names three harms of a cycle: the robot repeats its work, the server carries the
load, and the results fill with copies. All three are counted. Each catch shows its cost and the command that undoes it.
A suspect is an open pattern whose pages mostly have no new content: the rules may have missed it.

A pattern is evaluated by its yield: its pages with new content, and those without. If the yield is too low, it is
closed. A person may release it, or single URLs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.traps import (
    caught_urls,
    harms,
    patterns_by_waste,
    patterns_counted,
    reason_of,
    samples_of,
    sites_with_patterns,
    wasteful_patterns,
)
from crawldb.tables.journal import Journal, JournalEntry
from crawldb.tables.patterns import exemptions
from reports.numbers import sums
from reports.wording import Row, counted, duration, rows_under, sentence, size
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.site import site_of
from urls.traps.generated_urls import Authorship
from urls.traps.pattern import PatternKind
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.figures.traps import CaughtUrls, PatternRow, Suspect

SAMPLES = 3  # URLs of each catch
LONG_URL = 100  # characters: the words that release a longer one name only its beginning
SUSPECT_PAGES = 5  # that said nothing new, from which on a pattern is a suspect …
SUSPECT_SHARE = 0.5  # … if they are at least this part of its pages


@dataclass(frozen=True, slots=True)
class Catch:
    """The URLs that one rule caught on one site, or in one pattern of it."""

    site: str
    rule: str
    pattern: str  # "": the rule looks at one URL at a time
    caught: int  # URLs that are suppressed
    fetched: int  # pages of the pattern
    wasted: int  # of them, those that said nothing new
    reason: str
    samples: tuple[str, ...]

    @property
    def releases_all(self) -> bool:
        """Whether `release` undoes all of it, and not only its first sample."""
        return bool(self.pattern) or self.caught == 1

    @property
    def release(self) -> str:
        """The command that undoes it, or undoes it for the first sample."""
        if self.pattern:
            return f"./breadcrumb release {shell_word(self.pattern)} --site {shell_word(self.site)}"
        sample = self.samples[0] if self.samples else "URL"
        return f"./breadcrumb release {shell_word(sample if len(sample) <= LONG_URL else sample[:LONG_URL] + '*')}"


def catches(database: CrawlDatabase) -> list[Catch]:
    """Return the catches of the trap rules and the closed patterns, the largest first."""
    return [_catch(database, caught) for caught in caught_urls(database)]


def _catch(database: CrawlDatabase, caught: CaughtUrls) -> Catch:
    return Catch(
        caught.site,
        caught.rule,
        caught.pattern,
        caught.caught,
        caught.fresh + caught.wasted,
        caught.wasted,
        caught.closed or reason_of(database, caught),
        samples_of(database, caught, SAMPLES),
    )


def suspects(database: CrawlDatabase) -> list[Suspect]:
    """Return suspicious patterns, the most wasteful first."""
    return wasteful_patterns(database, SUSPECT_PAGES, SUSPECT_SHARE)


URL_SHOWN = 200  # characters of a sample
SHOWN = 20  # catches, and suspects: --json has them all


def harms_in_words(harms: Mapping[str, Any]) -> str:
    """Return the three harms of cycles as a clause."""
    return (
        f"{counted(harms['wasted'], 'response')} without new content, {size(harms['bytes'])} and "
        f"{duration(harms['seconds'])} of server time; "
        f"{counted(harms['copies'], 'copy', 'copies')} kept out of the results"
    )


def traps_as_dict(database: CrawlDatabase) -> dict[str, Any]:
    """Return everything in the form of `report traps --json`, ready for `json.dumps`."""
    return {
        "harms": asdict(harms(database)),
        "traps": [asdict(catch) | {"release": catch.release} for catch in catches(database)],
        "suspects": [asdict(suspect) for suspect in suspects(database)],
    }


def trap_rows(database: CrawlDatabase) -> Iterator[Row]:
    """Yield the report as rows, with an empty row before each catch."""
    yield Row("harms", f"{harms_in_words(asdict(harms(database)))}.")
    caught = catches(database)
    if not caught:
        yield Row("traps", "the trap rules have caught nothing.")
    for catch in caught[:SHOWN]:
        yield from _catch_rows(catch)
    if len(caught) > SHOWN:
        yield Row("", f"and {len(caught) - SHOWN:,} more; --json lists all")
    yield from rows_under("suspects", map(_suspect, suspects(database)), SHOWN)


def _catch_rows(catch: Catch) -> Iterator[Row]:
    yield Row("", "")
    yield Row(catch.rule, f"{catch.site}{catch.pattern}: {counted(catch.caught, 'URL')} caught")
    if catch.fetched:
        yield Row("", f"{counted(catch.fetched, 'page')} fetched, {catch.wasted:,} of them without new content")
    yield Row("why", sentence(catch.reason))
    for sample in catch.samples:
        yield Row("such as", sample if len(sample) <= URL_SHOWN else f"{sample[:URL_SHOWN]}…")
    yield Row("to undo" if catch.releases_all else "to undo one", catch.release)


def _suspect(suspect: Suspect) -> str:
    return (
        f"{suspect.site}{suspect.pattern}: {suspect.wasted:,} of {counted(suspect.fetched, 'page')} had no new content."
    )


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


@dataclass(frozen=True, slots=True)
class PatternYield:
    """The yield of a pattern: `fresh` pages have new content, `wasted` ones have none."""

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
        """The decision on it, in a word or two."""
        closed = "closed" if self.closed else "closed with its program" if self.within_closed else "open"
        return "released" if self.released else closed

    @property
    def shown_first(self) -> bool:
        """Whether it may be a trap."""
        return bool(self.wasted or self.held or self.closed or self.released)

    @property
    def holds(self) -> str:
        """What its URLs have in common, and whether its site generates them."""
        return f"{_KINDS[self.kind]}. {_AUTHORS[self.authorship]}".strip()


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
            yields=tuple(map(_yield, patterns_by_waste(database, site, PATTERNS_TOLD))),
            patterns=patterns_counted(database, site),
            releases=tuple(Journal(database).latest(RELEASES_TOLD, Rule.RELEASED_TRAP)),
            exempt=tuple(each for each in exemptions(database) if not site or _site_of(each) == site),
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


def sum_of_traps(reports: Sequence[Mapping[str, Any]], missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the sums over parts; `missing` has the unreadable parts with the reason."""
    return {
        "harms": sums(each["harms"] for each in reports),
        "traps": [catch for each in reports for catch in each["traps"]],
        "suspects": [suspect for each in reports for suspect in each["suspects"]],
        "missing": dict(missing),
    }
