"""How are all stored pages read again without loss after a kill? In slices, each a transaction with its progress.

A trial does exactly the same in one transaction, and undoes it at the end. Its tally shows what would happen.

Which differences are there between two records of one page? By kind: verdict, title, text, language …
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.pages.feed import Feed
from crawldb.visited import find
from extensions.reparse.tables import Rereading
from urls.records import Page
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager

    from crawldb.database import CrawlDatabase
    from extensions.reparse.readers import PageReading, Readers
    from extensions.reparse.tables import Place
    from frontier.writer import CrawlWriter
    from pipelines.review import PageReview, RefilteredPage


# Fields from the fetch, other data of the database, and fields that only make pages comparable.
_NOT_READ = frozenset(
    {
        *("url", "fetched_at", "status", "etag", "last_modified", "body", "headers", "seconds"),
        *("anchors", "links", "links_cut", "base", "refresh", "outdated_at"),
        *("fingerprint", "signature", "refusals", "duplicate_of", "near_duplicate_of", "cluster", "resemblance"),
    }
)
_COMPARED = tuple(field.name for field in fields(Page) if field.name not in _NOT_READ)
MAX_PARTS = 3  # of a changed text that are shown
MAX_PART = 100  # characters of each
MAX_WORDS = 2000  # of a text whose changed parts are looked for


def differences(found: RefilteredPage) -> dict[str, tuple[str, str]]:
    """Return the old and the new value in words, by the kind of the difference."""
    before, after = found.before, found.after
    changes: dict[str, tuple[str, str]] = {}
    if _verdict(before) != _verdict(after):
        changes["verdict" if _rules(before) != _rules(after) else "reason"] = _verdict(before), _verdict(after)
    for name in _COMPARED:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            changes[name] = parts_that_differ(_in_words(old), _in_words(new))
    if found.stored.gained or found.stored.lost:
        changes["links"] = " ".join(sorted(found.stored.lost)), " ".join(sorted(found.stored.gained))
    if not changes:  # no visible difference: another way to compare pages
        changes["fingerprint"] = _made_comparable(before), _made_comparable(after)
        if before.fingerprint == after.fingerprint:
            changes = {"cluster": ("it says nearly what some pages say", "others, or none, by the rules of now")}
    return changes


def _rules(page: Page) -> list[str]:
    return [refusal.rule for refusal in page.refusals]


def _made_comparable(page: Page) -> str:
    return page.fingerprint.hex() or "no fingerprint"


def _verdict(page: Page) -> str:
    if not page.refusals:
        return "in the index"
    return "; ".join(f"refused ({refusal.rule}): {refusal.reason}" for refusal in page.refusals)


def _in_words(value: object) -> str:
    if isinstance(value, tuple):
        return " · ".join(map(_in_words, value))
    return "" if value is None else str(value)


def parts_that_differ(before: str, after: str) -> tuple[str, str]:
    """Return two texts, or the first parts in which two long ones differ."""
    if max(len(before), len(after)) <= MAX_PART:
        return before, after
    old, new = before.split()[:MAX_WORDS], after.split()[:MAX_WORDS]
    parts = list(_parts(old, new))
    shown = parts[:MAX_PARTS] or [("", "")]
    sides = (" … ".join(part[side] for part in shown if part[side]) for side in (0, 1))
    more = f" (and {len(parts) - MAX_PARTS} more places)" if len(parts) > MAX_PARTS else ""
    was, now = (f"{side}{more}" for side in sides)
    return was, now


def _parts(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if kind != "equal":
            yield _short(" ".join(old[start:stop])), _short(" ".join(new[begin:end]))


def _short(text: str) -> str:
    return text if len(text) <= MAX_PART else f"{text[: MAX_PART - 1]}…"


SLICE = 200  # pages of a transaction: half a second, in which a person's `block` waits
SLICE_BYTES = 16 * 1024 * 1024  # … or so many bytes of bodies


@dataclass(frozen=True, slots=True)
class Chosen:
    """The pages to read: ids of their URLs, None for all; `sample` of these, 0 for all."""

    version: str  # of the rules and of this choice
    pages: Collection[int] | None = None
    sample: int = 0


@dataclass(slots=True)
class ReparseTally:
    """The results so far."""

    total: int = 0  # pages to be read
    before: int = 0  # of these, read by an earlier start that did not finish
    read: int = 0
    changed: int = 0
    discovered: int = 0  # URLs that are new to the crawl
    others: int = 0  # pages that changed because another one did, such as copies
    complete: bool = False
    faults: list[tuple[str, str]] = field(default_factory=list)  # URL, what was wrong
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)  # kind: (URL, before, after)


class _UndoneError(Exception):
    """A trial is over."""


class ReparseRun:
    """Reads and filters the stored pages of one database again. `shown` is the number of examples of a kind."""

    def __init__(self, writer: CrawlWriter, review: PageReview, shown: int = 3) -> None:
        self._writer = writer
        self._review = review
        self._shown = shown
        self._database: CrawlDatabase = writer.database
        self._feed = Feed(writer.database)
        self._list = Rereading(self._database)
        self._changed: set[str] = set()
        self.tally = ReparseTally()

    def apply(self, chosen: Chosen, readers: Readers, go_on: Callable[[ReparseTally], bool]) -> ReparseTally:
        """Read the chosen pages and store the changes. `go_on` gets each slice, and may end the run there."""
        self._all(self._writer.transaction, chosen, readers, go_on)
        return self.tally

    def try_out(self, chosen: Chosen, readers: Readers, go_on: Callable[[ReparseTally], bool]) -> ReparseTally:
        """Do what `apply` does, and undo it: the tally shows what would change."""
        with suppress(_UndoneError), self._writer.transaction():
            self._list.end()  # the pages that a killed run has left come back with the rest
            self._all(nullcontext, chosen, readers, go_on)
            raise _UndoneError
        return self.tally

    def _all(
        self,
        begin: Callable[[], AbstractContextManager[None]],
        chosen: Chosen,
        readers: Readers,
        go_on: Callable[[ReparseTally], bool],
    ) -> None:
        newest = self._feed.last()
        with begin():
            self._list.begin(chosen.version, chosen.pages, chosen.sample)
        self.tally.total, left, changed = self._list.counts
        self.tally.before, self.tally.changed = self.tally.total - left, changed
        for readings in _slices(readers.read(self._database.path.parent, self._places())):
            with begin():
                changed = sum(self._one(reading) for reading in readings)
                self._list.done(readings[-1].place.place, changed)
            self.tally.read += len(readings)
            self.tally.changed += changed
            if not go_on(self.tally):
                return
        with begin():
            self._writer.pages_again.settle_copies()
            self._list.end()
        changed_urls = {find(self._database.connection, url) for url in self._changed}
        self.tally.others = len(self._feed.urls_after(newest) - changed_urls)
        self.tally.complete = True

    def _places(self) -> Iterator[Place]:
        last = 0
        while places := self._list.after(last):
            yield from places
            last = places[-1].place

    def _one(self, reading: PageReading) -> bool:
        """Filter and store one page; return whether it has changed."""
        url = reading.place.url
        if reading.fault:
            self._note_fault(url, reading.fault)
        found = self._judge(reading.page) if reading.page else None
        if found is None:
            return False
        self._changed.add(url)
        self.tally.discovered += found.stored.discovered
        for kind, (was, now) in differences(found).items():
            self.tally.kinds[kind] += 1
            examples = self.tally.examples.setdefault(kind, [])
            if len(examples) < self._shown:
                examples.append((url, was, now))
        return True

    def _judge(self, page: Page) -> RefilteredPage | None:
        try:
            with self._database.savepoint():
                return self._review.refilter(page)
        except (DatabaseError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 - a filter's fault leaves its page as it was, and is recorded
            self._writer.rolled_back()
            self._note_fault(page.url, f"{type(error).__name__}: {str(error)[:200]}")
            return None

    def _note_fault(self, url: str, fault: str) -> None:
        self.tally.faults.append((url, fault))
        why = f"it could not be read and judged again, and stays as it was: {fault}"
        self._writer.journal.write(find(self._database.connection, url), Rule.FAULT, why)


def _slices(readings: Iterator[PageReading]) -> Iterator[list[PageReading]]:
    taken: list[PageReading] = []
    size = 0
    for reading in readings:
        taken.append(reading)
        size += reading.page.size if reading.page else 0
        if len(taken) == SLICE or size >= SLICE_BYTES:
            yield taken
            taken, size = [], 0
    if taken:
        yield taken
