"""What reads pages beyond their written words? The extras of an index, by its settings and the options of its command.

Who asks for one with an option is stopped where it can't be had; who has a setting for it is told, and words alone are
indexed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def choose_readings(*, asked: bool) -> None:
    """Read Japanese where that is wanted."""
    from indexer.analysis.readings import are_wanted, load_reader, read_readings
    from indexer.faults import ReadingFault

    if not (asked or are_wanted()):
        return
    read_readings(wanted=True)
    try:
        load_reader()
    except ReadingFault as fault:
        if asked:
            raise
        print(f"index: Japanese is not read: {fault}", file=sys.stderr)


def unread_in(data_dir: Path) -> str:
    """Return what of the Japanese of an index is not read though it should be; "" where all is, or in a cluster."""
    from indexer import NoIndex, open_index
    from indexer.address import chosen_address
    from indexer.analysis.readings import are_wanted
    from indexer.retrieval.unread import unread_pages

    if not are_wanted() or chosen_address():
        return ""
    try:
        return unread_pages(open_index(data_dir).snapshot)
    except NoIndex:
        return ""
