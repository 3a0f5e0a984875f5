"""What did traps cost, which URLs did the trap rules catch, and which pages did each pattern bring?

*HTTP: The Definitive Guide*, 9.1.3, counts three harms of a cycle: the robot repeats its work, the server carries the
load, and the results fill with copies. A page belongs to one narrow pattern. A wide pattern, of a whole program, has
the sum of several narrow ones, so totals leave wide patterns out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import State
from urls.generated_urls import Authorship
from urls.rules import Rule
from urls.traps import TRAP_RULES, PatternKind

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_PLACES = ", ".join("?" * len(TRAP_RULES))
_NARROW = f"kind != {PatternKind.PROGRAM:d}"
# What belongs to a program that was closed as a whole is no longer asked for.
OF_A_CLOSED_PROGRAM = (
    "EXISTS (SELECT 1 FROM pattern AS wide WHERE wide.site = pattern.site AND wide.closed IS NOT NULL "
    f"AND wide.kind = {PatternKind.PROGRAM:d} "
    "AND substr(pattern.pattern, 1, length(wide.pattern) - 1) = substr(wide.pattern, 1, length(wide.pattern) - 1))"
)
PATTERN_OF_SITE = "FROM pattern JOIN site ON site.id = pattern.site"


@dataclass(frozen=True, slots=True)
class TrapCosts:
    """The three harms: answers that brought nothing new, what they cost the servers, and copies kept from results."""

    wasted: int
    bytes: int
    seconds: float  # of the servers' work on those requests
    copies: int  # pages that would stand in the results a second time: copies, and soft 404s


def harms(database: CrawlDatabase) -> TrapCosts:
    """Count the harms of all rounds."""
    wasted, size, seconds = database.connection.execute(
        "SELECT coalesce(sum(wasted), 0), coalesce(sum(wasted_bytes), 0), coalesce(sum(wasted_seconds), 0) "
        f"FROM pattern WHERE {_NARROW}"
    ).fetchone()
    copies = database.count(
        "SELECT count(*) FROM page WHERE duplicate_of IS NOT NULL "
        f"OR json_extract(refusals, '$[0][0]') = '{Rule.SOFT_404}'"
    )
    return TrapCosts(wasted, size, round(seconds, 3), copies)


class CaughtUrls(NamedTuple):
    """The URLs of a site that one rule about traps has caught, of one pattern where the rule is about patterns."""

    site: str
    rule: str
    pattern: str  # "": the rule looks at one URL at a time
    caught: int  # URLs that are suppressed
    fresh: int  # pages of the pattern that said something new
    wasted: int  # and that did not
    closed: str  # why nothing more of the pattern is requested; "": it is open, or there is none
    site_id: int
    pattern_id: int  # 0: there is none


def caught_urls(database: CrawlDatabase) -> list[CaughtUrls]:
    """Return what the rules about traps have caught, the most URLs first, closed patterns without any among them."""
    rows = database.connection.execute(
        "SELECT site.name, url.rule, coalesce(pattern.pattern, ''), count(*), coalesce(pattern.fresh, 0), "
        "coalesce(pattern.wasted, 0), coalesce(pattern.closed, ''), site.id, coalesce(pattern.id, 0) "
        "FROM url JOIN site ON site.id = url.site LEFT JOIN trapped ON trapped.url = url.id "
        f"LEFT JOIN pattern ON pattern.id = trapped.pattern WHERE url.state = ? AND url.rule IN ({_PLACES}) "
        "GROUP BY site.id, url.rule, pattern.id "
        f"UNION ALL SELECT site.name, iif(authorship = {Authorship.MADE_UP:d}, '{Rule.MADE_UP}', '{Rule.NO_YIELD}'), "
        f"pattern, 0, fresh, wasted, closed, site.id, pattern.id {PATTERN_OF_SITE} "
        "WHERE closed IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM trapped JOIN url ON url.id = trapped.url WHERE trapped.pattern = pattern.id AND +state = ?) "
        "ORDER BY 4 DESC, 1, 2, 3",
        (State.SUPPRESSED, *TRAP_RULES, State.SUPPRESSED),
    )
    return [CaughtUrls(*row) for row in rows.fetchall()]


def samples_of(database: CrawlDatabase, caught: CaughtUrls, limit: int) -> tuple[str, ...]:
    """Return a few of the URLs that were caught, those that were met first."""
    sql = (
        "SELECT url.url FROM url LEFT JOIN trapped ON trapped.url = url.id WHERE url.state = ? AND url.rule = ? "
        "AND url.site = ? AND coalesce(trapped.pattern, 0) = ? ORDER BY url.id LIMIT ?"
    )
    return tuple(database.column(sql, State.SUPPRESSED, caught.rule, caught.site_id, caught.pattern_id, limit))


def reason_of(database: CrawlDatabase, caught: CaughtUrls) -> str:
    """Return why one of the URLs was caught, as the journal has it; "" where it has nothing."""
    reason = database.value(
        "SELECT reason FROM journal JOIN explanation ON explanation.journal = journal.id "
        "JOIN url ON url.id = explanation.url LEFT JOIN trapped ON trapped.url = url.id "
        "WHERE url.site = ? AND url.rule = ? AND url.state = ? AND coalesce(trapped.pattern, 0) = ? LIMIT 1",
        caught.site_id,
        caught.rule,
        State.SUPPRESSED,
        caught.pattern_id,
    )
    return str(reason or "")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A pattern that mostly brings nothing new and is open yet."""

    site: str
    pattern: str
    fetched: int
    wasted: int


def wasteful_patterns(database: CrawlDatabase, pages: int, share: float) -> list[Suspect]:
    """Return the open patterns of which at least `pages`, and this share of all, were wasted; the most wasteful first.

    A pattern that a person released, or whose program was closed as a whole, is none of them.
    """
    rows = database.connection.execute(
        f"SELECT name, pattern, fresh + wasted, wasted {PATTERN_OF_SITE} "
        f"WHERE closed IS NULL AND exempt = 0 AND {_NARROW} AND wasted >= ? AND wasted >= ? * (fresh + wasted) "
        f"AND NOT {OF_A_CLOSED_PROGRAM} ORDER BY wasted DESC, name, pattern",
        (pages, share),
    )
    return [Suspect(*row) for row in rows]
