"""Where are the responses for a URL in archives? In imported ones, and in that of the crawl itself.

For an imported response `why` shows the archive and its place there. For the crawl's own archive it shows file and
offset of each record, as in a CDX index.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from crawldb.visited import find
from extension_points import WhySection
from extensions.archives.tables import REVISIT, archived_places, captures_of, holds_any, same_payload
from reports.wording import Row, counted, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ArchivedPlace, CaptureSource
    from urls.records import CanonicalUrl

SHOWN = 3  # of each kind, the newest
MAX_CAPTURES = 20  # of a URL in `why --json`, the newest


@dataclass(frozen=True, slots=True)
class ArchivedCopy:
    """One exchange: the response's record has `length` bytes at `offset` of `file`; without a response both are 0."""

    at: float
    file: str  # in the folder `archive`
    offset: int
    length: int
    kind: str
    status: int | None
    has_body: bool  # whole, here or in the record that a revisit refers to
    record: str  # WARC-Record-ID
    body_forgotten: bool  # the record to which a revisit refers was overwritten

    def __str__(self) -> str:
        if not self.kind:
            return "a request that got no answer in HTTP"
        if self.body_forgotten:
            return f"{self.status}, its body went with what was forgotten"
        body = "its body in another record" if self.kind == REVISIT else "with its body"
        return f"{self.status}, {body if self.has_body else 'without a whole body'}"


def imported_section(database: CrawlDatabase, url: CanonicalUrl | None) -> WhySection:
    """Return the imported responses for a URL, each with its place in its archive: no request of ours brought them."""
    identity = None if url is None else find(database.connection, url)
    captures = () if identity is None else captures_of(database, identity, MAX_CAPTURES)
    return WhySection("fetched", "captures", list(map(asdict, captures)), tuple(_imported_rows(captures)))


def _imported_rows(captures: Sequence[CaptureSource]) -> Iterator[Row]:
    for capture in captures[:SHOWN]:
        by = f" by {capture.software}" if capture.software else ""
        what = f"{capture.status} ({capture.rule}), {counted(capture.size, 'byte')}"
        where = f"from the archive {capture.archive} at {capture.place}"
        yield Row("imported", f"{moment(capture.at)}{by}: {what}; {where}.")
    if len(captures) > SHOWN:
        yield Row("", f"and {counted(len(captures) - SHOWN, 'older answer')} of archives.")


def archived_section(database: CrawlDatabase, url: CanonicalUrl | None) -> WhySection:
    """Return the places of a URL's exchanges in the archive of the crawl."""
    places = archived_places(database, url) if url is not None and holds_any(database) else []
    copies = tuple(_copy(database, place) for place in places)
    return WhySection("moved", "archived", list(map(asdict, copies)), tuple(_archived_rows(copies)))


def _copy(database: CrawlDatabase, place: ArchivedPlace) -> ArchivedCopy:
    gone = place.kind == REVISIT and place.payload is not None and same_payload(database, place.payload) is None
    return ArchivedCopy(
        at=place.at,
        file=place.file,
        offset=place.offset,
        length=place.length,
        kind=place.kind,
        status=place.status,
        has_body=place.payload is not None and not gone,
        record=place.record.urn,
        body_forgotten=gone,
    )


def _archived_rows(copies: Sequence[ArchivedCopy]) -> Iterator[Row]:
    for copy in copies[:SHOWN]:
        where = f"archive/{copy.file}"
        place = f"{where}, {counted(copy.length, 'byte')} from byte {copy.offset:,}" if copy.length else where
        yield Row("archived", f"{moment(copy.at)}: {copy}; {place}.")
    if len(copies) > SHOWN:
        yield Row("archived", f"and {counted(len(copies) - SHOWN, 'exchange')} before that; --json has them.")
