"""What follows from the dates of a sitemap? Pages that changed go first, and one that went may come back.

`lastmod` is what the site says of itself, and some sites write today's date into every line. So it moves pages to
the front and never keeps one from being asked for, unless TRUST_LASTMOD says that these sites are to be believed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawldb.frontier.revisit import Mode
from crawldb.state import PAGE_URGENCY, Kind, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.ended.ledger import Ledger

CURRENT = "lastmod"  # the rule of a page that was not asked for, since it has not changed
_LISTED = "url.id IN (SELECT value FROM json_each(:listed)) AND url.kind = :page"
_COPY = "(SELECT fetched_at FROM page WHERE page.url = url.id)"


def note_dates(ledger: Ledger, sitemap: int, dates: Mapping[int, float | None]) -> None:
    """Keep the dates that a sitemap gives to URLs, by their ids, and let them have their effect on this round."""
    ledger.connection.executemany(
        "UPDATE url SET lastmod = ?2 WHERE id = ?1 AND lastmod IS NOT ?2",
        [(url, lastmod) for url, lastmod in dates.items() if lastmod is not None],
    )
    listed = json.dumps([url for url, lastmod in dates.items() if lastmod is not None])
    _give_another_chance(ledger, sitemap, listed)
    _make_due(ledger, listed)
    ledger.connection.execute(
        f"UPDATE url SET urgency = :urgency WHERE {_LISTED} AND state = :queued AND lastmod > {_COPY}",
        {"listed": listed, "page": Kind.PAGE, "urgency": PAGE_URGENCY, "queued": State.QUEUED},
    )
    # After a change of the policy each page has to be read again, whatever its date.
    if ledger.enrolment.rules.trust_lastmod and ledger.run.same_policy:
        _leave_what_is_current(ledger, sitemap, listed)


def _give_another_chance(ledger: Ledger, sitemap: int, listed: str) -> None:
    """Queue what was given up as gone, where a sitemap says that it changed after it was last asked for."""
    # A URL that is gone and not given up was queued with its round; one that was asked for in this round has had it.
    rows = ledger.connection.execute(
        f"SELECT id, url FROM url WHERE {_LISTED} AND state = :failed AND misses > 0 AND ended_in < :round "
        "AND lastmod > (SELECT max(at) FROM fetch WHERE fetch.url = url.id)",
        {"listed": listed, "page": Kind.PAGE, "failed": State.FAILED, "round": ledger.run.round},
    ).fetchall()
    if not rows:
        return
    ledger.connection.executemany(
        "UPDATE url SET state = ?, due_at = 0, attempts = 0, misses = misses - 1 WHERE id = ?",
        [(State.QUEUED, url) for url, _ in rows],
    )
    reason = "they were given up as gone, and the sitemap lists them with a later date: they are asked for once more"
    ledger.journal.write(sitemap, "second-chance", reason, [url for _, url in rows], count=len(rows))


def _make_due(ledger: Ledger, listed: str) -> None:
    """Let the pages that changed since they were fetched be due, whatever their earlier visits let expect."""
    values = {
        "listed": listed, "page": Kind.PAGE, "queued": State.QUEUED, "done": State.DONE, "round": ledger.run.round,
    }  # fmt: skip
    ledger.connection.execute(f"UPDATE url SET next_at = 0 WHERE {_LISTED} AND lastmod > {_COPY}", values)
    if ledger.run.mode is Mode.DUE:
        ledger.connection.execute(
            "UPDATE url SET state = :queued, due_at = 0, attempts = 0 "
            f"WHERE {_LISTED} AND state = :done AND ended_in < :round AND lastmod > {_COPY}",
            values,
        )


def _leave_what_is_current(ledger: Ledger, sitemap: int, listed: str) -> None:
    """End, for this round, the pages whose stored copy is newer than their date (TRUST_LASTMOD)."""
    rows = ledger.connection.execute(
        f"SELECT id, url FROM url WHERE {_LISTED} AND state = :queued AND attempts = 0 AND lastmod <= {_COPY}",
        {"listed": listed, "page": Kind.PAGE, "queued": State.QUEUED},
    ).fetchall()
    for url, _ in rows:
        ledger.end(url, State.DONE, CURRENT)
    if rows:
        reason = "the stored copies are newer than the dates in the sitemap, and TRUST_LASTMOD is set: not asked for"
        ledger.journal.write(sitemap, CURRENT, reason, [url for _, url in rows], count=len(rows))
