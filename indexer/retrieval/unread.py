"""Which Japanese is found only as it is written, though READINGS is on? What was indexed before that, or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.readings import LANGUAGE, are_wanted, load_reader
from indexer.faults import REBUILD, ReadingFault
from indexer.segments.schema import IndexField
from urls.counted import counted

if TYPE_CHECKING:
    from indexer.snapshot.snapshot import Snapshot


def unread_pages(snapshot: Snapshot) -> str:
    """Return what of the Japanese in a snapshot is not read, and what would change that; "" where all is, or need be.

    Of an index in a cluster only the pages that were chosen are looked at.
    """
    if not are_wanted() or LANGUAGE not in snapshot.languages:
        return ""
    told = []
    try:
        load_reader()
    except ReadingFault as fault:
        told.append(f"Kanji of the question are not read: {fault}.")
    unread = snapshot.is_in(LANGUAGE) & snapshot.live & (snapshot.lengths(IndexField.READING) == 0)
    if number := int(np.count_nonzero(unread)):
        pages = counted(number, "page in Japanese is", "pages in Japanese are")
        told.append(f"{pages} found only as written, as indexed without readings: {REBUILD} --readings reads them.")
    return " ".join(told)
