"""Which request is next? One from the IP address with the fewest running requests; of these the shortest.

A pipelined request comes after all others, and is the first to be rejected.

Where all threads are busy, a request waits for a short time. One request too many, or one that has waited too long,
gets 503 with Retry-After. An unbounded queue would keep threads busy for clients that have gone.
"""
# mypy: disable-error-code="no-untyped-call,misc,no-any-return"

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from typing import TYPE_CHECKING

from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from gateway.serving.connections import TimedChannel

THREADS = 4  # requests at a time; more would only share the same processor
LONG = 256  # bytes of target and body: nobody types more, and such a query may take seconds
MAX_QUEUED = 64  # requests that wait for a thread
QUEUED_SECONDS = 2.0  # then a waiting request is rejected
RETRY_SECONDS = 2


class ServerBusy(Error):
    """The response to a rejected request: 503."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(f"Too many requests at once: try again in {RETRY_SECONDS} s.")
        self._as_json = as_json

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002 - waitress gives it
        """Return status, headers and body."""
        kind = "application/json" if self._as_json else "text/plain; charset=utf-8"
        body = json.dumps({"error": self.body}) if self._as_json else self.body
        headers = [("Content-Type", kind), ("Retry-After", str(RETRY_SECONDS)), ("Cache-Control", "no-store")]
        return "503 Service Unavailable", headers, body.encode()


class RunningRequest:
    """A request that a thread handles."""

    def __init__(self, queue: RequestQueue, channel: TimedChannel) -> None:
        self._queue = queue
        self._channel = channel
        self.address = channel.address
        self.is_long = channel.length > LONG

    def service(self) -> None:
        """Respond, in a thread."""
        try:
            self._channel.service()
        finally:
            self._queue.end(self)

    def cancel(self) -> None:
        """Drop it: the gateway stops."""
        self._channel.cancel()


class RequestQueue:
    """The requests that wait for one of `threads`. Long ones leave one thread to the others.

    It replaces the deque of waitress, under the same lock.
    """

    def __init__(self, threads: int, lock: threading.Lock) -> None:
        self._threads = threads
        self._lock = lock
        self._waiting: list[TimedChannel] = []
        self._at_work: Counter[str] = Counter()  # by address
        self._long_at_work = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __bool__(self) -> bool:
        return self._next() is not None

    @property
    def under_way(self) -> int:
        """The number of running requests."""
        return self._at_work.total()

    def append(self, channel: TimedChannel) -> None:
        """Add a request."""
        self._waiting.append(channel)

    def popleft(self) -> RunningRequest:
        """Remove and return the next request."""
        channel = self._next()
        if channel is None:
            raise IndexError("no request may run now")
        self._waiting.remove(channel)
        running = RunningRequest(self, channel)
        self._at_work[running.address] += 1
        self._long_at_work += running.is_long
        return running

    def end(self, running: RunningRequest) -> None:
        """Count a finished request."""
        with self._lock:
            self._at_work[running.address] -= 1
            self._at_work += Counter()  # drops zero counts
            self._long_at_work -= running.is_long

    def withdraw(self, channel: TimedChannel) -> bool:
        """Remove a waiting request; return whether it was waiting."""
        if channel not in self._waiting:
            return False
        self._waiting.remove(channel)
        return True

    def pop_last(self) -> TimedChannel:
        """Remove and return the request that would be last."""
        last = max(self._waiting, key=self._place)
        self._waiting.remove(last)
        return last

    def _next(self) -> TimedChannel | None:
        full = self._long_at_work >= self._threads - 1
        ready = (channel for channel in self._waiting if not full or channel.length <= LONG)
        return min(ready, key=self._place, default=None)

    def _place(self, channel: TimedChannel) -> tuple[bool, int, int, float]:
        return channel.is_pipelined, self._at_work[channel.address], channel.length, channel.queued


class _Silent(ThreadedTaskDispatcher):
    """Threads without a log of their queue: a client that waits too long gets a 503."""

    queue_logger = logger = logging.getLogger("gateway.queue")
    logger.setLevel(logging.ERROR)


class Dispatcher(_Silent):
    """The threads, their queue, and one more thread, which rejects requests."""

    def __init__(self, stopping: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._stopping = stopping
        self.queue = RequestQueue(THREADS, self.lock)
        self.set_thread_count(THREADS)
        self._refusals = _Silent()
        self._refusals.set_thread_count(1)

    def add_task(self, task: TimedChannel) -> None:
        """Queue a request, or reject it. The caller holds the connection's `requests_lock`."""
        if task.wait_for_reader():
            return
        task.queued = time.monotonic()
        super().add_task(task)
        with self.lock:
            refused = self.queue.pop_last() if len(self.queue) > MAX_QUEUED else None
        if refused is not None:
            refused.refuse()
            self._refusals.add_task(refused)

    def withdraw(self, channel: TimedChannel) -> bool:
        """Remove a waiting request; return whether it was waiting."""
        with self.lock:
            return self.queue.withdraw(channel)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """Stop the threads after their running requests."""
        with self.lock:
            under_way = self.queue.under_way
        if self._stopping is not None and under_way:
            self._stopping(under_way)
            self._stopping = None  # waitress calls this twice
        self._refusals.shutdown(timeout=timeout)
        return super().shutdown(cancel_pending, timeout)
