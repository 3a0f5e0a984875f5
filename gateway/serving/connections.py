"""Who may stay connected? A client that is quick, however many others are slow.

A connection has a timeout for each step: the first byte, the head of a request, its end, and reading the response.
Where an IP address has all its connections, a new one replaces the one that has been idle longest. So silent
connections block nobody, even behind a proxy, where all have one IP address.

A pipelined request (RFC 9112, 9.3.2) waits until the client has read the response before it. So a client that sends
much and reads nothing has one response at a time in memory.

Waitress parses the requests. The added rules reject requests that another program could parse differently (RFC 9112,
3.2 and 6.1).

Which request is next? One from the IP address with the fewest running requests; of these the shortest.

A pipelined request comes after all others, and is the first to be rejected.

Where all threads are busy, a request waits for a short time. One request too many, or one that has waited too long,
gets 503 with Retry-After. An unbounded queue would keep threads busy for clients that have gone.
"""

from __future__ import annotations

import json
import logging
import math
import resource
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable


# mypy: disable-error-code="no-untyped-call,misc,no-any-return"


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


# mypy: disable-error-code="no-untyped-call,misc,no-any-return"


CONNECTIONS = 512  # open at a time
CONNECTIONS_PER_ADDRESS = 128  # of one IP address: more than requests can run and wait, so no request is dropped unread
RESERVED_FILES = 96  # file descriptors for the index and the crawl database
ACCEPTED_AT_ONCE = 64  # new connections between two checks of the open ones


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The seconds for which a connection may keep the gateway waiting."""

    idle: float = 5.0  # until the first byte, and after a response
    head: float = 10.0  # from the first byte of a request to the end of its head
    request: float = 20.0  # from the first byte of a request to its last one
    answer: float = 60.0  # until the client has read the response


class StrictParser(HTTPRequestParser):
    """Rejects requests whose end or host two programs could parse differently."""

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head of a request. Raises ParsingError, which gives 400 and closes the connection."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # of more than 4,300 digits Python makes no number, of [ without ] no host
            raise ParsingError("Content-Length or the host in the first line can't be read") from error
        names = Counter(line.partition(b":")[0].strip().lower() for line in header_plus.split(b"\r\n")[1:])
        if names[b"transfer-encoding"] and (names[b"content-length"] or self.version != "1.1"):
            raise ParsingError("Transfer-Encoding is for HTTP/1.1, and without Content-Length (RFC 9112, 6.1)")
        if names[b"host"] != 1 and self.version == "1.1":
            raise ParsingError("a request has one Host (RFC 9112, 3.2)")
        if self.proxy_netloc:
            self.headers["HOST"] = self.proxy_netloc  # the request line overrules Host (RFC 9112, 3.2.2)


class TimedChannel(HTTPChannel):
    """A connection with its timeouts. All times are of `time.monotonic`."""

    parser_class = StrictParser

    def __init__(self, server: BoundedServer, sock: Any, addr: Any, adj: Any, map: Any = None) -> None:  # noqa: A002 - as waitress has it
        super().__init__(server, sock, addr, adj, map=map)
        self.address: str = addr[0]
        self.since = time.monotonic()  # when it was opened, or its last response was made
        self.queued = 0.0
        self.is_pipelined = False  # whether the next request came together with the one before it
        self.waits_for_reader = False  # whether the next request waits until the client has read the last response
        self._begun = 0.0
        server.limit_connections(self)

    def received(self, data: bytes) -> bool:
        """Receive data."""
        if self.request is None:
            self._begun = time.monotonic()
        self.is_pipelined = False  # nothing is read while a request waits
        return super().received(data)

    def readable(self) -> bool:
        """Return whether more can be read. The descriptor of a closed connection may belong to another one."""
        return self.connected and super().readable()

    def writable(self) -> bool:
        """Return whether there is something to send or to close."""
        return self.connected and super().writable()

    def handle_write(self) -> None:
        """Send what can be sent; when all is sent, queue the next request."""
        super().handle_write()
        with self.requests_lock:
            if self.waits_for_reader and not self.total_outbufs_len and self.connected:
                self.waits_for_reader = False
                self.server.add_task(self)

    def wait_for_reader(self) -> bool:
        """Return whether the client must read a response before the next request. The caller holds `requests_lock`."""
        self.waits_for_reader = self.total_outbufs_len > 0
        return self.waits_for_reader

    @property
    def waits_for_client(self) -> bool:
        """Whether the client must act: send a request, or read a response."""
        return not self.requests or self.waits_for_reader

    @property
    def closes_at(self) -> float:
        """When it is closed if nothing changes. A complete request has no timeout: it waits for the gateway."""
        if not self.waits_for_client:
            return math.inf
        timeouts: Timeouts = self.server.timeouts
        if self.total_outbufs_len:
            return self.since + timeouts.answer
        if self.request is None:
            return self.since + timeouts.idle
        begun = max(self._begun, self.since)  # at the last response, if it was pipelined
        return begun + (timeouts.request if self.request.headers_finished else timeouts.head)

    @property
    def length(self) -> int:
        """Bytes of the next request's target and body."""
        return sum(len(getattr(one, "request_uri", "")) + one.content_length for one in self.requests[:1])

    def refuse(self) -> None:
        """Respond to the next request with 503."""
        for request in self.requests[:1]:
            request.error = request.error or ServerBusy(as_json=request.path.startswith("/api/"))

    def service(self) -> None:
        """Respond to a request, in a thread."""
        self.since = time.monotonic()
        if self.since - self.queued > QUEUED_SECONDS:
            self.refuse()
        self.is_pipelined = len(self.requests) > 1
        super().service()
        self.since = time.monotonic()


