"""What happened, in sentences? The numbers of a crawl as somebody would tell them who was there."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from frontier.rounds import BY_ITSELF
from reports.trap_report import harms_in_words
from reports.wording import counted, duration, meaning_of_rule, moment, size
from urls.rules import Rule
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reports.needs import Need
    from reports.numbers import Report

REASONS_TOLD = 3  # of what was never asked for: the most frequent ones


def happenings(numbers: Report) -> list[str]:
    """Return what a crawl did, the newest run first, a sentence each; every number in them stands in the report."""
    told = [*_last_run(numbers["last_run"])] if numbers["last_run"] else []
    return [*told, *_known(numbers), *_pages(numbers), *_harms(numbers)]


def in_plain_words(numbers: Report, needs: Sequence[Need]) -> dict[str, Any]:
    """Return what happened and what needs a person, for `json.dumps`."""
    return {"happened": happenings(numbers), "needs_you": [asdict(need) for need in needs]}


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
