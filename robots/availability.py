"""What does an answer to GET /robots.txt mean? Use this file, no limits, keep out, or ask elsewhere (RFC 9309, 2.3.1).

A server in trouble must not be mistaken for an open one: 5xx, 429, half a file and no answer at all close the site
until a later try. A server that plainly has no file (4xx) opens it, and the body of its error page is never parsed.
What several answers mean together, one after the other, is told in `standing.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from robots.file import ROBOTS_PATH, RobotsFile, parse
from robots.freshness import MIN_RETRY, RETRY, asked_wait, first_wait, lifetime_of
from robots.lines import MAX_ROBOTS_BYTES, to_utf8
from robots.normal_form import path_of
from robots.origin import origin_of
from robots.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

MAX_REDIRECTS: Final = 5  # hops; RFC 9309, 2.3.1.2: at least five, then as if there were no file
DENIALS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})  # the texts of 1996: keep out altogether
_SUCCESS, _REDIRECT, _CLIENT_ERROR = 2, 3, 4  # the first digit of a status code
_WITHOUT_BODY: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT})
_SHOWN: Final = 200  # characters of an address in a reason
_USERINFO: Final = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2})[^/\\?#]*@")
_MAX_TAG: Final = 1000  # characters of an entity tag or a date that are kept; a longer one is not sent back


class Access(Enum):
    """What the answer means for the site."""

    OPEN = "no file: everything is allowed"
    PARSED = "a file: its rules decide"
    UNCHANGED = "the file that we have still holds"
    DENIED = "401 or 403, and the setting takes it for a no: nothing is allowed"
    CLOSED = "not known: nothing is allowed until a later try"
    MOVED = "the file is elsewhere"


@dataclass(frozen=True, slots=True)
class Availability:
    """What is known of one origin's robots.txt. It holds for `lifetime` seconds; after that, ask again."""

    access: Access
    reason: str
    lifetime: float = 0.0  # 0 for MOVED: the answer at the end of the way has one
    file: RobotsFile | None = None  # PARSED
    body: bytes = b""  # PARSED: the file as UTF-8, to be kept; parsing it again gives `file`
    location: str = ""  # MOVED: the absolute URL to ask; its rules are for the origin where the way began
    status: int | None = None  # None: no answer came
    address: str = ""  # PARSED, UNCHANGED: the URL that answered; the two after it belong to it
    etag: str = ""  # to ask whether the file has changed (RFC 9110, 8.8)
    last_modified: str = ""
    asked: bool = False  # CLOSED: the lifetime is what the server asked for, by Retry-After
    ours: bool = False  # CLOSED: we did not ask at all, by a rule of our own; the site has not failed

    @property
    def retry_after(self) -> float:
        """Seconds until the next try where the site is closed, else 0."""
        return self.lifetime if self.access is Access.CLOSED else 0.0

    def decide(self, agent: str, url: str) -> Verdict:
        """Say whether `agent` may fetch `url` of this origin, as far as is known."""
        if self.file is not None:
            return self.file.decide(agent, url)
        allowed = self.access is Access.OPEN or path_of(url) == ROBOTS_PATH
        return Verdict(allowed=allowed, line=0, rule="", reason=self.reason)


