"""Why did something not happen? The journal has a row for each rejection, retry and repair, with its rule and reason.

Rejections of one rule on one page share a row for each reason, with a count and ten samples: a page of 5,000 trap links
must not become 5,000 rows. From the eleventh reason on they share one row, which has the meaning of the rule. A page
that disappears without a reason is the worst fault of a search engine.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from crawldb.database import stored_json
from urls.canonical import mask_credentials, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase
    from robots import Notice
    from urls.rules import Rule

SAMPLES = 10  # URLs that a row keeps
REASONS = 10  # of one rule on one page, that have a row each
SAMPLE_LENGTH = 200  # characters of each: a 70 kB URL is refused, not copied


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A row of the journal: `url` is what it is about, or the page on which `samples` were found."""

    at: float
    rule: str  # a Rule, or the word of a notice about a robots.txt
    reason: str
    count: int = 1
    samples: tuple[str, ...] = ()
    url: str = ""


_Refused = TypeVar("_Refused", bound="tuple[str, str] | tuple[str, str, int | None]")


def by_reason(rule: Rule, refused: Iterable[_Refused]) -> dict[str, list[_Refused]]:
    """Return what a rule has refused, each a URL with its reason, by the reasons that have a row of their own."""
    found: dict[str, list[_Refused]] = {}
    for each in refused:
        reason = each[1] if each[1] in found or len(found) < REASONS else rule.meaning
        found.setdefault(reason, []).append(each)
    return found


class Journal:
    """Writes journal rows within the caller's transaction, and reads them."""

    def __init__(self, database: CrawlDatabase, run: int | None = None) -> None:
        self._database = database
        self.run = run

    def write(
        self, url: int | None, rule: Rule, reason: str, urls: Sequence[str] = (), *, count: int | None = None
    ) -> int:
        """Add a row about the URL with id `url` and return the row's id; `urls` are sampled, and counted."""
        return self._write(url, rule, reason, urls, (len(urls) or 1) if count is None else count)

    def add(self, row: int, count: int) -> None:
        """Count more of the same in a row that was written before."""
        self._database.connection.execute("UPDATE journal SET count = count + ? WHERE id = ?", (count, row))

    def write_notice(self, origin: str, notice: Notice, urls: Sequence[str] = ()) -> int:
        """Add a row about the robots.txt of an origin, and return the row's id.

        The words of notices ("robots.503") belong to `robots/`, which knows no Rule: some of them name a status.
        """
        return self._write(None, notice.rule, f"{origin}: {notice.reason}", urls, 1)

    def _write(self, url: int | None, rule: str, reason: str, urls: Sequence[str], count: int) -> int:
        shown = [without_credentials(mask_credentials(sample))[:SAMPLE_LENGTH] for sample in urls[:SAMPLES]]
        samples = json.dumps(shown, ensure_ascii=False)
        cursor = self._database.connection.execute(
            "INSERT INTO journal (run, at, url, rule, reason, count, samples) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.run, time.time(), url, rule, without_credentials(reason), count, samples),
        )
        return int(cursor.lastrowid or 0)

    def counted_between(self, rule: Rule, after: float, until: float) -> int:
        """Return what the rows of a rule count together that were written between two times."""
        sql = "SELECT coalesce(sum(count), 0) FROM journal WHERE rule = ? AND at > ? AND at <= ?"
        return self._database.count(sql, rule, after, until)

    def rows_between(self, rule: Rule, after: float, until: float, *, begins: str = "") -> int:
        """Return how many rows of a rule were written between two times, whose reasons begin so."""
        sql = "SELECT count(*) FROM journal WHERE rule = ? AND at > ? AND at <= ? AND substr(reason, 1, ?) = ?"
        return self._database.count(sql, rule, after, until, len(begins), begins)

    def about(self, url: int) -> list[JournalEntry]:
        """Return the rows that explain one URL, oldest first: those about it, and the one that suppressed it."""
        which = "WHERE url = ?1 OR id = (SELECT journal FROM explanation WHERE url = ?1) ORDER BY id"
        return _entries(self._database, which, url)

    def latest(self, limit: int = 50, rule: str = "") -> list[JournalEntry]:
        """Return the newest rows, newest first; with `rule`, those of one rule."""
        return _entries(self._database, "WHERE ? IN ('', rule) ORDER BY id DESC LIMIT ?", rule, limit)


class GrowingRows:
    """Rows about one URL that several transactions write on: one for each rule and reason, with the whole count."""

    def __init__(self, journal: Journal, url: int | None) -> None:
        self._journal = journal
        self._url = url
        self._rows: dict[tuple[Rule, str], int] = {}

    def write(self, rule: Rule, reason: str, urls: Sequence[str]) -> int:
        """Begin a row, or count `urls` in the one that there is; return its id."""
        if (rule, reason) not in self._rows and sum(known is rule for known, _ in self._rows) >= REASONS:
            reason = rule.meaning
        row = self._rows.get((rule, reason))
        if row is None:
            row = self._rows[rule, reason] = self._journal.write(self._url, rule, reason, urls)
        else:
            self._journal.add(row, len(urls))
        return row


def reasons_of_run(database: CrawlDatabase, run: int, rule: str) -> list[str]:
    """Return the reasons that a run wrote for a rule, the oldest first, each behind the URL that it is about."""
    sql = (
        "SELECT coalesce(url.url || ': ', '') || reason FROM journal LEFT JOIN url ON url.id = journal.url "
        "WHERE run = ? AND journal.rule = ? ORDER BY journal.id"
    )
    return database.column(sql, run, rule)


def distinct_reasons(database: CrawlDatabase, run: int, rule: str, words: str) -> list[str]:
    """Return the different reasons that a run wrote for a rule, and that have these words in them."""
    sql = "SELECT DISTINCT reason FROM journal WHERE run = ? AND rule = ? AND instr(reason, ?) ORDER BY reason"
    return database.column(sql, run, rule, words)


def sites_with_reason(database: CrawlDatabase, run: int, words: str) -> set[int]:
    """Return the ids of the sites of which a run wrote a reason that has these words in it."""
    sql = "SELECT DISTINCT url.site FROM journal JOIN url ON url.id = journal.url WHERE run = ? AND instr(reason, ?)"
    return set(database.column(sql, run, words))


def entries_naming(database: CrawlDatabase, url: str, limit: int) -> tuple[JournalEntry, ...]:
    """Return the rows with a URL among their samples, which has no row of its own: a link refused as it stood."""
    sample = url[:SAMPLE_LENGTH]
    which = "WHERE EXISTS (SELECT 1 FROM json_each(samples) WHERE value = ?) ORDER BY id LIMIT ?"
    return tuple(replace(entry, samples=(sample,)) for entry in _entries(database, which, sample, limit))


def _entries(database: CrawlDatabase, which: str, *parameters: object) -> list[JournalEntry]:
    """Return the rows that the end of a query chooses."""
    rows = database.connection.execute(
        "SELECT at, rule, reason, count, samples, coalesce((SELECT url FROM url WHERE id = journal.url), '') "
        f"FROM journal {which}",
        parameters,
    )
    return [
        JournalEntry(at, rule, reason, count, tuple(stored_json(samples, list)), url)
        for at, rule, reason, count, samples, url in rows
    ]
