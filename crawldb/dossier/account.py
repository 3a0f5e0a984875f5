"""In which order was it decided? Address, discovery, policy, robots.txt, fetch, judgement, journal, and what is next.

Each row is one sentence or two, so that the whole account stands on one screen.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.dossier.record import UNDISCOVERED, UNUSABLE, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.dossier.record import Dossier, StoredPage
    from crawldb.tables.journal import Entry

FETCHES_SHOWN = 3  # of a URL, the newest: the journal below tells about the others
ENTRIES_SHOWN = 6  # of the journal, the newest
SHOWN = 160  # characters of a title, an anchor text or a sample


def account(dossier: Dossier) -> tuple[Row, ...]:
    """Return the rows of a dossier, in the order in which things were decided; the last one is the advice."""
    return tuple(_rows(dossier))


def _rows(dossier: Dossier) -> Iterator[Row]:
    yield from _address(dossier)
    yield from _discovery(dossier)
    if dossier.robots is not None:
        yield Row("robots", _robots(dossier))
    yield from _fetches(dossier)
    if dossier.page is not None:
        yield from _page(dossier, dossier.page)
    yield from _journal(dossier)
    yield Row("state", _state(dossier))
    yield Row("next", dossier.advice)


def _address(dossier: Dossier) -> Iterator[Row]:
    if dossier.canonical is None:
        yield Row("address", f"{dossier.refusal.reason if dossier.refusal else 'it is none'}.")
        return
    if not dossier.steps:
        yield Row("address", "It is in its canonical form, under which it is known.")
    for step in dossier.steps:
        yield Row("address", f"{step.rule[0].upper()}{step.rule[1:]}: {step.after}")


def _discovery(dossier: Dossier) -> Iterator[Row]:
    if dossier.discovered:
        ways = {
            "seed": "It is a seed",
            "submit": "A person submitted it",
            "link": f"Linked from {dossier.found_on}",
            "redirect": f"Redirected to by {dossier.found_on}",
            "refresh": f"Refreshed to by {dossier.found_on}",
        }
        links = "" if not dossier.depth else f", {_count(dossier.depth, 'link')} from a seed"
        yield Row("found", f"{ways.get(dossier.found_by, dossier.found_by)}{links}; {moment(dossier.found_at)}.")
    if dossier.refusal is not None and dossier.canonical is not None:
        verb = "As things stand it is refused" if dossier.discovered else "It would not be fetched"
        yield Row("policy", f"{verb} ({dossier.refusal.rule}): {dossier.refusal.reason}.")
    elif dossier.state == UNDISCOVERED:
        yield Row("policy", "Nothing speaks against it: a link or a person would bring it into the crawl.")


def _robots(dossier: Dossier) -> str:
    answer = dossier.robots
    if answer is None or answer.allowed is None:
        return "Its robots.txt was never asked for; that is the first thing a crawl would do."
    word = "Allowed" if answer.allowed else "Disallowed"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    return f"{word} for {answer.agent}{by} ({answer.reason}); {answer.address}, {moment(answer.fetched_at)}."


def _fetches(dossier: Dossier) -> Iterator[Row]:
    for fetch in dossier.fetches[:FETCHES_SHOWN]:
        status = "no answer" if fetch.status is None else str(fetch.status)
        size = f", {fetch.size:,} bytes" if fetch.size else ""
        yield Row("fetched", f"{moment(fetch.at)}: {status} ({fetch.rule}){size} in {fetch.seconds:.2f} s.")
    more = len(dossier.fetches) - FETCHES_SHOWN
    if more > 0:
        yield Row("", f"and {more} times before that.")
    if dossier.moved_to:
        yield Row("moved", f"It leads to {dossier.moved_to}")


def _page(dossier: Dossier, page: StoredPage) -> Iterator[Row]:
    language = f"language {page.language}" if page.language else "language not known"
    yield Row(
        "page",
        f"“{page.title[:SHOWN] or 'without a title'}”: {_count(page.words, 'word')}, {language}, "
        f"{_count(page.links, 'link')} of which {page.off_site} off site.",
    )
    if page.anchors:
        yield Row("", "Others link to it as " + ", ".join(f"“{text[:SHOWN]}”" for text in page.anchors[:5]) + ".")
    for refusal in page.refusals:
        yield Row("judged", f"Not in the index ({refusal.rule}): {refusal.reason}.")
    copied = dossier.duplicate_of or dossier.near_duplicate_of
    if copied:
        yield Row("", f"{'A copy' if dossier.duplicate_of else 'Nearly a copy'} of {copied}")
    if page.indexed:
        yield Row("judged", "Worth keeping: nothing speaks against it being in the index.")
    for warning in page.warnings:
        yield Row("", f"The parse warned: {warning}.")


def _journal(dossier: Dossier) -> Iterator[Row]:
    told = {(refusal.rule, refusal.reason) for refusal in (dossier.page.refusals if dossier.page else ())}
    # Newest last, each rule and reason once: a retry or a block says the same again.
    said = {(entry.rule, entry.reason): entry for entry in dossier.journal}
    entries = [entry for key, entry in said.items() if key not in told]
    if len(entries) > ENTRIES_SHOWN:
        yield Row("journal", f"{len(entries) - ENTRIES_SHOWN} older entries are left out; --json has them.")
    for entry in entries[-ENTRIES_SHOWN:]:
        yield Row("journal", _entry(entry, dossier))


def _entry(entry: Entry, dossier: Dossier) -> str:
    where = ""
    if entry.samples and entry.url == dossier.canonical and dossier.moved_to not in entry.samples:
        where = f" {_count(entry.count, 'link')} of it, such as {entry.samples[0][:SHOWN]}."
    elif entry.url and entry.url != dossier.canonical:
        where = f" Found on {entry.url}."
    return f"{moment(entry.at)}: {entry.rule}: {entry.reason}.{where}"


def _state(dossier: Dossier) -> str:
    if dossier.state == UNUSABLE:
        return "Unusable: this is no address that can be fetched."
    if dossier.state == UNDISCOVERED:
        return "Not discovered: the crawl has never met this URL."
    how = f" ({dossier.rule})" if dossier.rule else ""
    wait = dossier.due_at - time.time()
    due = f", due in {wait:.0f} s" if dossier.state == "queued" and wait > 0 else ""
    return f"{dossier.state.capitalize()}{how}{due}."


def moment(seconds: float | None) -> str:
    """Return a time as "2026-11-21 05:30 UTC"."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds)) if seconds else "at a time not noted"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