def read_answer(
    url: str,
    status: int,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    now: datetime,
    hops: int = 0,
    intact: bool = True,
    conditional: bool = False,
    denial_closes: bool = False,
) -> Availability:
    """Say what the answer of `url` means.

    `body` is without transfer and content coding, and longer than MAX_ROBOTS_BYTES where reading stopped because of
    that; `intact` is False where it broke off by itself; `hops` counts the redirects that led to `url`; `conditional`
    says that we asked whether our copy still holds; `denial_closes` takes 401 and 403 as the texts of 1996 do.
    """
    family = status // 100
    if family == _SUCCESS and status != HTTPStatus.PARTIAL_CONTENT and intact:
        text = _text(body) if status not in _WITHOUT_BODY else b""
        etag, modified = _validators(headers)
        return Availability(
            Access.PARSED, f"robots.txt answered {status}", lifetime_of(headers, now), parse(text), text,
            status=status, address=url, etag=etag, last_modified=modified,
        )  # fmt: skip
    if status == HTTPStatus.NOT_MODIFIED and conditional:
        etag, modified = _validators(headers)
        return Availability(
            Access.UNCHANGED, "robots.txt answered 304: the copy still holds", lifetime_of(headers, now),
            status=status, address=url, etag=etag, last_modified=modified,
        )  # fmt: skip
    if family == _REDIRECT and status != HTTPStatus.NOT_MODIFIED:
        return _follow(url, status, headers, now=now, hops=hops)
    if status in DENIALS and denial_closes:
        reason = f"robots.txt answered {status}, which ROBOTS_DENIAL takes for a no to the whole site"
        return Availability(Access.DENIED, reason, lifetime_of(headers, now), status=status)
    if family == _CLIENT_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS:
        return _open(f"robots.txt answered {status}: there is no file", status, headers, now)
    # What is left tells nothing about the file: 429, 5xx, codes of no known class, and the two that answer a question
    # which was not asked: 206 is a piece of the file, and 304 leaves a copy valid that we do not have.
    incomplete = ", and the file broke off" if family == _SUCCESS and not intact else ""
    reason = f"robots.txt answered {status}{incomplete}: the site is closed until its rules are known"
    wait = asked_wait(headers, now)
    lifetime = first_wait(status) if wait is None else max(wait, MIN_RETRY)
    return Availability(Access.CLOSED, reason, lifetime, status=status, asked=wait is not None)


def no_answer(error: str, *, ours: bool = False) -> Availability:
    """Say what it means that no HTTP answer came: a time-out, an unknown host, a reset, garbage.

    `ours`: nothing was asked, since a rule of our own forbids the address or the host.
    """
    reason = f"robots.txt could not be fetched ({error}): the site is closed until its rules are known"
    return Availability(Access.CLOSED, reason, RETRY, ours=ours)


def _text(body: bytes) -> bytes:
    """Give the file as UTF-8. What is longer than it may be stays so, that the cut is seen."""
    text = to_utf8(body)
    if len(body) > MAX_ROBOTS_BYTES >= len(text):  # UTF-16 takes more room: its last line was cut all the same
        return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
    return text


def _validators(headers: Sequence[tuple[str, str]]) -> tuple[str, str]:
    found = {name.lower(): value.strip() for name, value in reversed(headers)}
    etag, modified = found.get("etag", ""), found.get("last-modified", "")
    return etag if len(etag) <= _MAX_TAG else "", modified if len(modified) <= _MAX_TAG else ""


def _follow(url: str, status: int, headers: Sequence[tuple[str, str]], *, now: datetime, hops: int) -> Availability:
    location = next((value.strip() for name, value in headers if name.lower() == "location"), "")
    location = _USERINFO.sub(r"\1", location)  # a name and password that nobody gave to us: not used, and not told
    target = _absolute(url, location)
    if not target:
        given = f"to {location[:_SHOWN]!r}, which is no http address" if location else "without a Location"
        return _open(f"robots.txt answered {status} {given}: as if there were no file", status, headers, now)
    if hops >= MAX_REDIRECTS:
        reason = f"robots.txt moved more than {MAX_REDIRECTS} times: as if there were no file"
        return _open(reason, status, headers, now)
    reason = f"robots.txt answered {status}: it is at {target[:_SHOWN]}"
    return Availability(Access.MOVED, reason, location=target, status=status)


def _absolute(url: str, location: str) -> str:
    if not location:
        return ""
    try:
        target = urljoin(url, location)
        origin_of(target)
    except ValueError:
        return ""
    return target.partition("#")[0]


def _open(reason: str, status: int, headers: Sequence[tuple[str, str]], now: datetime) -> Availability:
    return Availability(Access.OPEN, reason, lifetime_of(headers, now), status=status)
