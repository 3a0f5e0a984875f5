"""Was any URL asked for twice? In a round of our own crawl never, apart from journaled retries.

The rule for the fetch log: a URL is asked for again in its round only after a request that failed in a way that a retry
may mend, and whose retry the journal has. The rule for logs of others, which show no rounds: only after an answer that
lets one try again (none, 408, 429, 499, 5xx), or where the answer is 304, as to a revisit that remembers the page.
A robots.txt may be asked for again whenever its copy is too old.
"""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from crawldb.audit.record import Tally

if TYPE_CHECKING:
    from crawldb.audit.record import Finding, Form, Visit

MAX_URLS = 2_000_000  # told apart, in some 250 MB
TOO_MANY = f"the audit tells {MAX_URLS:,} URLs apart, and this is another one"
_DIGEST = 8  # bytes: among a million URLs two share one with a chance of 1 in 36 million
_CLIENT_CLOSED = 499  # nginx: the robot went before an answer came
_RETRIED = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS, _CLIENT_CLOSED})


def may_be_asked_again(status: int | None) -> bool:
    """Say whether an answer with this status lets the URL be asked for again at once."""
    return status is None or status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR


class Once:
    """The claim, for visits in the order of their starts."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._round = 0
        self._urls = 0
        self._latest: dict[int, int] = {}  # by digest of the URL: place, negative where a retry may follow
        self._tally = Tally()

    def see(self, visit: Visit) -> None:
        """Take the next visit."""
        if visit.robots:
            return
        if visit.round != self._round:
            self._round = visit.round
            self._latest.clear()
        digest = hashlib.blake2b(visit.url.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
        key = int.from_bytes(digest, "big")
        before = self._latest.get(key)
        if before is None:
            if len(self._latest) >= MAX_URLS:
                self._tally.doubt(TOO_MANY)
                return
            self._urls += 1
        elif before > 0 and (self._form.rounds or visit.status != HTTPStatus.NOT_MODIFIED):
            where = f" in round {visit.round}" if self._form.rounds else ""
            self._tally.violation(visit, f"asked for already{where}, by {self._form.unit} {before}")
        self._latest[key] = -visit.place if visit.again else visit.place

    def finding(self) -> Finding:
        """Return how the claim ends."""
        if self._form.rounds:
            claim, kept = "no URL twice a round", "once a round, apart from journaled retries"
        else:
            claim, kept = "no URL twice", "once, apart from retries and revisits answered 304"
        return self._tally.finding("once", claim, f"{self._urls:,} URLs, each asked for {kept}")
