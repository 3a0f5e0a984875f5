"""What did traps cost, what did the rules catch, and what looks like a trap?

All of it is told so that a person can check what the rules decided.

*HTTP: The Definitive Guide*, 9.1.3, counts three harms of a cycle: the robot does the same work over and over, the
server carries the load of it, and the results fill with copies. Each is counted here. Each verdict is told with what it
cost, and with the command that undoes it. What the rules may have missed is told as a suspect: a pattern whose pages
mostly say nothing new, and that no rule has closed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.traps import caught_urls, harms, reason_of, samples_of, wasteful_patterns
from reports.wording import Row, counted, duration, sentence, size
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.figures.traps import CaughtUrls, Suspect


SAMPLES = 3  # URLs of each catch
LONG_URL = 100  # characters: the words that release a longer one name only its beginning
SUSPECT_PAGES = 5  # that said nothing new, from which on a pattern is a suspect …
SUSPECT_SHARE = 0.5  # … if they are at least this part of its pages


@dataclass(frozen=True, slots=True)
class Catch:
    """What one rule has caught on one site, of one pattern where it is about patterns."""

    site: str
    rule: str
    pattern: str  # "": the rule looks at one URL at a time
    caught: int  # URLs that are suppressed
    fetched: int  # pages of the pattern
    wasted: int  # of them, those that said nothing new
    reason: str
    samples: tuple[str, ...]

    @property
    def release(self) -> str:
        """The words that undo it."""
        if self.pattern:
            return f"./breadcrumb release {shell_word(self.pattern)} --site {shell_word(self.site)}"
        sample = self.samples[0] if self.samples else "URL"
        return f"./breadcrumb release {shell_word(sample if len(sample) <= LONG_URL else sample[:LONG_URL] + '*')}"


def catches(database: CrawlDatabase) -> list[Catch]:
    """Return what the rules about traps have caught, the largest catch first, closed patterns among them."""
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
    """Return the patterns that a person should look at, the most wasteful first."""
    return wasteful_patterns(database, SUSPECT_PAGES, SUSPECT_SHARE)


URL_SHOWN = 200  # characters of a sample
SHOWN = 20  # catches, and suspects: --json has them all


def harms_in_words(harms: Mapping[str, Any]) -> str:
    """Return the three harms of cycles as half a sentence."""
    return (
        f"{counted(harms['wasted'], 'answer')} brought nothing new, {size(harms['bytes'])} and "
        f"{duration(harms['seconds'])} of the servers' work; "
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
    """Yield the report for a person; an empty row stands before each catch."""
    yield Row("harms", f"{harms_in_words(asdict(harms(database)))}.")
    caught = catches(database)
    if not caught:
        yield Row("traps", "no rule about traps has caught anything.")
    for catch in caught[:SHOWN]:
        yield from _catch_rows(catch)
    if len(caught) > SHOWN:
        yield Row("", f"and {len(caught) - SHOWN:,} more; --json has them all")
    found = suspects(database)
    for number, suspect in enumerate(found[:SHOWN]):
        yield Row("" if number else "suspects", _suspect(suspect))
    if len(found) > SHOWN:
        yield Row("", f"and {len(found) - SHOWN:,} more; --json has them all")


def _catch_rows(catch: Catch) -> Iterator[Row]:
    yield Row("", "")
    yield Row(catch.rule, f"{catch.site}{catch.pattern}: {counted(catch.caught, 'URL')} caught")
    if catch.fetched:
        yield Row("", f"{counted(catch.fetched, 'page')} fetched, {catch.wasted:,} of them wasted")
    yield Row("why", sentence(catch.reason))
    for sample in catch.samples:
        yield Row("such as", sample if len(sample) <= URL_SHOWN else f"{sample[:URL_SHOWN]}…")
    yield Row("to undo", catch.release)


def _suspect(suspect: Suspect) -> str:
    return (
        f"{suspect.site}{suspect.pattern}: {suspect.wasted:,} of {counted(suspect.fetched, 'page')} said nothing new."
    )
