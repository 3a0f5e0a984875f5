"""Where does the archive hold what came for a URL? File and offset of each record, as a CDX index has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.archived import REVISIT, archived_places, holds_any, same_payload
from reports.wording import counted, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.archived import ArchivedPlace

COPIES_SHOWN = 3  # the newest


@dataclass(frozen=True, slots=True)
class ArchivedCopy:
    """One exchange: its answer's record has `length` bytes at `offset` of `file`; without an answer both are 0."""

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


def archived_copies(database: CrawlDatabase, url: str) -> tuple[ArchivedCopy, ...]:
    """Return what the archive holds of a URL, the newest first."""
    if not holds_any(database):
        return ()
    return tuple(_copy(database, place) for place in archived_places(database, url))


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


def archived_sentences(copies: Sequence[ArchivedCopy]) -> Iterator[str]:
    """Yield where the newest copies stand, and how many there are besides."""
    for copy in copies[:COPIES_SHOWN]:
        where = f"archive/{copy.file}"
        place = f"{where}, {counted(copy.length, 'byte')} from byte {copy.offset:,}" if copy.length else where
        yield f"{moment(copy.at)}: {copy}; {place}."
    more = len(copies) - COPIES_SHOWN
    if more > 0:
        yield f"and {counted(more, 'exchange')} before that; --json has them."
