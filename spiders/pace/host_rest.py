"""How long does a host rest? For as long as it asks, within a bound, and by what its pages show.

A host rests when it says that it is busy, for as long as it asks, but not longer than MAX_HOST_REST. 429 and 503 mean
the server and not the page (RFC 6585, 4; RFC 9110, 15.6.4), so the whole host rests; so it does after any answer with a
Retry-After (RFC 9110, 10.2.3 names 3xx as well). Each rest in a row is twice as long as the one before; a good answer
ends the row. One request without an answer may be the fault of the page; two in a row are the fault of the host.

Other pages may speak against a 503: a program behind one URL fails while its server is well. Where the answer to the
last page was good, or a good one still arrives, only that URL waits for as long as it asks, and its host for the first
rest; the next 503, with no good answer between, is the host's. A 429 counts requests and not pages: there nothing
speaks against it. A redirect's Retry-After holds for the request that follows it, wherever that goes.

A robots.txt speaks for its origin, not for its host, which may have other ports. The gate closes the origin for as long
as the answer asks (spiders/robots_gate.py). The host only has the first rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from robots.freshness import doubled
from urls.rules import Rule

MAX_HOST_REST = 3600.0  # seconds: one wrong number must not cost more than an hour of a host's pages
TOO_MANY, UNAVAILABLE = 429, 503
BUSY = frozenset({TOO_MANY, UNAVAILABLE})
# The rules of spiders/lease/outcome.py by which nothing came, or nothing that could be read.
SILENCE = frozenset({Rule.TIMEOUT, Rule.REFUSED_CONNECTION, Rule.DNS, Rule.NETWORK, Rule.TLS, Rule.PROTOCOL})
FIRST_ERROR, FIRST_SERVER_ERROR = 400, 500  # status codes
REDIRECTS = range(300, 400)


@dataclass(frozen=True, slots=True)
class Rest:
    """What an answer means for its host: how many `seconds` it rests (0: none), and its failures in a row so far."""

    seconds: float
    failures: int


@dataclass(frozen=True, slots=True)
class RestBounds:
    """How long a host rests, in seconds: the first time in a row, and at most."""

    first: float = 2.0
    most: float = MAX_HOST_REST


def rest_after_answer(
    status: int, asked: float | None, failures: int, bounds: RestBounds, *, others_answer: bool = False
) -> Rest:
    """Return what an answer means after so many `failures` in a row.

    `asked` are the seconds of its Retry-After; `others_answer`: the host's answer to another page was a good one.
    """
    if others_answer and status != TOO_MANY and status not in REDIRECTS:
        asked = None if asked is None else min(asked, bounds.first)
    if status in BUSY:
        return Rest(min(max(doubled(bounds.first, failures), asked or 0.0), bounds.most), failures + 1)
    failures = failures if status >= FIRST_SERVER_ERROR else 0
    return Rest(min(asked or 0.0, bounds.most), failures)


def rest_after_silence(failures: int, bounds: RestBounds) -> Rest:
    """Return what a request without an answer means after so many `failures` in a row."""
    return Rest(min(doubled(bounds.first, failures - 1), bounds.most) if failures else 0.0, failures + 1)
