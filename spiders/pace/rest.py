"""When is a host left alone, and for how long? When it says that it is busy, and for as long as it asks.

429 and 503 mean the server, not the page (RFC 6585, 4; RFC 9110, 15.6.4), so the whole host rests; and so it does
after any answer with a Retry-After (RFC 9110, 10.2.3 names 3xx as well). Each rest in a row is twice as long as the
one before; a good answer ends the row. One request without an answer may be the page's own fault, two in a row not.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_REST = 24 * 3600.0  # seconds: whoever is busy for longer is asked again tomorrow
BUSY = frozenset({429, 503})
# Rules of spiders/ending.py: nothing came, or nothing that could be read.
SILENCE = frozenset({"timeout", "refused-connection", "dns", "network", "tls", "protocol"})
_MAX_DOUBLINGS = 20  # of the first rest: a million times as long, and over a day for any that makes sense


@dataclass(frozen=True, slots=True)
class Rest:
    """What an answer means for its host: `seconds` to leave it alone (0: none), and its failures in a row from now."""

    seconds: float
    failures: int


def after_answer(status: int, asked: float | None, failures: int, first: float) -> Rest:
    """Return what an answer means after so many `failures` in a row.

    `asked` are the seconds of its Retry-After, `first` those of the first rest.
    """
    if status in BUSY:
        return Rest(min(max(_doubled(first, failures), asked or 0.0), MAX_REST), failures + 1)
    failures = failures if status >= 500 else 0  # noqa: PLR2004 - a server error is no good answer
    return Rest(min(asked or 0.0, MAX_REST), failures)


def after_silence(failures: int, first: float) -> Rest:
    """Return what it means that no answer came, after so many `failures` in a row."""
    return Rest(min(_doubled(first, failures - 1), MAX_REST) if failures else 0.0, failures + 1)


def _doubled(first: float, times: int) -> float:
    return first * 2.0 ** min(times, _MAX_DOUBLINGS)
