"""The text form of `report`: a row per number, then what an operator should look at."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any

from reports.actual import departures, plan_and_actual
from reports.health import behind_need, complaint_need
from reports.numbers import added_sections
from reports.shown_commands import without_commands
from reports.traps import harms_in_words
from reports.wording import Row, counted, duration, ending_in_words, moment, rows_under, sentence, size, until
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawldb.tables.open_work import OpenWork
    from crawldb.tables.seeds import SeedYield
    from reports.numbers import Report

SITES_SHOWN = 10
SITE_WIDTH = 51  # columns for a site's name, so that its pages stand in the same line; a longer name is not cut
ALARMS_SHOWN = 10
PLAN_WIDTH = 30  # columns for what was planned
# Kinds of pages that are stored and not indexed, and as what they are told.
_LEFT_OUT = {"duplicates": "duplicates", "noindex": "noindex", "refused": "rejected"}


def report_rows(numbers: Report, complaints: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield the numbers of a data folder and the complaints of visitors. For the operator only."""
    urls, pages = numbers["urls"], numbers["pages"]
    parts = " + ".join(f"{count:,} {state}" for state, count in urls.items() if state != "discovered")
    yield Row("URLs", f"{urls['discovered']:,} discovered = {parts}")
    yield from _rules("suppressed", numbers["suppressed"])
    yield from _rules("failed", numbers["failed"])
    near = f", including {counted(pages['near_duplicates'], 'near duplicate')}" if pages["near_duplicates"] else ""
    yield Row("pages", f"{pages['stored']:,} stored, {pages['indexed']:,} of them indexable{near}")
    yield from _rules("not indexed", {name: pages[kind] for kind, name in _LEFT_OUT.items() if pages[kind]})
    yield from _sitemaps(numbers["sitemaps"])
    yield Row("requests", _requests(numbers))
    for section, value in added_sections(numbers):
        yield from section.rows(value)
    if numbers["harms"]["wasted"]:
        yield Row("harms", f"{harms_in_words(numbers['harms'])}; details: report traps")
    if any(numbers["probes"].values()):
        yield Row("probes", _probes(numbers["probes"]))
    yield from _rules("responses", numbers["status"])
    rounds = numbers["rounds"]
    yield Row("rounds", f"{rounds['begun']:,} started, {rounds['open']:,} open")
    yield from _sites(numbers["sites"])
    yield from _seeds(numbers["seeds"])
    if numbers["last_run"]:
        yield Row("last run", run_in_words(numbers["last_run"]))
    yield from _troubles(numbers)
    yield from complaint_rows(complaints)
    yield from rows_under("resting", starmap(_resting, numbers["resting"].items()), ALARMS_SHOWN)
    yield from rows_under("waiting", map(_put_off, numbers["waiting"]), ALARMS_SHOWN)
    if numbers["plan"]:
        yield from _plan(numbers["plan"])


def _troubles(numbers: Report) -> Iterator[Row]:
    """Yield our own faults, and sites in trouble."""
    yield from rows_under("faults", (f"{url}: {reason}" for url, reason in numbers["faults"].items()))
    if numbers["failed"].get(Rule.FAULT, 0) > len(numbers["faults"]):
        yield Row("", f"and {numbers['failed'][Rule.FAULT] - len(numbers['faults']):,} more")
    yield from rows_under("alarms", (sentence(alarm["reason"]) for alarm in numbers["alarms"]), ALARMS_SHOWN)
    closed = numbers["closed"].items()
    failing = (f"{origin}, whose robots.txt has failed since {moment(since)}" for origin, since in closed)
    yield from rows_under("closed", failing, ALARMS_SHOWN)


def _resting(host: str, rest: Mapping[str, Any]) -> str:
    return f"{host}{until(rest['until'])}, {counted(rest['waiting'], 'URL')} waiting: {rest['reason']}"


def _put_off(waiting: Mapping[str, Any]) -> str:
    such = f"{counted(waiting['urls'], 'URL')}, such as " if waiting["urls"] > 1 else ""
    return f"{such}{waiting['url']}{until(waiting['until'])}: {waiting['reason']}"


def open_work_rows(stopped: Sequence[OpenWork], behind: int) -> Iterator[Row]:
    """Yield unfinished commands and changes missing from the index, with the commands that finish them."""
    for number, work in enumerate(stopped):
        text = f"{work.command}, started {moment(work.began_at)}, did not finish"
        yield Row("" if number else "open work", text)
        yield Row("", f"To finish it: ./breadcrumb {work}")
    for need in behind_need(behind):
        yield Row("" if stopped else "open work", need.text)
        yield Row("", f"{need.remedies[0].command} {need.remedies[0].effect}")


