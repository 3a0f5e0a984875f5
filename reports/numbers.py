"""What are the numbers of a crawl? Those of `report --json`, counted from the tables, so that their sums agree.

For a divided crawl the numbers are sums over its parts: each URL is in exactly one part. All parts share one round, so
the highest round of any part is shown. A run, a plan and a visited set belong to one part and are not summed.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypedDict

from crawldb.figures.totals import (
    NextRun,
    deferred_by_reason,
    faults,
    outcomes_of_run,
    page_counts,
    pages_by_site,
    probes_by_purpose,
    request_counts,
    round_counts,
    sitemap_counts,
    urls_by_rule,
    urls_by_state,
)
from crawldb.figures.traps import harms
from crawldb.pages.clusters import near_copies
from crawldb.tables.blocks import open_proposals
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import resting
from crawldb.tables.robots_files import closed_origins
from crawldb.tables.runs import crawling_process, newest_plan, newest_run_record
from crawldb.tables.seeds import SeedYield, seed_yields
from crawldb.tables.urls import State
from extension_points import call_extensions
from reports.actual import actual
from urls.canonical import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from extension_points import ReportSection


FAULTS_TOLD = 10  # of a folder
REASONS_TOLD = 10  # for which URLs wait


class Troubles(TypedDict):
    """Problems for the operator, as `report --json` has them."""

    faults: dict[str, str]  # what Breadcrumb itself could not read or store: URL and reason, the first few
    alarms: list[dict[str, Any]]  # sites that mostly fail, in the latest round
    closed: dict[str, float]  # origins whose robots.txt has failed for a day or more: since when
    complaints: list[dict[str, Any]]  # on which nobody has decided: `at` and `times` alone, since anybody may read this


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
    """The numbers of the whole data folder and of its latest run, and a key for each section of an extension."""

    rounds: dict[str, int]
    sites: dict[str, int]
    seeds: list[SeedYield]  # what each brought, the most fruitful first
    last_run: dict[str, Any] | None
    resting: dict[str, dict[str, Any]]  # hosts that are left alone while URLs of theirs wait
    # URLs put off, by `reason`: `urls` is their number, `url` the first to be requested, but not before `until`:
    waiting: list[dict[str, Any]]
    plan: dict[str, Any] | None  # the newest, and what its round really took


def report(database: CrawlDatabase, run: int | None = None) -> Report:
    """Count everything in one transaction, so that a running crawl does not change it.

    `run` is shown as the last run, even if another one has started since.
    """
    with database.one_state():
        added = {section.key: section.read(database) for section in call_extensions("report_sections")}
        return Report(
            urls=url_counts(database),
            suppressed=urls_by_rule(database, State.SUPPRESSED),
            failed=urls_by_rule(database, State.FAILED),
            pages=_pages(database),
            sitemaps=sitemap_counts(database)._asdict(),
            harms=asdict(harms(database)),
            probes=probes_by_purpose(database),
            **request_counts(database),
            rounds=round_counts(database)._asdict(),
            sites=pages_by_site(database),
            seeds=seed_yields(database),
            last_run=run_numbers(database, run),
            **troubles(database),
            **added,
            resting=_resting(database),
            waiting=_waiting(database),
            plan=_plan(database),
        )


def added_sections(numbers: Mapping[str, object]) -> list[tuple[ReportSection, Any]]:
    """Return the sections that extensions add, each with its value."""
    return [(section, numbers.get(section.key)) for section in call_extensions("report_sections")]


def url_counts(database: CrawlDatabase) -> dict[str, int]:
    """Return how many URLs are discovered, and how many of them are in each state: the accounting."""
    counts = urls_by_state(database)
    return {"discovered": sum(counts.values())} | {state.name.lower(): counts.get(state, 0) for state in State}


def _pages(database: CrawlDatabase) -> dict[str, int]:
    pages = page_counts(database)
    return {
        "stored": pages.stored,
        "indexed": pages.indexed,
        "duplicates": pages.duplicates,
        "near_duplicates": near_copies(database),  # of those in the index
        "noindex": pages.noindex,
        "refused": pages.stored - pages.indexed - pages.duplicates - pages.noindex,  # type, size, emptiness, soft 404 …
    }


def run_numbers(database: CrawlDatabase, run: int | None) -> dict[str, Any] | None:
    """Return the start, the end, the requests and their outcomes of `run`, or of the newest; None if there is none."""
    last = newest_run(database, run)
    if last is None:
        return None
    number = int(last["run"])
    return last | {"outcomes": outcomes_of_run(database, number)} | dict(request_counts(database, number))


def newest_run(database: CrawlDatabase, run: int | None = None) -> dict[str, Any] | None:
    """Return the start and the end of the newest run, or of `run`; None if there is none."""
    found = newest_run_record(database, run)
    if found is None:
        return None
    return {
        "run": found.run,
        "round": found.round,
        "pid": found.pid,
        "running": crawling_process(database) == found.pid,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
        "ending": found.ending,
        "waiting": found.waiting,
    }


def troubles(database: CrawlDatabase) -> Troubles:
    """Return the problems for the operator."""
    return Troubles(
        faults=faults(database, FAULTS_TOLD),
        alarms=[asdict(alarm) for alarm in alarms(database)],
        closed=dict(closed_origins(database)),
        complaints=[{"at": each.at, "times": each.times} for each in open_proposals(database)],
    )


def open_complaints(database: CrawlDatabase) -> list[dict[str, Any]]:
    """Return the open complaints from the policy page, the oldest first.

    They have the texts and email addresses of visitors, so only the operator may see them.
    """
    return [
        asdict(each) | {"target": each.target.name, "kind": str(each.target.kind)} for each in open_proposals(database)
    ]


def _resting(database: CrawlDatabase) -> dict[str, dict[str, Any]]:
    return {
        host.name: {"until": host.rests_in_next_run, "reason": host.rest_reason, "waiting": waiting}
        for host, waiting in resting(database, time.time())
    }


def _waiting(database: CrawlDatabase) -> list[dict[str, Any]]:
    next_run = NextRun(database)
    waiting = [each._asdict() for each in deferred_by_reason(database, REASONS_TOLD)]
    for each in waiting:
        is_new = each.pop("new") > 0
        each["until"] = next_run.first_request(site_of(each["url"]), each.pop("due"), is_new=is_new)
    return waiting


def _plan(database: CrawlDatabase) -> dict[str, Any] | None:
    plan = newest_plan(database)
    return None if plan is None else asdict(plan) | {"actual": asdict(actual(database, plan.round))}


class DividedReport(Report):
    """The numbers of all readable parts; `parts` has those of each part.

    Each part has `part` (2/3), `folder` and `fault`; an unreadable one has nothing else.
    """

    parts: list[dict[str, Any]]


def report_of(parts: Parts) -> Report:
    """Count everything in a crawl, divided or not."""
    return divided_report(parts) if parts.divided else report(parts.of(parts.parts[0]))


def divided_report(parts: Parts) -> DividedReport:
    """Count everything in each part. Raises `DatabaseError` if no part is readable."""
    found, faults = parts.ask(report)
    parts_shown: list[dict[str, Any]] = []
    for part in parts.parts:
        name = str(part)
        place = {"part": name, "folder": str(parts.folder(part)), "fault": faults.get(name)}
        parts_shown.append(place | dict(found.get(name, {})))
    return DividedReport(**sum_of_reports(list(found.values())), parts=parts_shown)


def sum_of_reports(reports: Sequence[Report]) -> Report:
    """Return the sums of several reports."""
    sections = [added_sections(each) for each in reports]
    added = {same[0][0].key: same[0][0].combine(value for _, value in same) for same in zip(*sections, strict=True)}
    return Report(
        urls=sums(each["urls"] for each in reports),
        suppressed=most_first(sums(each["suppressed"] for each in reports)),
        failed=most_first(sums(each["failed"] for each in reports)),
        pages=sums(each["pages"] for each in reports),
        sitemaps=sums(each["sitemaps"] for each in reports),
        harms=sums(each["harms"] for each in reports),
        probes=sums(each["probes"] for each in reports),
        status=dict(sorted(sums(each["status"] for each in reports).items())),
        requests=sum(each["requests"] for each in reports),
        bytes=sum(each["bytes"] for each in reports),
        seconds=round(sum(each["seconds"] for each in reports), 3),
        rounds={
            name: max(each["rounds"][name] for each in reports) for name in ("begun", "open")
        },  # all parts share one
        sites=sums(each["sites"] for each in reports),
        seeds=sorted((seed for each in reports for seed in each["seeds"]), key=lambda seed: -seed["pages"]),
        last_run=None,
        faults={url: reason for each in reports for url, reason in each["faults"].items()},
        alarms=[alarm for each in reports for alarm in each["alarms"]],
        closed={origin: since for each in reports for origin, since in each["closed"].items()},
        complaints=[one for each in reports for one in each["complaints"]],
        **added,
        resting={host: rest for each in reports for host, rest in each["resting"].items()},
        waiting=[put_off for each in reports for put_off in each["waiting"]],
        plan=None,
    )


def sums(counts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up counts by name."""
    total: dict[str, Any] = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total


def most_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts by name, the largest first."""
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))
