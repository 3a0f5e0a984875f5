"""How long does an answer hold? A day, or what the server's cache headers say, between five minutes and a day.

RFC 9309 (2.4) recommends no more than 24 hours. The floor is ours: a robots.txt that may not be kept at all would
double every request. A closed site is tried again when its Retry-After says so (RFC 9110, 10.2.3). Without Retry-After,
it is tried again sooner after 503 and 429, which are temporary, than after other failures. Each failure in a row
doubles the wait.

This module reads these headers for every response: dates, Retry-After, and validators. A conditional request sends the
validators back to the server, to learn whether the file has changed (RFC 9110, 8.8).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_LIFETIME: Final = 5 * 60.0  # seconds
MAX_LIFETIME: Final = 24 * 3600.0  # seconds; RFC 9309, 2.4
MAX_KEPT: Final = 7 * 24 * 3600.0  # seconds; draft of 1996, 3.4: a copy is not used for longer, whatever max-age says
RETRY_SOON: Final = 5 * 60.0  # seconds; after 503 and 429
RETRY: Final = 30 * 60.0  # seconds; after every other failure
MIN_RETRY: Final = 10.0  # seconds; "Retry-After: 0" must not become a tight loop
MAX_RETRY: Final = 24 * 3600.0  # seconds; a header must not shut a site out for good

MAX_VALIDATOR_CHARS: Final = 1000  # of an entity tag or a date that is sent back; real ones have under 100
# RFC 9110, 8.8.3, without the octets over 0x7F, which no library sends as they came. An unquoted `*` would match all.
_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+")
_MAX_DIGITS: Final = 12  # of a number of seconds: 30,000 years
_MAX_DOUBLINGS: Final = 20  # a million times as long, and over a day for any first wait that makes sense
_SOON: Final = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS})


def lifetime_of(headers: Sequence[tuple[str, str]], now: datetime) -> float:
    """Return the seconds for which a response with these headers holds (RFC 9111, 4.2.1). `now` has a time zone."""
    stated = _stated(headers, now)
    return MAX_LIFETIME if stated is None else min(max(stated, MIN_LIFETIME), MAX_LIFETIME)


def kept_for(headers: Sequence[tuple[str, str]], now: datetime) -> float:
    """Return the seconds for which a copy may stand in while there is no newer one; 0 where the server says nothing."""
    return min(max(_stated(headers, now) or 0.0, 0.0), MAX_KEPT)


def _stated(headers: Sequence[tuple[str, str]], now: datetime) -> float | None:
    stated = _max_age(headers)
    if stated is None and any(name.lower() == "expires" for name, _ in headers):
        until, since = http_date(first_header(headers, "expires")), http_date(first_header(headers, "date"))
        # A date that cannot be read, such as "0", means: already expired (RFC 9111, 5.3).
        stated = (until - (since or now)).total_seconds() if until else 0.0
    return stated


def retry_after(value: str, now: float) -> float | None:
    """Return the seconds of a Retry-After header, at most a day; None if it can't be read.

    `now` is in seconds since the epoch.
    """
    value = value.strip()
    seconds = _whole_number(value)
    if seconds is None and (until := http_date(value)) is not None:
        seconds = until.timestamp() - now
    return None if seconds is None else min(max(seconds, 0.0), MAX_RETRY)


def asked_wait(headers: Sequence[tuple[str, str]], now: datetime) -> float | None:
    """Return the seconds that a response wants us to wait; None if it has no Retry-After."""
    return retry_after(first_header(headers, "retry-after"), now.timestamp())


def first_wait(status: int) -> float:
    """Return the seconds until the next try of a site that failed once, without a Retry-After."""
    return RETRY_SOON if status in _SOON else RETRY


def backed_off(wait: float, failures: int, *, asked: bool = False) -> float:
    """Return the seconds until the next try after so many failures in a row: doubled each time, a day at most.

    A wait from the server (`asked`) is not doubled, but it is never shorter than our own shortest wait.
    """
    return min(max(wait, doubled(MIN_RETRY, failures - 1)) if asked else doubled(wait, failures - 1), MAX_RETRY)


def doubled(first: float, times: int) -> float:
    """Return `first` after it was doubled so many times; from the twentieth time on it stays as it is."""
    return first * 2.0 ** min(times, _MAX_DOUBLINGS)


def http_date(text: str) -> datetime | None:
    """Read an HTTP date in any of its three forms (RFC 9110, 5.6.7); return None for what is no date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - commands without a date start 7 ms sooner

    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def first_header(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return the value of the first header of that name (given in lower case), or an empty string."""
    return next((value.strip(" \t") for key, value in headers if key.lower() == name), "")


def validator(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return an ETag or a Last-Modified to send back at the next visit; one that can't be valid is as good as none.

    So is a date not before that of the response: another change within that second has the same (RFC 9110, 8.8.2.2).
    """
    value = first_header(headers, name)
    answered = http_date(first_header(headers, "date")) if name == "last-modified" else None
    modified = http_date(value) if answered else None
    is_weak = modified is not None and answered is not None and modified >= answered
    return value if _CAN_BE_VALID[name](value) and not is_weak else ""


def _is_entity_tag(value: str) -> bool:
    return len(value) <= MAX_VALIDATOR_CHARS and _ENTITY_TAG.fullmatch(value) is not None


def _is_date(value: str) -> bool:
    return (
        len(value) <= MAX_VALIDATOR_CHARS and _PRINTABLE.fullmatch(value) is not None and http_date(value) is not None
    )


_CAN_BE_VALID: Final = MappingProxyType({"etag": _is_entity_tag, "last-modified": _is_date})


def conditional_headers(etag: str, last_modified: str) -> dict[str, str]:
    """Return the headers that request a full response only if something has changed (RFC 9110, 13.1)."""
    headers = {}
    if _is_entity_tag(etag):  # an earlier version may have stored another
        headers["If-None-Match"] = etag
    if _is_date(last_modified):
        headers["If-Modified-Since"] = last_modified
    return headers


def _max_age(headers: Sequence[tuple[str, str]]) -> float | None:
    """Return the max-age of Cache-Control; 0 if the response may not be kept; None if there is no such header."""
    stated = None
    for directive in (part for name, value in headers if name.lower() == "cache-control" for part in value.split(",")):
        name, _, value = (word.strip().strip('"').lower() for word in directive.partition("="))
        if name in {"no-store", "no-cache"}:
            return 0.0
        if name == "max-age" and stated is None:
            stated = _whole_number(value)
    return stated


def _whole_number(text: str) -> float | None:
    return float(text[:_MAX_DIGITS]) if text.isascii() and text.isdigit() else None
