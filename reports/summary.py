"""What did a crawl do, in sentences?"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawldb.figures.progress import deferred_by_reason
from crawldb.tables.hosts import resting
from crawldb.tables.journal import reasons_of_run
from frontier.rounds import BY_ITSELF
from reports.numbers import added_sections
from reports.politeness.actual import plan_sentence
from reports.traps import harms_in_words
from reports.wording import counted, duration, meaning_of_rule, moment, sentence, size
from robots import MISSPELT
from urls.rules import Rule
from urls.wording import enumerated, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from reports.health import Need
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


REASONS_TOLD = 3  # of what was never asked for: the most frequent ones


def crawl_sentences(numbers: Report) -> list[str]:
    """Return what a crawl did, the newest run first, a sentence each; every number in them stands in the report."""
    told = [*_last_run(numbers["last_run"])] if numbers["last_run"] else []
    return [*told, *_known(numbers), *_pages(numbers), *_harms(numbers)]


def in_plain_words(numbers: Report, needs: Sequence[Need]) -> dict[str, Any]:
    """Return what happened and what needs a person, for `json.dumps`."""
    return {"happened": crawl_sentences(numbers), "needs_you": [asdict(need) for need in needs]}


def _last_run(last: Mapping[str, Any]) -> Iterator[str]:
    began, requests = moment(last["started_at"]), counted(last["requests"], "request")
    got = f"{requests} brought {size(last['bytes'])} in {duration(last['seconds'])}"
    if last["running"]:
        yield f"A crawl is at work since {began}: so far {got}."
    elif last["ending"] == BY_ITSELF:
        yield f"The last crawl began {began} and went on until nothing was left to do: {got}."
    else:
        yield f"The last crawl began {began} and was ended before it was done ({last['ending'] or 'killed'}): {got}."
    fetched, same, gone = (last["outcomes"].get(rule, 0) for rule in (Rule.FETCHED, Rule.NOT_MODIFIED, Rule.GONE))
    unchanged = f", found {counted(same, 'page')} unchanged" if same else ""
    lost = f", and heard of {counted(gone, 'address', 'addresses')} that nothing is there any more" if gone else ""
    yield f"It fetched {counted(fetched, 'page')}{unchanged}{lost}."


def _known(numbers: Report) -> Iterator[str]:
    urls, suppressed = numbers["urls"], numbers["suppressed"]
    waiting = urls["queued"] + urls["leased"]
    yield (
        f"Of {counted(urls['discovered'], 'address', 'addresses')} that were ever found, {urls['done']:,} "
        f"{'was' if urls['done'] == 1 else 'were'} asked for and answered, {urls['failed']:,} failed, "
        f"{waiting:,} {'waits' if waiting == 1 else 'wait'}, and {urls['suppressed']:,} "
        f"{'was' if urls['suppressed'] == 1 else 'were'} left alone."
    )
    for rule, count in list(suppressed.items())[:REASONS_TOLD]:
        told = "was left alone" if count == 1 else "were left alone, each for this"
        yield f"{counted(count, 'address', 'addresses')} {told}: {meaning_of_rule(rule, rule)}."
    rest = sum(suppressed.values()) - sum(list(suppressed.values())[:REASONS_TOLD])
    if rest:
        yield f"{counted(rest, 'address was', 'addresses were')} left alone for other reasons."


def _pages(numbers: Report) -> Iterator[str]:
    pages = numbers["pages"]
    kinds = (
        (pages["duplicates"], "copy", "copies"),
        (pages["noindex"], "page that asks for it", "pages that ask for it"),
        (pages["refused"], "page that says nothing", "pages that say nothing"),
    )
    out = [counted(count, *nouns) for count, *nouns in kinds if count]
    left = f"; left out: {enumerated(out)}" if out else ""
    stored = counted(pages["stored"], "page is", "pages are")
    yield f"{stored} stored, and searches can find {pages['indexed']:,}{left}."


def _harms(numbers: Report) -> Iterator[str]:
    if numbers["harms"]["wasted"]:
        yield f"Loops and copies cost something: {harms_in_words(numbers['harms'])}."
