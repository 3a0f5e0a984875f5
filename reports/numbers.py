"""What did the crawl do, in numbers? Counted from the tables themselves, so that the sums agree with what is stored."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypedDict

from crawldb.learnt.probes import Purpose
from crawldb.pages.clusters import near_copies
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import resting
from crawldb.tables.proposals import open_proposals
from crawldb.tables.robots_files import closed_origins
from crawldb.tables.runs import SECONDS_OF_RUN, crawling_process, newest_plan
from crawldb.tables.seeds import SeedYield, seed_yields
from crawldb.tables.urls import State
from reports.harvest import harvest
from reports.needs import Troubles
from reports.plan.actual import actual
from reports.trap_report import harms
from urls.records import FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

FAULTS_TOLD = 10  # of a folder


class Numbers(TypedDict):
    """The report, as `report --json` prints it. `bytes` are of bodies after decompression, `seconds` of wall time."""

    urls: dict[str, int]
    suppressed: dict[str, int]
    failed: dict[str, int]
    pages: dict[str, int]
    sitemaps: dict[str, int]
    harms: dict[str, Any]  # of cycles: requests, bytes and seconds wasted, and copies kept out of the results
    probes: dict[str, int]  # requests to learn about sites, by what they are to find out
    status: dict[str, int]
    requests: int
    bytes: int
    seconds: float


class Report(Numbers, Troubles):
    """The numbers of the whole data folder, and of its latest run."""

    rounds: dict[str, int]
    sites: dict[str, int]
    seeds: list[SeedYield]  # what each brought, the most fruitful first
    last_run: dict[str, Any] | None
    topic: dict[str, Any] | None  # of a crawl with a topic: what it found for its turns
    resting: dict[str, dict[str, Any]]  # hosts that are left alone while URLs of theirs wait
    plan: dict[str, Any] | None  # the newest, and what its round really took


def report(database: CrawlDatabase, run: int | None = None) -> Report:
    """Count everything in one transaction: one state, whatever a crawl writes meanwhile.

    `run` is told of as the last one, whichever has begun since.
    """
    with database.one_state() as connection:
        return Report(
            urls=url_counts(database),
            suppressed=_by_rule(database, State.SUPPRESSED),
            failed=_by_rule(database, State.FAILED),
            pages=_pages(database),
            sitemaps=_sitemaps(database),
            harms=asdict(harms(database)),
            probes=_probes(database),
            **_requests(database, ""),
            rounds={
                "begun": database.count("SELECT count(*) FROM round WHERE NOT continues"),
                "open": database.count("SELECT count(*) FROM round WHERE closed_at IS NULL"),
            },
            sites=dict(
                connection.execute(
                    "SELECT name, count(page.url) FROM site JOIN url ON url.site = site.id "
                    "LEFT JOIN page ON page.url = url.id GROUP BY site.id ORDER BY site.id"
                ).fetchall()
            ),
            seeds=seed_yields(database),
            last_run=_last_run(database, run),
            **troubles(database),
            topic=harvest(database),
            resting=_resting(database),
            plan=_plan(database),
        )


def url_counts(database: CrawlDatabase) -> dict[str, int]:
    """Return how many URLs are discovered, and how many of them are in each state: the accounting."""
    counts = dict(database.connection.execute("SELECT state, count(*) FROM url GROUP BY state").fetchall())
    return {"discovered": sum(counts.values())} | {state.name.lower(): counts.get(state, 0) for state in State}


def _by_rule(database: CrawlDatabase, state: State) -> dict[str, int]:
    sql = "SELECT rule, count(*) FROM url WHERE state = ? GROUP BY rule ORDER BY count(*) DESC, rule"
    return dict(database.connection.execute(sql, (state,)).fetchall())


def _pages(database: CrawlDatabase) -> dict[str, int]:
    stored, indexed, duplicates, noindex = database.connection.execute(
        "SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM indexed_page), "
        "(SELECT count(*) FROM page WHERE duplicate_of IS NOT NULL), "
        f"(SELECT count(*) FROM page WHERE refusals LIKE '[[\"{Rule.NOINDEX}\"%')"
    ).fetchone()
    return {
        "stored": stored,
        "indexed": indexed,
        "duplicates": duplicates,
        "near_duplicates": near_copies(database),  # of those in the index
        "noindex": noindex,
        "refused": stored - indexed - duplicates - noindex,  # type, size, emptiness, soft 404 …
    }


def _sitemaps(database: CrawlDatabase) -> dict[str, int]:
    files, entries = database.connection.execute(
        "SELECT count(*), coalesce(sum(entries), 0) FROM sitemap WHERE form != ''"
    ).fetchone()
    alone = (
        f"SELECT count(*) FROM url WHERE kind = 0 AND found_by = '{FoundBy.SITEMAP}' "
        "AND NOT EXISTS (SELECT 1 FROM link WHERE target = url.id)"
    )
    return {"files": files, "entries": entries, "only_there": database.count(alone)}


def _probes(database: CrawlDatabase) -> dict[str, int]:
    """Count the requests of probes. A page that was fetched twice is a page like any other, once it is compared."""
    rows = database.connection.execute(
        "SELECT coalesce(purpose, ?), count(*) FROM fetch LEFT JOIN probe USING (url) WHERE fetch.rule = ? GROUP BY 1",
        (Purpose.TWICE, Rule.PROBE),
    )
    return {str(purpose): 0 for purpose in Purpose} | dict(rows.fetchall())


class _Requests(TypedDict):
    status: dict[str, int]
    requests: int
    bytes: int
    seconds: float


def _requests(database: CrawlDatabase, where: str) -> _Requests:
    connection = database.connection
    run = where.replace("run =", "id =")
    requests, size = connection.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM fetch {where}").fetchone()
    status = connection.execute(
        f"SELECT coalesce(CAST(status AS TEXT), 'none'), count(*) FROM fetch {where} GROUP BY status ORDER BY status"
    ).fetchall()
    seconds = database.value(f"SELECT sum({SECONDS_OF_RUN}) FROM run {run}")
    return _Requests(
        status=dict(status),
        requests=requests,
        bytes=size,
        seconds=round(float(seconds), 3) if isinstance(seconds, (int, float)) else 0.0,
    )


def _last_run(database: CrawlDatabase, run: int | None) -> dict[str, Any] | None:
    last = newest_run(database, run)
    if last is None:
        return None
    number = int(last["run"])
    outcomes = database.connection.execute(
        "SELECT rule, count(*) FROM fetch WHERE run = ? GROUP BY rule ORDER BY count(*) DESC", (number,)
    ).fetchall()
    return last | {"outcomes": dict(outcomes)} | dict(_requests(database, f"WHERE run = {number}"))


def newest_run(database: CrawlDatabase, run: int | None = None) -> dict[str, Any] | None:
    """Return when the newest run, or `run`, began and how it ended; None where there is none."""
    row = database.connection.execute(
        "SELECT id, round, pid, started_at, ended_at, ending, waiting FROM run WHERE ?1 IS NULL OR id = ?1 "
        "ORDER BY id DESC LIMIT 1",
        (run,),
    ).fetchone()
    if row is None:
        return None
    number, round_, pid, started_at, ended_at, ending, waiting = row
    return {
        "run": number,
        "round": round_,
        "pid": pid,
        "running": crawling_process(database) == pid,
        "started_at": started_at,
        "ended_at": ended_at,
        "ending": ending,
        "waiting": waiting,
    }


def _faults(database: CrawlDatabase) -> dict[str, str]:
    sql = (
        "SELECT url.url, reason FROM url JOIN journal ON journal.id = "
        "(SELECT max(id) FROM journal WHERE journal.url = url.id AND rule = url.rule) "
        "WHERE state = ? AND url.rule = ? ORDER BY url.id LIMIT ?"
    )
    return dict(database.connection.execute(sql, (State.FAILED, Rule.FAULT, FAULTS_TOLD)).fetchall())


def troubles(database: CrawlDatabase) -> Troubles:
    """Return what a person should look at."""
    return Troubles(
        faults=_faults(database),
        alarms=[asdict(alarm) for alarm in alarms(database)],
        closed=dict(closed_origins(database)),
        complaints=[{"at": each.at, "times": each.times} for each in open_proposals(database)],
    )


def open_complaints(database: CrawlDatabase) -> list[dict[str, Any]]:
    """Return what visitors of the policy page want blocked, oldest first, as long as nobody has decided.

    It has their words and email addresses, which are for whoever runs the crawl alone.
    """
    return [
        asdict(each) | {"target": each.target.name, "kind": str(each.target.kind)} for each in open_proposals(database)
    ]


def _resting(database: CrawlDatabase) -> dict[str, dict[str, Any]]:
    return {
        host.name: {"until": host.rests_until, "reason": host.rest_reason, "waiting": waiting}
        for host, waiting in resting(database, time.time())
    }


def _plan(database: CrawlDatabase) -> dict[str, Any] | None:
    plan = newest_plan(database)
    return None if plan is None else asdict(plan) | {"actual": asdict(actual(database, plan.round))}
