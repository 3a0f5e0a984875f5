"""How far is a running crawl? Its run, its speed, and the URLs that wait, all read in one transaction.

For a divided crawl the numbers are sums over all readable parts. Each part keeps its own run.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.tables.hosts import read_host
from crawldb.tables.runs import Manners, crawling_process, latest_manners, newest_run_record
from crawldb.tables.urls import State
from extensions.progress.tables import (
    SentRequests,
    last_request_of_run,
    newest_rounds,
    newest_with_rule,
    queued_by_depth,
    queued_by_site,
    requests_by_stretch,
)
from reports.numbers import Report, report, sum_of_reports
from reports.wording import meaning_of_rule
from urls.canonical import host_of_site

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from extensions.progress.tables import RoundWork

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
    """The work of a run in an interval that ended `ago` seconds before the end of the chart."""

    ago: float
    seconds: float
    requests: int
    pages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The URLs that one rule suppressed, or that failed by it, with examples: URL and journal reason."""

    rule: str
    count: int
    examples: tuple[tuple[str, str], ...]

    @property
    def meaning(self) -> str:
        """The meaning of the rule."""
        return meaning_of_rule(self.rule)


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """The progress of a crawl at the time `at`, in seconds since the epoch."""

    at: float
    numbers: Report
    runs: tuple[tuple[str, Mapping[str, Any]], ...]  # part ("": the crawl is whole) and its latest run
    manners: Manners | None
    waiting: tuple[WaitingSite, ...]  # the most URLs first
    depths: tuple[tuple[int, int], ...]  # links from a seed, and URLs that wait there
    pace: tuple[Stretch, ...]  # the oldest first
    suppressed: tuple[RuleCount, ...]  # the most first
    failed: tuple[RuleCount, ...]
    rounds: tuple[RoundWork, ...]  # the newest first; of a divided crawl none: each part has its own
    faults: Mapping[str, str]  # parts that can't be asked, and why

    @property
    def running(self) -> bool:
        """Whether a process crawls into the folder, or into one of its parts."""
        return any(run["running"] for _, run in self.runs)

    @property
    def longest(self) -> WaitingSite | None:
        """The site whose host needs most time for what waits: the crawl takes as long at least."""
        return max(self.waiting, key=lambda site: site.seconds, default=None)


def crawl_of(parts: Parts) -> CrawlProgress:
    """Return the progress of a crawl. Raises `DatabaseError` if no part is readable."""
    if not parts.divided:
        return crawl_progress(parts.of(parts.parts[0]))
    now = time.time()
    spans, _ = parts.ask(lambda database: _span(database, now))
    span = min(begin for begin, _ in spans.values()), max(end for _, end in spans.values())
    return _together(*parts.ask(lambda database: crawl_progress(database, span)))


def crawl_progress(database: CrawlDatabase, span: tuple[float, float] | None = None) -> CrawlProgress:
    """Return the progress in one database; `span` is begin and end of the chart, by default those of the latest run."""
    now = time.time()
    with database.one_state():
        numbers = report(database)
        last = numbers["last_run"]
        return CrawlProgress(
            at=now,
            numbers=numbers,
            runs=(("", last),) if last else (),
            manners=latest_manners([database]),
            waiting=_waiting(database),
            depths=queued_by_depth(database),
            pace=_pace(database, *(span or _span(database, now))),
            suppressed=_held_back(database, State.SUPPRESSED, numbers["suppressed"]),
            failed=_held_back(database, State.FAILED, numbers["failed"]),
            rounds=tuple(newest_rounds(database, ROUNDS_TOLD)),
            faults={},
        )


def _waiting(database: CrawlDatabase) -> tuple[WaitingSite, ...]:
    waiting = queued_by_site(database)
    hosts = {each.site: read_host(database, host_of_site(each.site)) for each in waiting}
    return tuple(
        WaitingSite(each.site, each.queued, host.delay if (host := hosts[each.site]) else 0.0) for each in waiting
    )


def _span(database: CrawlDatabase, now: float) -> tuple[float, float]:
    """Return begin and end of the latest run: it ends now where it is at work, else with its last request."""
    run = newest_run_record(database)
    if run is None:
        return now, now
    end = run.ended_at
    if end is None:
        last = last_request_of_run(database, run.run)
        at_work = crawling_process(database) is not None
        end = now if at_work else run.started_at if last is None else last
    return run.started_at, max(end, run.started_at)


def _pace(database: CrawlDatabase, begin: float, end: float) -> tuple[Stretch, ...]:
    whole = min(end - begin, PACE_SECONDS)
    length = next(each for each in LENGTHS if whole / each <= STRETCHES)
    number = max(1, math.floor(whole / length))
    found = requests_by_stretch(database, end, length, number)
    return tuple(
        Stretch(place * length, length, *found.get(place, SentRequests())) for place in reversed(range(number))
    )


def _held_back(database: CrawlDatabase, state: State, counts: Mapping[str, int]) -> tuple[RuleCount, ...]:
    return tuple(
        RuleCount(rule, count, newest_with_rule(database, state, rule, EXAMPLES)) for rule, count in counts.items()
    )


def _together(found: Mapping[str, CrawlProgress], faults: Mapping[str, str]) -> CrawlProgress:
    each = list(found.values())
    depths: Counter[int] = Counter()
    for crawl in each:
        depths.update(dict(crawl.depths))
    waiting = sorted((site for crawl in each for site in crawl.waiting), key=lambda site: (-site.queued, site.site))
    return CrawlProgress(
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


def _merged(held: Sequence[Sequence[RuleCount]]) -> tuple[RuleCount, ...]:
    counts: Counter[str] = Counter()
    examples: dict[str, tuple[tuple[str, str], ...]] = {}
    for each in (one for part in held for one in part):
        counts[each.rule] += each.count
        examples[each.rule] = (examples.get(each.rule, ()) + each.examples)[:EXAMPLES]
    return tuple(RuleCount(rule, count, examples[rule]) for rule, count in counts.most_common())
