"""The contents of an archive: responses of servers, each with its place and its date, and records that are no page.

A capture is one URL in an archive at one moment: one record of WARC (ISO 28500) or ARC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extensions.archives.tables import RecordPlace
    from robots import Availability


@dataclass(frozen=True, slots=True)
class Capture:
    """An archived response to a GET: `body` is without chunks, and still has its Content-Encoding.

    `at` is its WARC-Date in seconds since the epoch, `payload` its WARC-Payload-Digest. A capture with `same_as` is a
    revisit record, without a body. `same_as` is the URL that had the body. For a 304 it is the same URL.
    """

    place: RecordPlace
    end: RecordPlace  # of the record: where the next one begins
    url: str  # as the record spells it
    at: float
    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case, in the order they came
    body: bytes = b""
    size: int = 0  # bytes of the archived body, read or not
    payload: str = ""
    same_as: str = ""
    not_modified: bool = False
    truncated: str = ""  # why the body is not whole, in words
    record: int = 0  # a key of its WARC-Record-ID


@dataclass(frozen=True, slots=True)
class NoCapture:
    """A record that is no response to a GET over HTTP: its kind, and the URL that it is about."""

    place: RecordPlace
    end: RecordPlace
    kind: str  # its WARC-Type, or the scheme or the method of the request
    url: str = ""


@dataclass(frozen=True, slots=True)
class DamagedStretch:
    """A damaged part of an archive, from `place` to `end`; with None, to the end of the file."""

    place: RecordPlace
    end: RecordPlace | None
    reason: str


@dataclass(frozen=True, slots=True)
class SurveyedRobots:
    """A response to a request for the robots.txt of `origin`, at `at` seconds since the epoch, from `address`."""

    origin: str
    address: str
    at: float
    answer: Availability


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The findings in one record; empty fields have none. `no_pages` are keys of records whose response is no page."""

    site: str = ""
    software: str = ""
    no_pages: tuple[int, ...] = ()
    robots: tuple[SurveyedRobots, ...] = ()