def complaint_rows(complaints: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield each complaint, its text, and the commands that decide it."""
    for number, complaint in enumerate(complaints[:ALARMS_SHOWN]):
        need = complaint_need(complaint)
        yield Row("" if number else "complaints", need.text)
        yield Row("", f"The visitor writes (unchecked): {without_commands(need.words)}")
        for remedy in need.remedies:
            yield Row("", f"{remedy.command} {remedy.effect}")


def _plan(plan: Mapping[str, Any]) -> Iterator[Row]:
    over = "" if plan["actual"]["over"] else " so far"
    yield Row("plan", f"of {moment(plan['at'])}, for round {plan['round']}, and what it took{over}")
    for name, planned, actual in plan_and_actual(plan):
        yield Row(f"  {name}", f"{planned:<{PLAN_WIDTH}}  {actual}")
    for departure in departures(plan):
        yield Row("  but", departure)


def _sitemaps(sitemaps: Mapping[str, int]) -> Iterator[Row]:
    if sitemaps["files"]:
        files, entries = counted(sitemaps["files"], "file"), counted(sitemaps["entries"], "entry", "entries")
        only_there = counted(sitemaps["only_there"], "page")
        yield Row("sitemaps", f"{files} with {entries}; {only_there} found only there")


def _rules(label: str, counts: Mapping[str, int]) -> Iterator[Row]:
    if counts:
        yield Row(label, ", ".join(f"{rule}: {count:,}" for rule, count in counts.items()))


def _probes(probes: Mapping[str, int]) -> str:
    of = {
        "trap": "for generated URLs, to find traps",
        "missing": "for missing pages, to find soft 404s",
        "twice": "for a page again, to find text that changes",
        "stylesheet": "for stylesheets, to find hidden text",
    }
    purposes = ", ".join(f"{probes[purpose]:,} {said}" for purpose, said in of.items() if probes[purpose])
    return f"{counted(sum(probes.values()), 'request')} besides pages: {purposes}"


def _sites(sites: Mapping[str, int]) -> Iterator[Row]:
    largest = sorted(sites.items(), key=lambda site: -site[1])
    width = min(SITE_WIDTH, max((len(name) for name, _ in largest[:SITES_SHOWN]), default=0))
    lines = (f"{name:<{width}}  {pages:>9,} {'page' if pages == 1 else 'pages'}" for name, pages in largest)
    yield from rows_under("sites", lines, SITES_SHOWN)


def _seeds(seeds: Sequence[SeedYield]) -> Iterator[Row]:
    """Yield the pages found from each seed, if there are several."""
    if len(seeds) > 1:
        yield from rows_under("seeds", map(_seed, seeds), SITES_SHOWN)


def _seed(seed: SeedYield) -> str:
    kind = f", {seed['kind']}" if seed["kind"] else ""
    return f"{seed['url']}{kind}: {counted(seed['pages'], 'page')} found from it, {seed['new']:,} in the latest round"


def proposal_rows(proposals: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield the proposed options of sites."""
    sentences = (sentence(f"{each['site']}  {each['option']}: {each['reason']}") for each in proposals)
    yield from rows_under("proposals", sentences, ALARMS_SHOWN)
    if proposals:
        yield Row("", "To switch them on: ./breadcrumb suggest --apply")


def _requests(counts: Mapping[str, Any], noun: str = "") -> str:
    requests = counted(counts["requests"], noun) if noun else f"{counts['requests']:,}"
    return f"{requests}, {size(counts['bytes'])} of bodies, {duration(counts['seconds'])} of crawling"


def run_in_words(run: Mapping[str, Any]) -> str:
    """Return a run as text; `run` is `last_run` of the report."""
    began = moment(run["started_at"])
    if run["running"]:
        return f"number {run['run']} is running as process {run['pid']}, since {began}: {_requests(run, 'request')}"
    waiting = f"; {counted(run['waiting'], 'URL')} left for the next run" if run["waiting"] else ""
    return f"number {run['run']}, {began}, {ending_in_words(run['ending'])}: {_requests(run, 'request')}{waiting}"


def part_rows(parts: Sequence[dict[str, Any]]) -> Iterator[Row]:
    """Yield a row for each part of a divided crawl."""
    yield from rows_under("parts", map(_part, parts))


def _part(part: Mapping[str, Any]) -> str:
    if part["fault"]:
        return f"{part['part']} is not in these numbers: {part['fault']}"
    urls, pages, last = part["urls"], part["pages"], part["last_run"] or {}
    ending = "running" if last.get("running") else f"run {last.get('run', 0)} {ending_in_words(last.get('ending'))}"
    return (
        f"{part['part']}: {counted(urls['discovered'], 'URL')}, {urls['queued']:,} queued, "
        f"{counted(pages['stored'], 'page')} stored, {pages['indexed']:,} indexable, "
        f"{counted(part['requests'], 'request')}, {ending}"
    )
