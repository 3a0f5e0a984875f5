"""What did traps cost, what did the trap rules catch, and what looks like a trap?

*HTTP: The Definitive Guide*, 9.1.3, names three harms of a cycle: the robot repeats its work, the server carries the
load, and the results fill with copies. All three are counted. Each catch shows its cost and the command that undoes it.
A suspect is an open pattern whose pages mostly have no new content: the rules may have missed it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.traps import caught_urls, harms, reason_of, samples_of, wasteful_patterns
from reports.numbers import sums
from reports.wording import Row, counted, duration, rows_under, sentence, size
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.figures.traps import CaughtUrls, Suspect

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
        f"{counted(harms['copies'], 'copy or soft 404', 'copies and soft 404s')} kept out of the results"
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


def sum_of_traps(reports: Sequence[Mapping[str, Any]], missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the sums over parts; `missing` has the unreadable parts with the reason."""
    return {
        "harms": sums(each["harms"] for each in reports),
        "traps": [catch for each in reports for catch in each["traps"]],
        "suspects": [suspect for each in reports for suspect in each["suspects"]],
        "missing": dict(missing),
    }
