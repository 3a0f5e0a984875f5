"""Where does the archive hold what came for a URL? File and offset of each record, as a CDX index has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.archived import REVISIT, archived_places, holds_any
from reports.wording import counted, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase

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

    def __str__(self) -> str:
        if not self.kind:
            return "a request that got no answer in HTTP"
        body = "its body in an earlier record" if self.kind == REVISIT else "with its body"
        return f"{self.status}, {body if self.has_body else 'without a whole body'}"


def archived_copies(database: CrawlDatabase, url: str) -> tuple[ArchivedCopy, ...]:
    """Return what the archive holds of a URL, the newest first."""
    if not holds_any(database):
        return ()
    return tuple(
        ArchivedCopy(
            at=place.at,
            file=place.file,
            offset=place.offset,
            length=place.length,
            kind=place.kind,
            status=place.status,
            has_body=place.payload is not None,
            record=place.record.urn,
        )
        for place in archived_places(database, url)
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
