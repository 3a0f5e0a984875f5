"""Who may stay connected? A client that is quick, however many others are slow.

A connection has a timeout for each step: the first byte, the head of a request, its end, and reading the response.
Where an IP address has all its connections, a new one replaces the one that has been idle longest. So silent
connections block nobody, even behind a proxy, where all have one IP address.

A pipelined request (RFC 9112, 9.3.2) waits until the client has read the response before it. So a client that sends
much and reads nothing has one response at a time in memory.

Waitress parses the requests. The added rules reject requests that another program could parse differently (RFC 9112,
3.2 and 6.1).
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
