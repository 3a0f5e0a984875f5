"""How long does an answer hold? A day, or what the server's cache headers say, between five minutes and a day.

RFC 9309 (2.4) asks for no more than 24 hours. The floor is ours: a robots.txt that may not be kept at all would
double every request. A closed site is tried again when it asks for it (Retry-After, RFC 9110, 10.2.3), else sooner
after 503 and 429, which promise an end, than after other failures.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_LIFETIME: Final = 5 * 60.0  # seconds
MAX_LIFETIME: Final = 24 * 3600.0  # seconds; RFC 9309, 2.4
RETRY_SOON: Final = 5 * 60.0  # seconds; after 503 and 429
RETRY: Final = 30 * 60.0  # seconds; after every other failure
MIN_RETRY: Final = 10.0  # seconds; "Retry-After: 0" must not become a tight loop
MAX_RETRY: Final = 24 * 3600.0  # seconds; a header must not shut a site out for good

_MAX_DIGITS: Final = 12  # of a number of seconds: 30,000 years
_SOON: Final = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS})


def lifetime_of(headers: Sequence[tuple[str, str]], now: datetime) -> float:
    """Give the seconds for which an answer with these headers holds (RFC 9111, 4.2.1). `now` has a time zone."""
    stated = _max_age(headers)
    if stated is None and (expires := _header(headers, "expires")) is not None:
        until, since = http_date(expires), http_date(_header(headers, "date") or "")
        # A date that cannot be read, such as "0", means: already expired (RFC 9111, 5.3).
        stated = (until - (since or now)).total_seconds() if until else 0.0
    return MAX_LIFETIME if stated is None else min(max(stated, MIN_LIFETIME), MAX_LIFETIME)


def retry_after_of(status: int, headers: Sequence[tuple[str, str]], now: datetime) -> float:
    """Give the seconds until a closed site is tried again. `now` has a time zone."""
    stated = (_header(headers, "retry-after") or "").strip()
    seconds = _whole_number(stated)
    if seconds is None and (until := http_date(stated)) is not None:
        seconds = (until - now).total_seconds()
    if seconds is None:
        return RETRY_SOON if status in _SOON else RETRY
    return min(max(seconds, MIN_RETRY), MAX_RETRY)


def http_date(text: str) -> datetime | None:
    """Read an HTTP date in any of its three forms (RFC 9110, 5.6.7); None for what is no date."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _max_age(headers: Sequence[tuple[str, str]]) -> float | None:
    """Give the max-age of Cache-Control; 0 where the answer may not be kept; None where nothing is said."""
    stated = None
    for directive in (part for name, value in headers if name.lower() == "cache-control" for part in value.split(",")):
        name, _, value = (word.strip().strip('"').lower() for word in directive.partition("="))
        if name in {"no-store", "no-cache"}:
            return 0.0
        if name == "max-age" and stated is None:
            stated = _whole_number(value)
    return stated


def _header(headers: Sequence[tuple[str, str]], name: str) -> str | None:
    return next((value for field, value in headers if field.lower() == name), None)


def _whole_number(text: str) -> float | None:
    return float(text[:_MAX_DIGITS]) if text.isascii() and text.isdigit() else None
