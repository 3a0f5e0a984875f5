"""What is said when a crawl ends? What it did, what it refused and why, and what to do next."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from crawldb.figures.progress import deferred_by_reason
from crawldb.tables.hosts import resting
from crawldb.tables.journal import reasons_of_run
from frontier.rounds import BY_ITSELF
from reports.numbers import added_sections
from reports.plan.actual import plan_sentence
from reports.trap_report import harms_in_words
from reports.wording import counted, moment, sentence
from robots import MISSPELT
from urls.rules import Rule
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from reports.numbers import Report

REASONS = 5  # lines about what had to wait


@dataclass(frozen=True, slots=True)
class Trial:
    """How much a run was limited to: fetched pages, or requests to each site; 0 where it was not."""

    pages: int = 0
    each: int = 0


def run_summary(numbers: Report, run: int, waiting: Iterable[str], trial: Trial, *, indexed: bool = True) -> list[str]:
    """Return the lines that a crawl prints on standard output.

    `waiting` has a line for each reason to wait, and others that a person should see; `indexed`: the index is complete.
    """
    last = numbers["last_run"] or {}
    pages, urls = numbers["pages"], numbers["urls"]
    fetched, unchanged = fetched_and_unchanged(last)
    run_line = (
        f"Run {run} {_ending(last)}: {counted(fetched, 'page')} fetched, {unchanged} unchanged, "
        f"{counted(int(str(last.get('requests', 0))), 'request')} in {_seconds(last.get('seconds'))}."
    )
    page_line = (
        f"Pages: {pages['stored']} stored, {pages['indexed']} {'in' if indexed else 'for'} the index, "
        f"{counted(pages['near_duplicates'], 'near duplicate')} among them, "
        f"{counted(pages['duplicates'], 'duplicate')}, {pages['noindex']} noindex, "
        f"{pages['refused']} refused otherwise."
    )
    url_line = (
        f"URLs:  {urls['discovered']} discovered = {urls['queued']} queued + {urls['leased']} leased "
        f"+ {urls['done']} done + {urls['failed']} failed + {urls['suppressed']} suppressed."
    )
    lines = [run_line, page_line, url_line]
    lines += _rules("Suppressed", numbers["suppressed"])
    lines += _rules("Failed", numbers["failed"])
    if numbers["harms"]["wasted"]:
        lines.append(f"Wasted: {harms_in_words(numbers['harms'])}: ./breadcrumb report traps tells more.")
    for section, value in added_sections(numbers):
        lines += section.closing_lines(value)
    lines += waiting
    lines += [sentence(f"Fault: {url}: {reason}") for url, reason in numbers["faults"].items()]
    lines += [f"Alarm: {alarm['reason']}." for alarm in numbers["alarms"]]
    closed = numbers["closed"].items()
    lines += [f"Closed: {origin}, whose robots.txt has failed since {moment(since)}." for origin, since in closed]
    if numbers["plan"] and numbers["plan"]["round"] == last.get("round"):
        lines.append(plan_sentence(numbers["plan"]))
    lines.append(_next_step(numbers, trial, indexed=indexed))
    return lines


def fetched_and_unchanged(last: dict[str, object]) -> tuple[int, int]:
    """Return how many pages a run got anew, and how many it found unchanged."""
    outcomes = last.get("outcomes")
    return (outcomes.get(Rule.FETCHED, 0), outcomes.get(Rule.NOT_MODIFIED, 0)) if isinstance(outcomes, dict) else (0, 0)


def reasons_to_wait(database: CrawlDatabase) -> list[str]:
    """Return a line for each host that rests, and one for each reason for which other URLs had to wait."""
    waiting = deferred_by_reason(database, REASONS)
    return [*_resting(database), *(f"Waiting: {url}: {reason}" for url, reason in waiting)]


def owners_mistakes(database: CrawlDatabase, run: int) -> list[str]:
    """Return lines for what this run found wrong with sites, each with an example.

    A robots.txt that is misspelt, what hides a noindex, and pages whose connections were cut.
    """
    found = []
    for title, rule in (("Misspelt", MISSPELT), ("Hidden", Rule.HIDDEN_NOINDEX), ("Cut off", Rule.CUT_OFF)):
        reasons = reasons_of_run(database, run, rule)
        found += [f"{title}: {reason}." for reason in reasons[:REASONS]]
        if len(reasons) > REASONS:
            found.append(f"{title}: {len(reasons) - REASONS} more of that kind.")
    return found


def _resting(database: CrawlDatabase) -> list[str]:
    return [
        f"Resting until {moment(host.rests_until)}, with {counted(queued, 'URL')} that wait: {host.rest_reason}"
        for host, queued in islice(resting(database, time.time()), REASONS)
    ]


def _ending(last: dict[str, object]) -> str:
    return {BY_ITSELF: "is done"}.get(str(last.get("ending")), f"ended ({last.get('ending') or 'killed'})")


def _seconds(seconds: object) -> str:
    return f"{seconds:.1f} s" if isinstance(seconds, float) else "no time"


def _rules(title: str, rules: dict[str, int]) -> list[str]:
    if not rules:
        return []
    return [f"{title}: " + ", ".join(f"{count} {rule}" for rule, count in rules.items()) + "."]


def _next_step(numbers: Report, trial: Trial, *, indexed: bool) -> str:
    waiting = numbers["urls"]["queued"]
    if waiting and trial.pages:
        left = counted(waiting, "URL")
        return f"The trial of {counted(trial.pages, 'page')} left {left} queued: the next crawl goes on from there."
    if waiting and trial.each:
        requests, left = counted(trial.each, "request"), counted(waiting, "URL")
        return f"The trial of {requests} a site left {left} queued: the next crawl goes on from there."
    if waiting:
        left = counted(waiting, "URL")
        go_on = "run the same crawl again to go on"
        return f"{left} waiting to be asked for: {go_on}. ./breadcrumb report tells more."
    if not numbers["pages"]["stored"]:
        seed = shell_word(next((str(seed["url"]) for seed in numbers["seeds"]), "URL"))
        return f"No page was found: ./breadcrumb why {seed} tells what became of it."
    if not indexed:
        return "The round is complete, its index is not: ./breadcrumb index catches up with what is stored."
    return "The round is complete. Search it: ./breadcrumb search WORDS, or ./breadcrumb serve"
