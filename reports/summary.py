"""What did a crawl do, and what is next? The lines printed at its end, and the sentences of the numbers page."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawldb.figures.totals import NOT_REACHED, NextRun, due_by_site
from crawldb.tables.journal import distinct_reasons, reasons_of_run
from crawldb.tables.runs import BY_ITSELF
from reports.actual import plan_sentence
from reports.numbers import added_sections
from reports.traps import harms_in_words
from reports.wording import counted, duration, ending_in_words, meaning_of_rule, moment, sentence, size, until
from robots import MISSPELT
from urls.rules import LED_ELSEWHERE, Rule
from urls.wording import enumerated, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from reports.health import Need
    from reports.numbers import Report

REASONS = 5  # lines about URLs that wait


@dataclass(frozen=True, slots=True)
class Trial:
    """The limits of a trial: fetched pages, or requests per site; 0 means no limit."""

    pages: int = 0
    each: int = 0


def run_summary(
    numbers: Report, run: int, waiting: Iterable[str], trial: Trial, *, due: float = 0.0, indexed: bool = True
) -> list[str]:
    """Return the lines printed at the end of a crawl.

    `waiting` has the lines about URLs that wait, and other notices. The next run requests nothing before `due`.
    `indexed`: the index is complete.
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
        lines.append(f"Wasted in all runs: {harms_in_words(numbers['harms'])}. Details: ./breadcrumb report traps")
    for section, value in added_sections(numbers):
        lines += section.closing_lines(value)
    lines += waiting
    lines += [sentence(f"Fault: {url}: {reason}") for url, reason in numbers["faults"].items()]
    lines += [f"Alarm: {alarm['reason']}." for alarm in numbers["alarms"]]
    closed = numbers["closed"].items()
    lines += [f"Closed: {origin}, whose robots.txt has failed since {moment(since)}." for origin, since in closed]
    if numbers["plan"] and numbers["plan"]["round"] == last.get("round"):
        lines.append(plan_sentence(numbers["plan"]))
    lines.append(_next_step(numbers, trial, due, indexed=indexed))
    return lines


def fetched_and_unchanged(last: dict[str, object]) -> tuple[int, int]:
    """Return how many pages a run fetched, and how many were unchanged."""
    outcomes = last.get("outcomes")
    return (outcomes.get(Rule.FETCHED, 0), outcomes.get(Rule.NOT_MODIFIED, 0)) if isinstance(outcomes, dict) else (0, 0)


def failures_of_down_sites(last: dict[str, object]) -> int:
    """Return how many requests had a connection failure or a server error in a run without any page; else 0."""
    outcomes = last.get("outcomes")
    if not isinstance(outcomes, dict) or any(fetched_and_unchanged(last)):
        return 0
    return sum(outcomes.get(rule, 0) for rule in NOT_REACHED)


def reasons_to_wait(numbers: Report) -> list[str]:
    """Return a line for each host at rest, and for each other reason why URLs wait."""
    rests, waiting = islice(numbers["resting"].values(), REASONS), numbers["waiting"][:REASONS]
    return [
        *(
            f"Resting{until(each['until'])}, {counted(each['waiting'], 'URL')} waiting: {each['reason']}"
            for each in rests
        ),
        *(f"Waiting{until(each['until'])}: {each['url']}: {each['reason']}" for each in waiting),
    ]


def next_request(database: CrawlDatabase) -> float:
    """Return when the next run may request the first queued URL; 0 if at once, or if none is queued."""
    next_run = NextRun(database)
    return min((next_run.first_request(site, due) for site, due in due_by_site(database)), default=0.0)


def owners_mistakes(database: CrawlDatabase, run: int) -> list[str]:
    """Return lines on the faults of sites that this run found, each with an example.

    These are misspelt robots.txt files, hidden noindex controls, and pages cut off by a lost connection.
    """
    found = []
    for title, rule in (("Misspelt", MISSPELT), ("Hidden", Rule.HIDDEN_NOINDEX), ("Cut off", Rule.CUT_OFF)):
        reasons = reasons_of_run(database, run, rule)
        found += [f"{title}: {reason}." for reason in reasons[:REASONS]]
        if len(reasons) > REASONS:
            found.append(f"{title}: {len(reasons) - REASONS} more.")
    return found


def hosts_led_elsewhere(database: CrawlDatabase, run: int) -> list[str]:
    """Return a line on each seed's host that this run did not request: its name led to the internet before."""
    reasons = distinct_reasons(database, run, Rule.ADDRESS, LED_ELSEWHERE)
    return [f"Not requested: {reason}." for reason in reasons[:REASONS]]


def _ending(last: dict[str, object]) -> str:
    return {BY_ITSELF: "is done"}.get(str(last.get("ending")), f"ended ({last.get('ending') or 'cut short'})")


def _seconds(seconds: object) -> str:
    return f"{seconds:.1f} s" if isinstance(seconds, float) else "no time"


def _rules(title: str, rules: dict[str, int]) -> list[str]:
    if not rules:
        return []
    return [f"{title}: " + ", ".join(f"{count} {rule}" for rule, count in rules.items()) + "."]


