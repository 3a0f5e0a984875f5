"""In which order do requests reach the downloader? As the spider leased them: the frontier has put them in order.

Scrapy's own scheduler keeps a queue for each host, orders by priority, and can store requests on the disk. All three
belong to the frontier here, which hands out a URL only when there is room for it; so what waits here waits a moment.
Scrapy takes for a scheduler whatever has these three methods.
"""

from __future__ import annotations

from collections import deque
from typing import Any


class LeaseQueue:
    """First in, first out."""

    def __init__(self) -> None:
        self._waiting: deque[Any] = deque()

    def has_pending_requests(self) -> bool:
        """Return whether a request waits."""
        return bool(self._waiting)

    def enqueue_request(self, request: Any) -> bool:
        """Take any request: the frontier knows what was asked for before."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Any:
        """Return the one that has waited longest, or None."""
        return self._waiting.popleft() if self._waiting else None
