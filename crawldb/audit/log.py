"""In which order were requests made? A log has them as they ended; an audit needs them as they began.

Visits wait in a heap until nothing earlier can come: as long as the longest answer may take. So a log of any length is
read once, in memory that does not grow with it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.audit.record import requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.audit.record import Form, Visit

LONGEST_ANSWER = 600.0  # seconds; our own requests end after DOWNLOAD_TIMEOUT, servers' logs know slower robots
MAX_HELD = 100_000  # visits that wait at once, some 50 MB


@dataclass(slots=True)
class Log:
    """A log as an audit takes it: `visits` in the order of their starts. When they have ended, the counts are final."""

    name: str
    form: Form
    visits: Iterable[Visit] = ()
    lines: int = 0  # that are not empty
    others: int = 0  # requests of other robots and of people
    unreadable: int = 0
    first_unreadable: int = 0  # its line
    late: int = 0  # visits too far out of order
    unlogged: list[str] = field(default_factory=list)  # sentences: why requests may have been made that are not in it

    def doubts(self) -> list[str]:
        """Say what this log may hide: sentences, none where it tells everything."""
        found = list(self.unlogged)
        if self.unreadable:
            lines = "1 line" if self.unreadable == 1 else f"{self.unreadable:,} lines"
            found.append(f"{lines} can't be read, the first is line {self.first_unreadable}")
        if self.late:
            found.append(
                f"{requests(self.late)} stood over {LONGEST_ANSWER:g} s out of order and were left out: sort the log"
            )
        return found

    def cannot_read(self, line: int) -> None:
        """Count a line that can't be read."""
        self.first_unreadable = self.first_unreadable or line
        self.unreadable += 1

    def in_order(self, visits: Iterable[Visit]) -> Iterator[Visit]:
        """Yield `visits`, which come as they ended, as they began; those of the same moment as they come."""
        heap: list[tuple[float, int, Visit]] = []
        newest, released = float("-inf"), float("-inf")
        for visit in visits:
            if visit.start < released:
                self.late += 1
                continue
            heapq.heappush(heap, (visit.start, visit.place, visit))
            newest = max(newest, visit.end)
            while heap[0][0] < newest - LONGEST_ANSWER or len(heap) > MAX_HELD:
                released = heap[0][0]
                yield heapq.heappop(heap)[2]
                if not heap:
                    break
        while heap:
            yield heapq.heappop(heap)[2]
