"""What has each pattern of URLs brought? One row a site and pattern, and the lines that its pages have had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.frontier.traps import Pattern
    from crawldb.page import Page

NEW_LINES_KEPT = 32  # of a page: what it has beyond them stays new for the next page that shows it
_AT_A_TIME = 500  # values in one statement


@dataclass(frozen=True, slots=True)
class Account:
    """The account of one pattern: what it has cost and brought so far."""

    id: int
    urls: int = 0
    fresh: int = 0
    wasted: int = 0
    barren: int = 0  # wasted pages that no fresh one has made up for
    closed: str | None = None  # why nothing more of it is asked for
    exempt: bool = False


class Patterns:
    """Reads and writes the accounts of patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection

    def account(self, site: int, pattern: Pattern) -> Account | None:
        """Return the account of a pattern of `site`, or None where it has none yet."""
        row = self._connection.execute(
            "SELECT id, urls, fresh, wasted, barren, closed, exempt FROM pattern WHERE site = ? AND pattern = ?",
            (site, pattern.name),
        ).fetchone()
        if row is None:
            return None
        identity, urls, fresh, wasted, barren, closed, exempt = row
        return Account(identity, urls, fresh, wasted, barren, closed, exempt=bool(exempt))

    def open(self, site: int, pattern: Pattern) -> Account:
        """Return the account of a pattern, which begins where there was none."""
        account = self.account(site, pattern)
        if account is not None:
            return account
        cursor = self._connection.execute(
            "INSERT INTO pattern (site, pattern, kind) VALUES (?, ?, ?)", (site, pattern.name, pattern.kind)
        )
        return Account(int(cursor.lastrowid or 0))

    def count_url(self, account: int) -> None:
        """Note that one more URL was accepted."""
        self._connection.execute("UPDATE pattern SET urls = urls + 1 WHERE id = ?", (account,))

    def has_news(self, account: int, marks: Sequence[int]) -> bool:
        """Remember the lines of a page; return whether one of them is new to the pattern."""
        known: set[int] = set()
        for start in range(0, len(marks), _AT_A_TIME):
            part = marks[start : start + _AT_A_TIME]
            places = ", ".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT mark FROM pattern_line WHERE pattern = ? AND mark IN ({places})", (account, *part)
            )
            known.update(mark for (mark,) in rows)
        new = [mark for mark in marks if mark not in known]
        kept = [(account, mark) for mark in new[:NEW_LINES_KEPT]]
        self._connection.executemany("INSERT INTO pattern_line VALUES (?, ?)", kept)
        return bool(new)

    def note(self, account: int, page: Page, *, fresh: bool, counts: bool = True) -> int:
        """Enter a page into its account; return how many wasted ones that count no fresh one has made up for by now."""
        if fresh:
            (barren,) = self._connection.execute(
                "UPDATE pattern SET fresh = fresh + 1, barren = barren / 2 WHERE id = ? RETURNING barren", (account,)
            ).fetchone()
            return int(barren)
        (barren,) = self._connection.execute(
            "UPDATE pattern SET wasted = wasted + 1, barren = barren + ?, wasted_bytes = wasted_bytes + ?, "
            "wasted_seconds = wasted_seconds + ? WHERE id = ? RETURNING barren",
            (counts, len(page.body), page.seconds, account),
        ).fetchone()
        return int(barren)

    def close(self, account: int, reason: str) -> None:
        """Let nothing more of a pattern be asked for."""
        self._connection.execute("UPDATE pattern SET closed = ? WHERE id = ?", (reason, account))

    def hold(self, account: int, urls: Sequence[int]) -> None:
        """Remember which suppressed URLs wait for their pattern."""
        self._connection.executemany("INSERT OR REPLACE INTO trapped VALUES (?, ?)", [(url, account) for url in urls])

    def held(self, account: int, rule: str, limit: int) -> list[tuple[int, str]]:
        """Return ids and addresses of the first `limit` URLs of a pattern that a rule holds back."""
        return self._connection.execute(
            "SELECT url.id, url.url FROM trapped JOIN url ON url.id = trapped.url "
            "WHERE pattern = ? AND url.state = 4 AND url.rule = ? ORDER BY trapped.url LIMIT ?",
            (account, rule, limit),
        ).fetchall()
