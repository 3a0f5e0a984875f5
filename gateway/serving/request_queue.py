"""Whose request is next? That of the address with fewest at work; of these the shortest: long questions take long.

A request that came together with the one before it is behind all others, and the first to be refused.

A request that finds all threads at work waits, and not for long: one too many, or one that has waited too long, is
answered with 503 and Retry-After. A queue without a bound would keep busy with questions whose readers have gone.
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

THREADS = 4  # requests answered at a time; more would only share the same processor
LONG = 256  # bytes of a request's target and body: nobody types so much, and to answer it may take seconds
QUEUED = 64  # requests that wait for a thread
QUEUED_SECONDS = 2.0  # that one waits; then it is refused
RETRY_SECONDS = 2


class ServerBusy(Error):
    """The answer to a request that there is no time for."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(f"Too many questions at once: ask again in {RETRY_SECONDS} s.")
        self._as_json = as_json

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002 - waitress gives it
        """Return status, headers and body."""
        kind = "application/json" if self._as_json else "text/plain; charset=utf-8"
        body = json.dumps({"error": self.body}) if self._as_json else self.body
        headers = [("Content-Type", kind), ("Retry-After", str(RETRY_SECONDS)), ("Cache-Control", "no-store")]
        return "503 Service Unavailable", headers, body.encode()


class Turn:
    """A request whose turn has come."""

    def __init__(self, queue: RequestQueue, channel: TimedChannel) -> None:
        self._queue = queue
        self._channel = channel
        self.address = channel.address
        self.is_long = channel.length > LONG

    def service(self) -> None:
        """Answer it, in a thread."""
        try:
            self._channel.service()
        finally:
            self._queue.end(self)

    def cancel(self) -> None:
        """Drop it: the gateway ends."""
        self._channel.cancel()


class RequestQueue:
    """The requests that wait for one of `threads`. Long ones leave a thread to the others.

    It stands where waitress has a deque, under the same lock.
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
        """How many requests are being answered."""
        return self._at_work.total()

    def append(self, channel: TimedChannel) -> None:
        """Let a request wait."""
        self._waiting.append(channel)

    def popleft(self) -> Turn:
        """Return the turn of the request that is next."""
        channel = self._next()
        if channel is None:
            raise IndexError("no request may be answered now")
        self._waiting.remove(channel)
        turn = Turn(self, channel)
        self._at_work[turn.address] += 1
        self._long_at_work += turn.is_long
        return turn

    def end(self, turn: Turn) -> None:
        """Note that a request was answered."""
        with self._lock:
            self._at_work[turn.address] -= 1
            self._at_work += Counter()  # drops what has come down to 0
            self._long_at_work -= turn.is_long

    def withdraw(self, channel: TimedChannel) -> bool:
        """Let a request wait no more; return whether it did."""
        if channel not in self._waiting:
            return False
        self._waiting.remove(channel)
        return True

    def pop_last(self) -> TimedChannel:
        """Return the request that would be the last to have its turn; it waits no more."""
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
    """Threads whose queue is told to nobody: who waits too long is told so, and no log needs it."""

    queue_logger = logger = logging.getLogger("gateway.queue")
    logger.setLevel(logging.ERROR)


class Dispatcher(_Silent):
    """The threads that answer, the queue before them, and one thread more, which refuses."""

    def __init__(self, stopping: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._stopping = stopping
        self.queue = RequestQueue(THREADS, self.lock)
        self.set_thread_count(THREADS)
        self._refusals = _Silent()
        self._refusals.set_thread_count(1)

    def add_task(self, task: TimedChannel) -> None:
        """Let a request wait, or refuse it. The caller holds the connection's `requests_lock`."""
        if task.wait_for_reader():
            return
        task.queued = time.monotonic()
        super().add_task(task)
        with self.lock:
            refused = self.queue.pop_last() if len(self.queue) > QUEUED else None
        if refused is not None:
            refused.refuse()
            self._refusals.add_task(refused)

    def withdraw(self, channel: TimedChannel) -> bool:
        """Let a request wait no more; return whether it did."""
        with self.lock:
            return self.queue.withdraw(channel)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End the threads, when they have answered what they have begun."""
        with self.lock:
            under_way = self.queue.under_way
        if self._stopping is not None and under_way:
            self._stopping(under_way)
            self._stopping = None  # waitress comes here twice
        self._refusals.shutdown(timeout=timeout)
        return super().shutdown(cancel_pending, timeout)