def _next_step(numbers: Report, trial: Trial, due: float, *, indexed: bool) -> str:
    queued, leased = numbers["urls"]["queued"], numbers["urls"]["leased"]
    waiting = queued + leased  # a run that was stopped twice keeps its leases, and the next one queues them
    reason = f"The reason: ./breadcrumb why {shell_word(next((str(seed['url']) for seed in numbers['seeds']), 'URL'))}"
    left = counted(waiting, "URL")
    came = sum(fetched_and_unchanged(numbers["last_run"] or {}))
    if waiting and came and (trial.each or came >= trial.pages > 0):
        limit = counted(trial.pages, "page") if trial.pages else f"{counted(trial.each, 'request')} a site"
        return f"The trial of {limit} left {left} queued. The next crawl continues from there."
    if waiting:
        ended = (numbers["last_run"] or {}).get("ending") == BY_ITSELF  # else a person has stopped it, or the disk
        more = " Details: ./breadcrumb report" if numbers["pages"]["stored"] else f" {reason}" * ended
        when = f"after {moment(due)}" if due > time.time() else "to continue"
        return f"{left} {'queued or leased' if leased else 'queued'}: run the same crawl again {when}.{more}"
    failed = failures_of_down_sites(numbers["last_run"] or {})
    if failed or not numbers["pages"]["stored"]:
        cause = f": {counted(failed, 'request')} had a connection failure or a server error" if failed else ""
        return f"No page was fetched{cause}. {reason}"
    if not numbers["pages"]["indexed"]:
        return f"No page is in the index. {reason}"
    if not indexed:
        return "The round is complete, but its index is not."
    return "The round is complete. Search it: ./breadcrumb search WORDS, or ./breadcrumb serve"


REASONS_SHOWN = 3  # rules of skipped URLs, the most frequent first


def crawl_sentences(numbers: Report) -> list[str]:
    """Return sentences on what a crawl did, the newest run first. All their numbers are in the report."""
    latest = [*_last_run(numbers["last_run"])] if numbers["last_run"] else []
    harms = numbers["harms"]
    wasted = [f"Traps and copies: {harms_in_words(harms)}."] if harms["wasted"] else []
    return [*latest, *_known(numbers), *_pages(numbers), *wasted]


def in_plain_words(numbers: Report, needs: Sequence[Need]) -> dict[str, Any]:
    """Return these sentences and the needs, for `json.dumps`."""
    return {"happened": crawl_sentences(numbers), "needs_you": [asdict(need) for need in needs]}


def _last_run(last: Mapping[str, Any]) -> Iterator[str]:
    began, requests = moment(last["started_at"]), counted(last["requests"], "request")
    got = f"{requests}, {size(last['bytes'])} received in {duration(last['seconds'])}"
    if last["running"]:
        yield f"A crawl is running since {began}: {got} so far."
    elif last["ending"] == BY_ITSELF:
        yield f"The last crawl started {began} and finished: {got}."
    else:
        yield f"The last crawl started {began} and did not finish ({ending_in_words(last['ending'])}): {got}."
    fetched, same, gone = (last["outcomes"].get(rule, 0) for rule in (Rule.FETCHED, Rule.NOT_MODIFIED, Rule.GONE))
    unchanged = f" {counted(same, 'page was', 'pages were')} unchanged." if same else ""
    lost = f" {counted(gone, 'URL')} returned 404 or 410." if gone else ""
    yield f"It fetched {counted(fetched, 'page')}.{unchanged}{lost}"


def _known(numbers: Report) -> Iterator[str]:
    urls, skipped = numbers["urls"], {**numbers["suppressed"]}
    learnt = sum(skipped.pop(rule, 0) for rule in (Rule.PROBE, Rule.STYLESHEET))
    waiting = urls["queued"] + urls["leased"]
    yield (
        f"{counted(urls['discovered'], 'URL')} discovered: {urls['done']:,} done, {urls['failed']:,} failed, "
        f"{waiting:,} waiting, {urls['suppressed'] - learnt:,} skipped"
        f"{f', {learnt:,} requested only to learn about a site' if learnt else ''}."
    )
    for rule, count in list(skipped.items())[:REASONS_SHOWN]:
        because = ":" if count == 1 else ", each because"
        yield f"{counted(count, 'URL')} skipped{because} {meaning_of_rule(rule, rule)}."
    rest = sum(list(skipped.values())[REASONS_SHOWN:])
    if rest:
        yield f"{counted(rest, 'URL')} skipped for other reasons."


def _pages(numbers: Report) -> Iterator[str]:
    pages = numbers["pages"]
    kinds = (
        (pages["duplicates"], "exact copy", "exact copies"),
        (pages["noindex"], "noindex page"),
        (pages["refused"], "rejected page"),
    )
    out = [counted(count, *nouns) for count, *nouns in kinds if count]
    left = f"; not indexed: {enumerated(out)}" if out else ""
    yield f"{counted(pages['stored'], 'page')} stored, {pages['indexed']:,} of them can be found{left}."
