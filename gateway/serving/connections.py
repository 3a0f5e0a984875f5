"""Who may stay connected? Whoever is quick, however many others are slow: nobody keeps people out by holding on.

A connection has a time for each thing that it can be late with: to say something, to end the head of a request, to end
the request, to take the answer. Where an address has all the connections that it may have, a new one of it takes the
place of the one that has kept us waiting longest. So connections that say nothing hold up nobody, not even behind a
proxy, where all have one address.

A request that came together with the one before it ("pipelining", RFC 9112, 9.3.2) waits until that one's answer was
taken. So who asks much and reads nothing has one answer at a time in our memory.

Waitress reads the requests. What is added to its rules is what a program before it could read otherwise (RFC 9112, 3.2
and 6.1).
"""
# mypy: disable-error-code="no-untyped-call,misc,no-any-return"

from __future__ import annotations

import math
import resource
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer

from gateway.serving.request_queue import QUEUED_SECONDS, ServerBusy

CONNECTIONS = 512  # open at a time
CONNECTIONS_PER_ADDRESS = (
    128  # of one address: more than requests can be at work and wait, so that no request is dropped unread
)
RESERVED_FILES = 96  # descriptors that the index and the crawl database may need
ACCEPTED_AT_ONCE = 64  # between two looks at those that are open


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds a connection may keep us waiting."""

    idle: float = 5.0  # until something is said, at first and after an answer
    head: float = 10.0  # from the first byte of a request to the end of its head
    request: float = 20.0  # from the first byte of a request to its last one
    answer: float = 60.0  # until an answer was taken


class StrictParser(HTTPRequestParser):
    """Refuses requests whose end or whose host two programs could see in two places."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head of a request. Raises ParsingError, which is answered with 400 and ends the connection."""
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
            self.headers["HOST"] = self.proxy_netloc  # what the request line names counts (RFC 9112, 3.2.2)


class TimedChannel(HTTPChannel):
    """A connection, and until when it may keep us waiting. All times are of `time.monotonic`."""

    parser_class = StrictParser

    def __init__(self, server: BoundedServer, sock: Any, addr: Any, adj: Any, map: Any = None) -> None:  # noqa: A002 - as waitress has it
        super().__init__(server, sock, addr, adj, map=map)
        self.address: str = addr[0]
        self.since = time.monotonic()  # when it was opened, or its last answer was made
        self.queued = 0.0
        self.is_pipelined = False  # whether the next request came together with the one before it
        self.waits_for_reader = False  # whether the next request waits until the answer before it was taken
        self._begun = 0.0
        server.limit_connections(self)

    def received(self, data: bytes) -> bool:
        """Take what has come."""
        if self.request is None:
            self._begun = time.monotonic()
        self.is_pipelined = False  # nothing is read as long as a request waits
        return super().received(data)

    def readable(self) -> bool:
        """Return whether more can be read; of a closed one no: its descriptor may be another connection's by now."""
        return self.connected and super().readable()

    def writable(self) -> bool:
        """Return whether there is something to send or to close."""
        return self.connected and super().writable()

    def handle_write(self) -> None:
        """Send what can be sent; when all was taken, let the next request wait for its turn."""
        super().handle_write()
        with self.requests_lock:
            if self.waits_for_reader and not self.total_outbufs_len and self.connected:
                self.waits_for_reader = False
                self.server.add_task(self)

    def wait_for_reader(self) -> bool:
        """Note whether an answer has to be taken before the next request. The caller holds `requests_lock`."""
        self.waits_for_reader = self.total_outbufs_len > 0
        return self.waits_for_reader

    @property
    def waits_for_client(self) -> bool:
        """Whether it is the other side that has to do something: to ask, or to take an answer."""
        return not self.requests or self.waits_for_reader

    @property
    def until(self) -> float:
        """When it is closed if nothing more comes of it. A request that is complete waits for us."""
        if not self.waits_for_client:
            return math.inf
        timeouts: Timeouts = self.server.timeouts
        if self.total_outbufs_len:
            return self.since + timeouts.answer
        if self.request is None:
            return self.since + timeouts.idle
        begun = max(self._begun, self.since)  # with the answer before it, if it came together with that one's request
        return begun + (timeouts.request if self.request.headers_finished else timeouts.head)

    @property
    def length(self) -> int:
        """Bytes of the next request's target and body."""
        return sum(len(getattr(one, "request_uri", "")) + one.content_length for one in self.requests[:1])

    def refuse(self) -> None:
        """Answer the next request with 503."""
        for request in self.requests[:1]:
            request.error = request.error or ServerBusy(as_json=request.path.startswith("/api/"))

    def service(self) -> None:
        """Answer a request, in a thread."""
        self.since = time.monotonic()
        if self.since - self.queued > QUEUED_SECONDS:
            self.refuse()
        self.is_pipelined = len(self.requests) > 1
        super().service()
        self.since = time.monotonic()


class BoundedServer(TcpWSGIServer):
    """The socket that listens, and the connections that it has taken."""

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
        """Take the connections that wait."""
        for _ in range(ACCEPTED_AT_ONCE):
            newest = self._newest
            super().handle_accept()
            if self._newest is newest:
                break

    def limit_connections(self, newcomer: TimedChannel) -> None:
        """Choose a connection to close where there are too many: one that keeps us waiting, else the new one.

        Before the new one goes one that has had an answer, and asked for more before it took that.
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
        """Return whether another connection can be taken, after those are closed that are to be."""
        self._closing = [channel for channel in self._closing if not self._has_ended(channel)]
        return super().readable()

    def maintenance(self, now: float) -> None:
        """Close the connections that are late; the loop calls this once a second."""
        now = time.monotonic()
        for channel in list(self.active_channels.values()):
            if channel.until < now:
                self._close(channel)

    def _has_ended(self, channel: TimedChannel) -> bool:
        """Close a connection unless a thread is at work for it; return whether it is closed."""
        if channel.connected and (channel.waits_for_client or self.task_dispatcher.withdraw(channel)):
            channel.handle_close()  # at once: waitress would wait until a peer that does not read can be written to
        return not channel.connected

    def _close(self, channel: TimedChannel) -> None:
        channel.will_close = True  # nothing more is read
        self._closing.append(channel)
