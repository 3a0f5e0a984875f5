"""What did a run use? The most memory it held at once, and the bytes that the network brought, beside its row."""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

# getrusage(2) counts in KiB on Linux and in bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024


# Of a run that is at work, or was killed, the time up to its last request counts; a clock may have been set back.
SECONDS_OF_RUN = (
    "max(0.0, coalesce(ended_at, (SELECT max(at) FROM fetch WHERE fetch.run = run.id), started_at) - started_at)"
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of memory at the peak, of the process that fetches and of the index writer; bytes received."""

    peak_memory: int = 0
    index_memory: int = 0
    received: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return what several runs used, one after the other: memory is given back between them."""
        return Usage(
            max(self.peak_memory, other.peak_memory),
            max(self.index_memory, other.index_memory),
            self.received + other.received,
        )


def peak_of_this_process() -> int:
    """Return the most memory in bytes that this process has held since it began."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def peak_of_children() -> int:
    """Return the most memory in bytes that any child process has held which has ended and was waited for."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _UNIT


def note_usage(database: CrawlDatabase, run: int, used: Usage) -> None:
    """Put what a run used beside its row, keeping what was larger before, in one transaction."""
    with database.transaction() as connection:
        connection.execute(
            "UPDATE run SET peak_memory = max(peak_memory, ?), index_memory = max(index_memory, ?), "
            "received = max(received, ?) WHERE id = ?",
            (used.peak_memory, used.index_memory, used.received, run),
        )


def usage_of_round(database: CrawlDatabase, round_: int) -> Usage:
    """Return what the runs of a round have used together."""
    rows = database.connection.execute(
        "SELECT peak_memory, index_memory, received FROM run WHERE round = ?", (round_,)
    ).fetchall()
    return sum((Usage(*row) for row in rows), Usage())
