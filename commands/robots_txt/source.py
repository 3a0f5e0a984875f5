"""Where does a robots.txt come from? A file, standard input, or its server, which is asked as a crawl would ask it."""

from __future__ import annotations

import http.client
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from commands.command import Trouble
from robots import MAX_ROBOTS_BYTES, Access, Availability, origin_of, parse, read_answer, robots_url, to_utf8
from spiders.address import ASK_FOR_IDENTITY, LOOPBACK, is_local_name, is_public_host
from spiders.identity import Identity, IdentityError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from email.message import Message

    from commands.settings import Settings

CHUNK = 64 * 1024  # bytes read between two looks at the clock


@dataclass(frozen=True, slots=True)
class Source:
    """A robots.txt and where it came from. `origin` is empty, `status` 0 where it was not asked from a server."""

    name: str
    availability: Availability
    raw: bytes  # the file as it came, in whatever alphabet; of an answer without a file, what came instead
    origin: str = ""
    status: int = 0

    @property
    def body(self) -> bytes:
        """The file; empty where the server had none."""
        return self.availability.body


def read_source(text: str, settings: Settings) -> Source:
    """Read a robots.txt from a file, from standard input (`-`) or from an http(s) URL; raise `Trouble`."""
    if text == "-":
        body = _all_of(sys.stdin.buffer)
        return Source("standard input", _parsed(body, "read from standard input"), body)
    if "://" in text:
        return _fetch(text, settings)
    try:
        with Path(text).open("rb") as file:
            body = _all_of(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Trouble(f"{text}: the file can't be read ({reason}); give a file, an http(s) URL, or -") from error
    return Source(text, _parsed(body, f"read from {text}"), body)


def _all_of(file: BinaryIO) -> bytes:
    return file.read(MAX_ROBOTS_BYTES + 1)  # one more than counts, so that the cut is seen


def _parsed(body: bytes, reason: str) -> Availability:
    text = to_utf8(body)
    return Availability(Access.PARSED, reason, file=parse(text), body=text)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: RFC 9309 says how many are followed, and `read_answer` counts them."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


def _fetch(text: str, settings: Settings) -> Source:
    try:
        identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        origin = origin_of(text)
    except IdentityError as error:
        raise Trouble(str(error)) from error
    except ValueError:
        raise Trouble(f"{text}: only http:// and https:// addresses are asked; give one, a file, or -") from None
    url = robots_url(origin) if urlsplit(text).path in {"", "/"} else text
    deadline = time.monotonic() + settings.getfloat("DOWNLOAD_TIMEOUT")
    hops = 0
    while True:
        _check_identity(url, identity)
        status, headers, body = _get(url, identity, deadline)
        answer = read_answer(url, status, headers, body, now=datetime.now(UTC), hops=hops)
        if answer.access is not Access.MOVED:
            return Source(url, answer, body, origin, status)
        url, hops = answer.location, hops + 1


def _check_identity(url: str, identity: Identity) -> None:
    """Let no request leave for the internet unless the owner of the site could reach ours."""
    host = urlsplit(url).hostname or ""
    if identity.complete or is_local_name(host):
        return
    try:
        public = is_public_host(host)
    except (OSError, UnicodeError) as error:
        raise Trouble(f"{url}: no such host ({error}); check its spelling, or give the file itself") from error
    if public:
        raise Trouble(f"{host} is on the internet: {ASK_FOR_IDENTITY}")


def _get(url: str, identity: Identity, deadline: float) -> tuple[int, Sequence[tuple[str, str]], bytes]:
    opener = urllib.request.OpenerDirector()  # no proxy, cookie, file or ftp handlers: only what is named here
    for handler in (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler(), _NoRedirects()):
        opener.add_handler(handler)
    address, host = _connected(url)
    request = urllib.request.Request(  # noqa: S310 - origin_of and read_answer let only http and https pass
        address, headers={**identity.headers, **host, "Accept": "text/plain", "Accept-Encoding": "identity"}
    )
    try:
        with opener.open(request, timeout=_left(url, deadline)) as answer:
            return _read(url, answer, deadline)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise Trouble(f"{url} can't be read: {reason}; a crawl would keep out until it can") from error


def _connected(url: str) -> tuple[str, dict[str, str]]:
    """Return the URL to connect to, and the Host to send: `*.localhost` is here, whatever the system knows of it."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not is_local_name(parts.hostname or ""):
        return url, {}
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{LOOPBACK}{port}").geturl(), {"Host": parts.netloc}


def _read(url: str, answer: http.client.HTTPResponse, deadline: float) -> tuple[int, Sequence[tuple[str, str]], bytes]:
    headers: Message = answer.headers
    coding = headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in {"", "identity"}:
        raise Trouble(f"{url} answers in the coding {coding!r}, although none was asked for; give the file itself")
    body = b""
    while len(body) <= MAX_ROBOTS_BYTES and (piece := answer.read1(CHUNK)):
        body += piece
        _left(url, deadline)
    return answer.status, headers.items(), body


def _left(url: str, deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise Trouble(f"{url} took longer than DOWNLOAD_TIMEOUT; a crawl would keep out until it answers in time")
    return seconds
