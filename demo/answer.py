"""What goes back? An `Answer`, and its shorter form where the robot has the page already (RFC 9110, 13).

An entity tag is a digest of the bytes that are sent, so it changes exactly when they do. If-None-Match is heard
first; If-Modified-Since only counts where there is no tag in the request.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
FOUNDED = 1_772_323_200.0  # 2026-03-01, when Seedville was put on paper: the date of pages that no file holds


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, type and body, with more headers where they are needed.

    `modified` is in seconds since the epoch, None for a page that is new each time. `stream` stands in for a body
    that is too large to hold; `length` is then its size in bytes.
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
        """Return ETag and Last-Modified, as far as this answer has them."""
        if self.status not in {200, 304} or self.stream:
            return ()
        dated = () if self.modified is None else (("Last-Modified", formatdate(self.modified, usegmt=True)),)
        return (("ETag", self.etag), *dated)


def conditional(answer: Answer, if_none_match: str | None, if_modified_since: str | None) -> Answer:
    """Return a 304 without a body where the robot's copy is still good, else `answer` itself."""
    if answer.status != 200 or answer.stream:  # noqa: PLR2004 - the one status that a copy can stand for
        return answer
    if if_none_match is not None:
        fresh = if_none_match.strip() == "*" or answer.etag in _tags(if_none_match)
    else:
        fresh = if_modified_since is not None and _not_since(answer.modified, if_modified_since)
    if not fresh:
        return answer
    return replace(answer, status=304, body=b"", headers=(*answer.headers, *answer.validators))


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


def moved(status: int, location: str) -> Answer:
    """Return a redirect. Its few words are for people whose browser does not follow."""
    return Answer(
        status, f"This page has moved to {location}\n".encode(), TEXT, (("Location", quote(location, safe="/:?&=%~#")),)
    )


def refusal(status: int, sentence: str) -> Answer:
    """Return an error with a sentence that says what is wrong."""
    return Answer(status, f"{sentence}\n".encode(), TEXT)
