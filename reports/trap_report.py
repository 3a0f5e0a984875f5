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

from crawldb.tables.urls import State
from reports.wording import Row, counted, duration, sentence, size
from urls.rules import Rule
from urls.shell_word import shell_word
from urls.traps import TRAP_RULES
from urls.traps.made_up import Authorship
from urls.traps.pattern import PatternKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.database import CrawlDatabase


SAMPLES = 3  # URLs of each catch
LONG_URL = 100  # characters: the words that release a longer one name only its beginning
SUSPECT_PAGES = 5  # that said nothing new, from which on a pattern is a suspect …
SUSPECT_SHARE = 0.5  # … if they are at least this part of its pages
_PLACES = ", ".join("?" * len(TRAP_RULES))
# A page belongs to one narrow pattern; the wide ones hold the sum of several.
_NARROW = f"kind != {PatternKind.PROGRAM:d}"
# What belongs to a program that was closed as a whole is no longer asked for.
OF_A_CLOSED_PROGRAM = (
    "EXISTS (SELECT 1 FROM pattern AS wide WHERE wide.site = pattern.site AND wide.closed IS NOT NULL "
    f"AND wide.kind = {PatternKind.PROGRAM:d} "
    "AND substr(pattern.pattern, 1, length(wide.pattern) - 1) = substr(wide.pattern, 1, length(wide.pattern) - 1))"
)


@dataclass(frozen=True, slots=True)
class Harms:
    """The three harms: answers that brought nothing new, what they cost the servers, and copies kept from results."""

    wasted: int
    bytes: int
    seconds: float  # of the servers' work on those requests
    copies: int  # pages that would stand in the results a second time


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


@dataclass(frozen=True, slots=True)
class Suspect:
    """A pattern that mostly brings nothing new and is open yet."""

    site: str
    pattern: str
    fetched: int
    wasted: int


def harms(database: CrawlDatabase) -> Harms:
    """Count the harms of all rounds."""
    wasted, size, seconds = database.connection.execute(
        "SELECT coalesce(sum(wasted), 0), coalesce(sum(wasted_bytes), 0), coalesce(sum(wasted_seconds), 0) "
        f"FROM pattern WHERE {_NARROW}"
    ).fetchone()
    copies = database.count(
        "SELECT count(*) FROM page WHERE duplicate_of IS NOT NULL "
        f"OR json_extract(refusals, '$[0][0]') = '{Rule.SOFT_404}'"
    )
    return Harms(wasted, size, round(seconds, 3), copies)


def catches(database: CrawlDatabase) -> list[Catch]:
    """Return what the rules about traps have caught, the largest catch first, closed patterns among them."""
    rows = database.connection.execute(
        "SELECT site.name, url.rule, coalesce(pattern.pattern, ''), count(*), coalesce(pattern.fresh, 0), "
        "coalesce(pattern.wasted, 0), coalesce(pattern.closed, ''), site.id, coalesce(pattern.id, 0) "
        "FROM url JOIN site ON site.id = url.site LEFT JOIN trapped ON trapped.url = url.id "
        f"LEFT JOIN pattern ON pattern.id = trapped.pattern WHERE url.state = ? AND url.rule IN ({_PLACES}) "
        "GROUP BY site.id, url.rule, pattern.id "
        f"UNION ALL SELECT site.name, iif(authorship = {Authorship.MADE_UP:d}, '{Rule.MADE_UP}', '{Rule.NO_YIELD}'), "
        "pattern, 0, fresh, wasted, closed, site.id, pattern.id "
        "FROM pattern JOIN site ON site.id = pattern.site WHERE closed IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM trapped JOIN url ON url.id = trapped.url WHERE trapped.pattern = pattern.id AND +state = ?) "
        "ORDER BY 4 DESC, 1, 2, 3",
        (State.SUPPRESSED, *TRAP_RULES, State.SUPPRESSED),
    ).fetchall()
    found = []
    for site, rule, pattern, caught, fresh, wasted, closed, site_id, pattern_id in rows:
        samples = _samples(database, site_id, rule, pattern_id)
        reason = closed or _reason(database, site_id, rule, pattern_id)
        found.append(Catch(site, rule, pattern, caught, fresh + wasted, wasted, reason, samples))
    return found


def suspects(database: CrawlDatabase) -> list[Suspect]:
    """Return the patterns that a person should look at, the most wasteful first."""
    rows = database.connection.execute(
        "SELECT name, pattern, fresh + wasted, wasted FROM pattern JOIN site ON site.id = pattern.site "
        f"WHERE closed IS NULL AND exempt = 0 AND {_NARROW} AND wasted >= ? AND wasted >= ? * (fresh + wasted) "
        f"AND NOT {OF_A_CLOSED_PROGRAM} "
        "ORDER BY wasted DESC, name, pattern",
        (SUSPECT_PAGES, SUSPECT_SHARE),
    )
    return [Suspect(*row) for row in rows]


def _samples(database: CrawlDatabase, site: int, rule: str, pattern: int) -> tuple[str, ...]:
    rows = database.connection.execute(
        "SELECT url.url FROM url LEFT JOIN trapped ON trapped.url = url.id WHERE url.state = ? AND url.rule = ? "
        "AND url.site = ? AND coalesce(trapped.pattern, 0) = ? ORDER BY url.id LIMIT ?",
        (State.SUPPRESSED, rule, site, pattern, SAMPLES),
    )
    return tuple(url for (url,) in rows)


def _reason(database: CrawlDatabase, site: int, rule: str, pattern: int) -> str:
    reason = database.value(
        "SELECT reason FROM journal JOIN explanation ON explanation.journal = journal.id "
        "JOIN url ON url.id = explanation.url LEFT JOIN trapped ON trapped.url = url.id "
        "WHERE url.site = ? AND url.rule = ? AND url.state = ? AND coalesce(trapped.pattern, 0) = ? LIMIT 1",
        site,
        rule,
        State.SUPPRESSED,
        pattern,
    )
    return str(reason or "")


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
        yield from _catch(catch)
    if len(caught) > SHOWN:
        yield Row("", f"and {len(caught) - SHOWN:,} more; --json has them all")
    found = suspects(database)
    for number, suspect in enumerate(found[:SHOWN]):
        yield Row("" if number else "suspects", _suspect(suspect))
    if len(found) > SHOWN:
        yield Row("", f"and {len(found) - SHOWN:,} more; --json has them all")


def _catch(catch: Catch) -> Iterator[Row]:
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
