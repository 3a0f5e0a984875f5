"""Sends one request outside a crawl, with the robot's identity, and with limits on time and size.

A redirect is returned as a response; the caller decides whether to follow it.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.frame.exits import CommandError
from spiders.downloader.address_policy import LOOPBACK, is_local_name, is_public_host
from urls.rules import ASK_FOR_IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spiders.downloader.address_policy import Identity

CHUNK = 64 * 1024  # bytes read between two looks at the clock


class NoResponse(Exception):
    """There is no complete response; the message says why."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response: status, headers in order, and the unchanged body, cut at the limit."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Returns redirects as responses."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


def needs_identity(url: str, identity: Identity) -> bool:
    """Return whether a request goes to the internet without CONTACT and BOT_URL.

    Raises OSError or UnicodeError for an unknown host.
    """
    host = urlsplit(url).hostname or ""
    return not (identity.complete or is_local_name(host)) and is_public_host(host)


def check_identity(url: str, identity: Identity) -> None:
    """Raise `CommandError` if a request needs an identity, or its host is unknown."""
    try:
        unknown_owner = needs_identity(url, identity)
    except (OSError, UnicodeError) as error:
        raise CommandError(f"{url}: no such host ({error}); check its spelling") from error
    if unknown_owner:
        raise CommandError(f"{urlsplit(url).hostname} is on the internet: {ASK_FOR_IDENTITY}")


def ask(url: str, headers: Mapping[str, str], deadline: float, limit: int) -> Response:
    """Request an http(s) URL until `deadline` (of `time.monotonic`); read at most a chunk beyond `limit` bytes."""
    opener = urllib.request.OpenerDirector()  # no proxy, cookie, file or ftp handlers: only what is named here
    for handler in (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler(), _NoRedirects()):
        opener.add_handler(handler)
    address, host = _connected(url)
    request = urllib.request.Request(address, headers={**headers, **host})  # noqa: S310 - the caller saw to the scheme
    try:
        with opener.open(request, timeout=_left(deadline)) as answer:
            return Response(answer.status, answer.headers.items(), _body(answer, deadline, limit))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoResponse(str(getattr(error, "reason", None) or error)) from error


def _connected(url: str) -> tuple[str, dict[str, str]]:
    """Return the URL to connect to, and the Host header: `*.localhost` is always this machine."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not is_local_name(parts.hostname or ""):
        return url, {}
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{LOOPBACK}{port}").geturl(), {"Host": parts.netloc}


def _body(answer: http.client.HTTPResponse, deadline: float, limit: int) -> bytes:
    body = b""
    while len(body) <= limit and (piece := answer.read1(CHUNK)):
        body += piece
        _left(deadline)
    if len(body) <= limit and answer.length:  # http.client counts down what Content-Length promised
        raise NoResponse(f"the connection was cut after {len(body)} of {len(body) + answer.length} bytes")
    return body


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise NoResponse("it took longer than DOWNLOAD_TIMEOUT")
    return seconds