class BoundedServer(TcpWSGIServer):
    """The listening socket and its connections."""

    channel_class = TimedChannel

    def __init__(self, *arguments: Any, timeouts: Timeouts | None = None, **named: Any) -> None:
        self.timeouts = timeouts or Timeouts()
        self._closing: list[TimedChannel] = []
        self._newest: TimedChannel | None = None
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = (
            CONNECTIONS if files == resource.RLIM_INFINITY else max(1, min(CONNECTIONS, files - RESERVED_FILES))
        )
        super().__init__(*arguments, **named)

    def handle_accept(self) -> None:
        """Accept waiting connections."""
        for _ in range(ACCEPTED_AT_ONCE):
            newest = self._newest
            super().handle_accept()
            if self._newest is newest:
                break

    def limit_connections(self, newcomer: TimedChannel) -> None:
        """Close one connection where there are too many.

        It is one that waits for its client, else one with a pipelined request, else the new one.
        """
        self._newest = newcomer
        others = [each for each in self.active_channels.values() if each is not newcomer and not each.will_close]
        neighbours = [each for each in others if each.address == newcomer.address]
        crowd = neighbours if len(neighbours) >= CONNECTIONS_PER_ADDRESS else others
        if crowd is others and len(others) < self._most:
            return
        waited_for = [each for each in crowd if each.waits_for_client]
        waited_for = waited_for or [each for each in crowd if each.is_pipelined]
        self._close(min(waited_for, key=lambda each: each.since, default=newcomer))

    def readable(self) -> bool:
        """Return whether another connection can be accepted, after closing the marked ones."""
        self._closing = [channel for channel in self._closing if not self._has_ended(channel)]
        return super().readable()

    def maintenance(self, now: float) -> None:
        """Close the connections that timed out; the loop calls this once a second."""
        now = time.monotonic()
        for channel in list(self.active_channels.values()):
            if channel.closes_at < now:
                self._close(channel)

    def _has_ended(self, channel: TimedChannel) -> bool:
        """Close a connection unless a thread works for it; return whether it is closed."""
        if channel.connected and (channel.waits_for_client or self.task_dispatcher.withdraw(channel)):
            channel.handle_close()  # at once: waitress would wait until a peer that does not read can be written to
        return not channel.connected

    def _close(self, channel: TimedChannel) -> None:
        channel.will_close = True  # nothing more is read
        self._closing.append(channel)
