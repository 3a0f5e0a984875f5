"""Requests, responses, and the frame of generated pages.

An entity tag is a digest of the bytes that are sent, so it changes exactly when they do. If-None-Match comes first;
If-Modified-Since counts only without it (RFC 9110, 13).
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the server's log: `path` has its query and is not decoded, `host` has its port.

    `time` is in seconds since the epoch, when the response was ready; `took` are the seconds since the request was
    read. A header that was not sent is empty.
    """

    time: float
    host: str
    path: str
    status: int
    user_agent: str
    if_none_match: str
    method: str = "GET"
    client: str = ""  # the robot's IP address
    took: float = 0.0
    sender: str = ""  # the header From
    if_modified_since: str = ""

    @property
    def url(self) -> str:
        """Return the full URL, spelt as in the request."""
        return f"http://{self.host}{self.path}"


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """A request as a site sees it: the decoded path without dot segments, the query, and the number of earlier ones.

    Pages that change with each request are made from `times`, so a restart shows the same again.
    """

    path: str
    query: dict[str, str]
    times: int = 0


TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
TEXTS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))  # of generated pages
FOUNDED = 1_772_323_200.0  # 2026-03-01, when Seedville was put on paper: the date of pages that no file holds


@dataclass(frozen=True, slots=True)
class Response:
    """Status, type and body, with more headers where they are needed.

    `modified` is in seconds since the epoch, None for a page that is new each time. `stream` replaces a body that is
    too large to hold; `length` is then its size in bytes.
    """

    status: int
    body: bytes = b""
    type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    modified: float | None = None
    stream: Callable[[], Iterator[bytes]] | None = None
    length: int = 0

    @property
    def size(self) -> int:
        """Return the number of bytes of the body."""
        return self.length if self.stream else len(self.body)

    @property
    def etag(self) -> str:
        """Return the strong entity tag, in its quotes."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'

    @property
    def validators(self) -> tuple[tuple[str, str], ...]:
        """Return ETag and Last-Modified, as far as this response has them."""
        if self.status not in {200, 304} or self.stream:
            return ()
        dated = () if self.modified is None else (("Last-Modified", formatdate(self.modified, usegmt=True)),)
        return (("ETag", self.etag), *dated)


def conditional(response: Response, if_none_match: str | None, if_modified_since: str | None) -> Response:
    """Return a 304 without a body where the robot's copy is still good, else `response` itself."""
    if response.status != 200 or response.stream:  # noqa: PLR2004 - the one status that a copy can stand for
        return response
    if if_none_match is not None:
        fresh = if_none_match.strip() == "*" or response.etag in _tags(if_none_match)
    else:
        fresh = if_modified_since is not None and _not_since(response.modified, if_modified_since)
    if not fresh:
        return response
    return replace(response, status=304, body=b"", headers=(*response.headers, *response.validators))


def _tags(field: str) -> set[str]:
    """Return the tags of an If-None-Match; a weak one matches like a strong one (RFC 9110, 13.1.2)."""
    return {tag.strip().removeprefix("W/") for tag in field.split(",")}


def _not_since(modified: float | None, date: str) -> bool:
    if modified is None:
        return False
    try:
        since = parsedate_to_datetime(date)
    except ValueError:
        return False  # a date that can't be read is ignored, says RFC 9110, 13.1.3
    if since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    return int(modified) <= since.timestamp()


def moved(status: int, location: str) -> Response:
    """Return a redirect, with a few words for browsers that do not follow it."""
    return Response(
        status, f"This page has moved to {location}\n".encode(), TEXT, (("Location", quote(location, safe="/:?&=%~#")),)
    )


def error_response(status: int, sentence: str) -> Response:
    """Return an error with a sentence that says what is wrong."""
    return Response(status, f"{sentence}\n".encode(), TEXT)


_FRAME = """<!doctype html>
<html lang="en" style="--hue: {hue}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · {site}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">{site}</a></header>
<main>
<h1>{title}</h1>
{body}
</main>
<footer>Seedville, a town for robots. <a href="http://127.0.0.1:8400/">All its sites</a></footer>
</body>
</html>
"""


def framed(title: str, body: str, *, site: str, hue: int) -> bytes:
    """Return a whole page. `title` and `site` are text, `body` is HTML, `hue` is the site's colour in degrees."""
    return _FRAME.format(title=escape(title), body=body, site=escape(site), hue=hue).encode()


def generated(title: str, body: str, *, site: str, hue: int) -> Response:
    """Return a page that a program makes for its URL, always the same; the arguments are those of `framed`."""
    return Response(200, framed(title, body, site=site, hue=hue), modified=FOUNDED)


def paragraphs(*texts: str) -> str:
    """Return plain texts as HTML paragraphs."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


PATH_SHOWN = 80  # characters of a path that a page repeats


def not_found(path: str) -> Response:
    """Return a 404."""
    return error_response(404, f"There is no {path[:PATH_SHOWN]!r} here.")
