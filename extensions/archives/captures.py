"""What does an archive hold? Answers of servers, each with its place and its date, and much that is no page.

A capture is what an archive has of one URL at one moment: one record of WARC (ISO 28500) or ARC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from robots import Availability


class RecordPlace(NamedTuple):
    """Where a record begins: its member at an offset in the file, and so many bytes into what that unpacks to.

    A file that is not packed has one member a record. In a file that was packed as a whole all records are inside one.
    """

    member: int
    inside: int = 0

    def __str__(self) -> str:
        """Return it as a person reads it."""
        return f"offset {self.member:,}" + (f", {self.inside:,} bytes into what it unpacks to" if self.inside else "")


@dataclass(frozen=True, slots=True)
class Capture:
    """An answer to a GET as it was archived: `body` without chunks, and packed as it came.

    `at` is its WARC-Date in seconds since the epoch, `payload` its WARC-Payload-Digest. A capture `same_as` another one
    is a revisit record, which has no body: it names the URL that had the body, and for an answer 304 the same URL.
    """

    place: RecordPlace
    end: RecordPlace  # of the record: where the next one begins
    url: str  # as it stands there
    at: float
    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case, in the order they came
    body: bytes = b""
    size: int = 0  # bytes of the body as it was archived, also of what was not read
    payload: str = ""
    same_as: str = ""
    not_modified: bool = False
    truncated: str = ""  # why the body is not whole, in words
    record: int = 0  # a key of its WARC-Record-ID


@dataclass(frozen=True, slots=True)
class NoCapture:
    """A record that is no answer to a GET over HTTP: what it is instead, in a word, and the URL that it is about."""

    place: RecordPlace
    end: RecordPlace
    kind: str  # its WARC-Type, or the scheme or the method of the request
    url: str = ""


@dataclass(frozen=True, slots=True)
class DamagedStretch:
    """What of an archive can't be read: from `place` to `end`; None: to the end of the file."""

    place: RecordPlace
    end: RecordPlace | None
    reason: str


@dataclass(frozen=True, slots=True)
class SurveyedRobots:
    """An answer to a request for the robots.txt of `origin`, at `at` seconds since the epoch, from `address`."""

    origin: str
    address: str
    at: float
    answer: Availability


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What one record tells; what it does not tell is empty. `no_pages` are keys of records: answers that are none."""

    site: str = ""
    software: str = ""
    no_pages: tuple[int, ...] = ()
    robots: tuple[SurveyedRobots, ...] = ()
