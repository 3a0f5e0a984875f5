"""Which records were read last? They are kept unpacked: the pages that answer one question answer many others.

To unpack the records of ten results takes a tenth of a page of results. What is kept is bounded in bytes, for all
segments that a process has open together; what was not asked for longest goes first. A segment never changes, so that
what is kept of it stays right.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.segments.schema import StoredFields

KEPT_BYTES = 32 * 1024 * 1024  # the records of some 2,000 pages of a manual
RECORD_BYTES = 6_000  # of one beside its texts: its most frequent words, its landmarks
_NUMBERS = count()


class RecentRecords:
    """Records by segment and document; threads may share it."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int], StoredFields] = OrderedDict()  # as they were last asked for
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, segment: int, document: int) -> StoredFields | None:
        """Return the record of a document, if it is kept."""
        with self._lock:
            found = self._kept.get((segment, document))
            if found is not None:
                self._kept.move_to_end((segment, document))
            return found

    def put(self, segment: int, document: int, record: StoredFields) -> None:
        """Keep a record, unless it is too large, and forget others where there is no room."""
        size = _size(record)
        if size > self._most:
            return
        with self._lock:
            if (segment, document) in self._kept:
                return  # another thread has read it meanwhile
            self._kept[segment, document] = record
            self._bytes += size
            while self._bytes > self._most:
                self._bytes -= _size(self._kept.popitem(last=False)[1])


RECENT_RECORDS = RecentRecords()


def segment_number() -> int:
    """Return a number that no other open segment has."""
    return next(_NUMBERS)


def _size(record: StoredFields) -> int:
    return RECORD_BYTES + sys.getsizeof(record.text) + sys.getsizeof(record.description)
