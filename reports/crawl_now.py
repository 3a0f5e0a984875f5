"""How far is a crawl that runs? Who runs it, how fast it goes, what waits and for whom: one state of all its tables.

Everything is read in one transaction, the report too, so that the numbers add up while the crawl goes on. Of a divided
crawl they are the sums of all parts that can be asked, and each part's run stands for itself.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.tables.hosts import read_host
from crawldb.tables.runs import SECONDS_OF_RUN, Manners, crawling_process, latest_manners
from crawldb.tables.urls import IS_QUEUED, State
from reports.divided_report import sum_of_reports
from reports.numbers import Report, report
from reports.plan.actual import GOT_A_PAGE
from reports.wording import meaning_of_rule
from urls.site import host_of_site

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.parts.parts import Parts

PACE_SECONDS = 600.0  # the time over which the pace is shown …
STRETCHES = 30  # … in at most so many stretches,
LENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0)  # each so many seconds long
EXAMPLES = 3  # URLs of each rule
ROUNDS_TOLD = 30  # the newest


@dataclass(frozen=True, slots=True)
class WaitingSite:
    """A site of which URLs wait, with the seconds that lie between two requests to its host (0: not known yet)."""

    site: str
    queued: int
    delay: float

    @property
    def seconds(self) -> float:
        """How long it takes at least to ask for all of them."""
        return self.queued * self.delay


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a run did in some seconds that ended `ago` seconds before the end of the pace."""

    ago: float
    seconds: float
    requests: int
    pages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What one rule has suppressed, or how URLs failed, with examples: URL, and the reason that its journal has."""

    rule: str
    count: int
    examples: tuple[tuple[str, str], ...]

    @property
    def meaning(self) -> str:
        """What the rule says."""
        return meaning_of_rule(self.rule)


@dataclass(frozen=True, slots=True)
class RoundTold:
    """A round: when it began and ended (None: it goes on), and what its runs did; `seconds` are of crawling."""

    id: int
    opened_at: float
    closed_at: float | None
    runs: int
    requests: int
    pages: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CrawlNow:
    """Where a crawl stands at the time `at`, in seconds since the epoch."""

    at: float
    numbers: Report
    runs: tuple[tuple[str, Mapping[str, Any]], ...]  # part ("": the crawl is whole) and its latest run
    manners: Manners | None
    waiting: tuple[WaitingSite, ...]  # the most URLs first
    depths: tuple[tuple[int, int], ...]  # links from a seed, and URLs that wait there
    pace: tuple[Stretch, ...]  # the oldest first
    suppressed: tuple[HeldBack, ...]  # the most first
    failed: tuple[HeldBack, ...]
    rounds: tuple[RoundTold, ...]  # the newest first; of a divided crawl none: each part has its own
    faults: Mapping[str, str]  # parts that can't be asked, and why

    @property
    def running(self) -> bool:
        """Whether a process crawls into the folder, or into one of its parts."""
        return any(run["running"] for _, run in self.runs)

    @property
    def longest(self) -> WaitingSite | None:
        """The site whose host needs most time for what waits: the crawl takes as long at least."""
        return max(self.waiting, key=lambda site: site.seconds, default=None)


def crawl_of(parts: Parts) -> CrawlNow:
    """Return where a crawl stands. Raises `DatabaseError` where no part of it can be asked."""
    if not parts.divided:
        return crawl_now(parts.of(parts.parts[0]))
    now = time.time()
    spans, _ = parts.ask(lambda database: _span(database, now))
    span = min(begin for begin, _ in spans.values()), max(end for _, end in spans.values())
    return _together(*parts.ask(lambda database: crawl_now(database, span)))


def crawl_now(database: CrawlDatabase, span: tuple[float, float] | None = None) -> CrawlNow:
    """Return where the crawl in one database stands; `span` are begin and end of the pace, those of its latest run."""
    now = time.time()
    with database.one_state() as connection:
        numbers = report(database)
        last = numbers["last_run"]
        return CrawlNow(
            at=now,
            numbers=numbers,
            runs=(("", last),) if last else (),
            manners=latest_manners([database]),
            waiting=_waiting(database),
            depths=tuple(connection.execute(f"SELECT depth, count(*) FROM url WHERE {IS_QUEUED} GROUP BY depth")),
            pace=_pace(database, *(span or _span(database, now))),
            suppressed=_held_back(database, State.SUPPRESSED, numbers["suppressed"]),
            failed=_held_back(database, State.FAILED, numbers["failed"]),
            rounds=_rounds(database),
            faults={},
        )


def _waiting(database: CrawlDatabase) -> tuple[WaitingSite, ...]:
    rows = database.connection.execute(
        f"SELECT name, count(*) FROM url JOIN site ON site.id = url.site WHERE {IS_QUEUED} GROUP BY site.id "
        "ORDER BY count(*) DESC, name"
    ).fetchall()
    hosts = {site: read_host(database, host_of_site(site)) for site, _ in rows}
    return tuple(WaitingSite(site, queued, host.delay if (host := hosts[site]) else 0.0) for site, queued in rows)


def _span(database: CrawlDatabase, now: float) -> tuple[float, float]:
    """Return begin and end of the latest run: it ends now where it is at work, else with its last request."""
    row = database.connection.execute("SELECT id, started_at, ended_at FROM run ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        return now, now
    run, begin, end = row
    if end is None:
        last = database.value("SELECT max(at) FROM fetch WHERE run = ?", run)
        at_work = crawling_process(database) is not None
        end = now if at_work else last if isinstance(last, float) else begin
    return begin, max(end, begin)


def _pace(database: CrawlDatabase, begin: float, end: float) -> tuple[Stretch, ...]:
    whole = min(end - begin, PACE_SECONDS)
    length = next(each for each in LENGTHS if whole / each <= STRETCHES)
    number = max(1, math.floor(whole / length))
    rows = database.connection.execute(
        "SELECT CAST((:end - at) / :length AS INTEGER), count(*), "
        f"count(*) FILTER (WHERE rule IN {GOT_A_PAGE}), sum(size) "
        "FROM fetch WHERE at > :end - :number * :length AND at <= :end GROUP BY 1",
        {"end": end, "length": length, "number": number},
    )
    found = {place: rest for place, *rest in rows}
    return tuple(Stretch(place * length, length, *found.get(place, (0, 0, 0))) for place in reversed(range(number)))


def _held_back(database: CrawlDatabase, state: State, counts: Mapping[str, int]) -> tuple[HeldBack, ...]:
    return tuple(HeldBack(rule, count, _examples(database, state, rule)) for rule, count in counts.items())


def _examples(database: CrawlDatabase, state: State, rule: str) -> tuple[tuple[str, str], ...]:
    """Return the URLs that were known last: of a crawl that runs they are news."""
    rows = database.connection.execute(
        "SELECT url.url, coalesce((SELECT reason FROM explanation JOIN journal ON journal.id = explanation.journal "
        "WHERE explanation.url = url.id), (SELECT reason FROM journal WHERE journal.url = url.id "
        "AND journal.rule = url.rule ORDER BY id DESC LIMIT 1), '') "
        "FROM url WHERE state = ? AND rule = ? ORDER BY url.id DESC LIMIT ?",
        (state, rule, EXAMPLES),
    )
    return tuple(rows)


def _rounds(database: CrawlDatabase) -> tuple[RoundTold, ...]:
    connection = database.connection
    runs: dict[int, list[Any]] = {
        round_: rest
        for round_, *rest in connection.execute(
            f"SELECT round, count(*), sum({SECONDS_OF_RUN}) FROM run GROUP BY round"
        )
    }
    fetched: dict[int, list[Any]] = {
        round_: rest
        for round_, *rest in connection.execute(
            f"SELECT round, count(*), count(*) FILTER (WHERE rule IN {GOT_A_PAGE}), sum(size) "
            "FROM fetch JOIN run ON run.id = fetch.run GROUP BY round"
        )
    }
    rows = connection.execute("SELECT id, opened_at, closed_at FROM round ORDER BY id DESC LIMIT ?", (ROUNDS_TOLD,))
    told = []
    for id_, opened_at, closed_at in rows:
        number, seconds = runs.get(id_, (0, 0.0))
        requests, pages, size = fetched.get(id_, (0, 0, 0))
        told.append(RoundTold(id_, opened_at, closed_at, number, requests, pages, size, seconds))
    return tuple(told)


def _together(found: Mapping[str, CrawlNow], faults: Mapping[str, str]) -> CrawlNow:
    each = list(found.values())
    depths: Counter[int] = Counter()
    for crawl in each:
        depths.update(dict(crawl.depths))
    waiting = sorted((site for crawl in each for site in crawl.waiting), key=lambda site: (-site.queued, site.site))
    return CrawlNow(
        at=min(crawl.at for crawl in each),
        numbers=sum_of_reports([crawl.numbers for crawl in each]),
        runs=tuple((part, run) for part, crawl in found.items() for _, run in crawl.runs),
        manners=next((crawl.manners for crawl in reversed(each) if crawl.manners), None),
        waiting=tuple(waiting),
        depths=tuple(sorted(depths.items())),
        pace=tuple(map(_sum_of_stretches, zip(*(crawl.pace for crawl in each), strict=True))),
        suppressed=_merged([crawl.suppressed for crawl in each]),
        failed=_merged([crawl.failed for crawl in each]),
        rounds=(),
        faults=faults,
    )


def _sum_of_stretches(stretches: Sequence[Stretch]) -> Stretch:
    first = stretches[0]
    sums = (sum(getattr(each, name) for each in stretches) for name in ("requests", "pages", "bytes"))
    return Stretch(first.ago, first.seconds, *sums)


def _merged(held: Sequence[Sequence[HeldBack]]) -> tuple[HeldBack, ...]:
    counts: Counter[str] = Counter()
    examples: dict[str, tuple[tuple[str, str], ...]] = {}
    for each in (one for part in held for one in part):
        counts[each.rule] += each.count
        examples[each.rule] = (examples.get(each.rule, ()) + each.examples)[:EXAMPLES]
    return tuple(HeldBack(rule, count, examples[rule]) for rule, count in counts.most_common())
