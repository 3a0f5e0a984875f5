"""How does a robot read the response to GET /robots.txt? Use it, no limits, keep out, or look elsewhere.

The rules are those of RFC 9309, 2.3.1. A failing server must not look like an open one: 5xx, 429, half a file and no
response close the site until a later try. A server without a file (4xx) opens the site, and the body of its error page
is never parsed. `access_state.py` combines successive responses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from robots.file import RobotsFile, parse, parse_meant
from robots.freshness import (
    MAX_LIFETIME,
    MIN_RETRY,
    RETRY,
    asked_wait,
    first_header,
    first_wait,
    kept_for,
    lifetime_of,
    validator,
)
from robots.lines import MAX_ROBOTS_BYTES, ROBOTS_PATH, to_utf8
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
_SHOWN: Final = 200  # characters of a URL in a reason
_USERINFO: Final = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2})[^/\\?#]*@")


class Access(Enum):
    """The meaning of the response for the site."""

    OPEN = "no file: everything is allowed"
    PARSED = "a file: its rules decide"
    UNCHANGED = "the file that we have still holds"
    DENIED = "401 or 403, and the setting takes it for a no: nothing is allowed"
    CLOSED = "not known: nothing is allowed until a later try"
    MOVED = "the file is elsewhere"


@dataclass(frozen=True, slots=True)
class Availability:
    """The availability of one origin's robots.txt. It holds for `lifetime` seconds; after that, request it again."""

    access: Access
    reason: str
    lifetime: float = 0.0  # 0 for MOVED: the response after the last redirect has a lifetime
    file: RobotsFile | None = None  # PARSED
    body: bytes = b""  # PARSED: the file as UTF-8, to be kept; parsing it again gives `file`
    location: str = ""  # MOVED: the absolute URL to request; its rules are for the origin that was requested first
    status: int | None = None  # None: no response came
    address: str = ""  # PARSED, UNCHANGED: the URL that responded; etag and last_modified belong to it
    etag: str = ""  # to ask whether the file has changed (RFC 9110, 8.8)
    last_modified: str = ""
    kept: float = 0.0  # PARSED, UNCHANGED: seconds for which the server lets the copy be used
    meant: bool = False  # PARSED: `file` is what `parse_meant` makes of the body
    asked: bool = False  # CLOSED: the lifetime is from the server's Retry-After
    ours: bool = False  # CLOSED: we sent no request, by a rule of our own; the site has not failed
    failing: bool = False  # the last request failed; what holds is older or follows from the failure

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

    def seconds_between_visits(self, agent: str) -> float:
        """Return the seconds that the file requests between two visits of `agent`; 0 if it requests none."""
        return 0.0 if self.file is None else self.file.seconds_between_visits(agent)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One HTTP response to a request for a robots.txt, and how the request was made."""

    url: str  # the URL that responded
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes  # without transfer and content coding; longer than MAX_ROBOTS_BYTES where reading stopped there
    at: datetime  # when it came, with a time zone
    intact: bool = True  # False: the body broke off by itself
    hops: int = 0  # the redirects that led to `url`
    conditional: bool = False  # whether the request was conditional on our copy


def read_answer(answer: HttpResponse, *, denial_closes: bool = False, meant: bool = False) -> Availability:
    """Return the meaning of one response; `denial_closes` reads 401 and 403 as the texts of 1996 do.

    `meant` reads a file in which no rule is understood as its owner seems to mean it.
    """
    status, family = answer.status, answer.status // 100
    if family == _SUCCESS and status != HTTPStatus.PARTIAL_CONTENT and answer.intact:
        text = _text(answer.body) if status not in _WITHOUT_BODY else b""
        found = _lasting(answer, Access.PARSED, f"robots.txt answered {status}")
        return replace(
            _with_validators(found, answer), file=(parse_meant if meant else parse)(text), body=text, meant=meant
        )
    if status == HTTPStatus.NOT_MODIFIED and answer.conditional:
        reason = "robots.txt answered 304: the copy still holds"
        return _with_validators(_lasting(answer, Access.UNCHANGED, reason), answer)
    if family == _REDIRECT and status != HTTPStatus.NOT_MODIFIED:
        return _follow(answer)
    if status in DENIALS and denial_closes:
        reason = f"robots.txt answered {status}, which ROBOTS_DENIAL takes for a no to the whole site"
        return _lasting(answer, Access.DENIED, reason)
    if family == _CLIENT_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS:
        return _lasting(answer, Access.OPEN, f"robots.txt answered {status}: there is no file")
    # The other codes say nothing about the file: 429, 5xx and codes of no known class. Nor do two responses to requests
    # that we did not make: 206 is a piece of the file, 304 confirms a copy that we do not have.
    incomplete = ", and the file broke off" if family == _SUCCESS and not answer.intact else ""
    reason = f"robots.txt answered {status}{incomplete}: the site stays closed until its rules are known"
    wait = asked_wait(answer.headers, answer.at)
    lifetime = first_wait(status) if wait is None else max(wait, MIN_RETRY)
    return Availability(Access.CLOSED, reason, lifetime, status=status, asked=wait is not None)


def no_such_file(answer: Availability) -> Availability:
    """Read a 5xx as a 404, for a site that returns 5xx for every missing page."""
    reason = f"robots.txt answered {answer.status}, as this site does for every page that is missing: there is no file"
    return Availability(Access.OPEN, reason, MAX_LIFETIME, status=answer.status)


def no_answer(error: str, *, ours: bool = False, wait: float | None = None) -> Availability:
    """Return the meaning of a request without an HTTP response: a time-out, an unknown host, a reset, garbage.

    `ours`: no request was sent, because a rule of our own forbids the URL or the host. `wait`: the seconds that the
    host requests before the next request.
    """
    reason = f"robots.txt could not be fetched ({error}): the site stays closed until its rules are known"
    lifetime = RETRY if wait is None else max(wait, MIN_RETRY)
    return Availability(Access.CLOSED, reason, lifetime, asked=wait is not None, ours=ours)


def _lasting(answer: HttpResponse, access: Access, reason: str) -> Availability:
    return Availability(access, reason, lifetime_of(answer.headers, answer.at), status=answer.status)


def _with_validators(found: Availability, answer: HttpResponse) -> Availability:
    etag, last_modified = validator(answer.headers, "etag"), validator(answer.headers, "last-modified")
    kept = kept_for(answer.headers, answer.at)
    return replace(found, address=answer.url, etag=etag, last_modified=last_modified, kept=kept)


def _follow(answer: HttpResponse) -> Availability:
    status = answer.status
    location = first_header(answer.headers, "location").strip()
    location = _USERINFO.sub(r"\1", location)  # a name and password in it are not ours: neither used nor shown
    target = _absolute(answer.url, location)
    if not target:
        given = f"to {location[:_SHOWN]!r}, which is no http address" if location else "without a Location"
        return _lasting(answer, Access.OPEN, f"robots.txt answered {status} {given}: as if there were no file")
    if answer.hops >= MAX_REDIRECTS:
        reason = f"robots.txt moved more than {MAX_REDIRECTS} times: as if there were no file"
        return _lasting(answer, Access.OPEN, reason)
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


def _text(body: bytes) -> bytes:
    """Return the file as UTF-8. A file that is too long stays too long, so the parser can note the cut."""
    text = to_utf8(body)
    if len(body) > MAX_ROBOTS_BYTES >= len(text):  # UTF-16 takes more room: its last line was cut anyway
        return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
    return text
