"""Who plays fifty hosts? One server on loopback, which logs each request as a web server does.

The time of a request is from the kernel, which stamps packets before this process is awake (SO_TIMESTAMPNS, socket(7),
for TCP since Linux 4.14). On a busy machine, a clock read here would be late by varying amounts. Two requests would
look closer together than they were, or further apart.
"""

from __future__ import annotations

import io
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from tests.durability.hosts.access_log import LoggedAccess
from tests.durability.hosts.host import BUSY_EVERY, RETRY_AFTER, SLOW_SECONDS, HostKind, PlayedHost, path_of_page

if TYPE_CHECKING:
    from collections.abc import Iterable

STAMPS = getattr(socket, "SO_TIMESTAMPNS", 35)  # Linux's number; Python names it from 3.14 on
STAMP = struct.Struct("@qq")  # seconds and nanoseconds since the epoch
PATIENCE = 30.0  # seconds after which a connection that was told nothing is let go

HostAnswer = tuple[int, dict[str, str], str]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # connections that may come at once

    def server_bind(self) -> None:
        """Let the kernel stamp what comes: connections inherit it."""
        self.socket.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        super().server_bind()

    def handle_error(self, *_: object) -> None:
        """Say nothing: a robot may go at any time."""


class _StampedReader(io.RawIOBase):
    """Reads a connection; `arrived` is when the latest bytes came to this machine, in seconds since the epoch."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.arrived = 0.0

    def readable(self) -> bool:
        """Return that it is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what is there, with its stamp. Raises `OSError` where bytes have none: nothing would be proved."""
        count, extra, *_ = self._connection.recvmsg_into([buffer], socket.CMSG_SPACE(STAMP.size))
        stamps = [data for level, kind, data in extra if (level, kind) == (socket.SOL_SOCKET, STAMPS)]
        if count and not stamps:
            raise OSError("the kernel does not say when a request came")
        for data in stamps:
            seconds, nanoseconds = STAMP.unpack(data)
            self.arrived = seconds + nanoseconds / 1e9
        return count


def _until_stamped() -> None:
    """Return when the kernel stamps what comes: asked to, it begins a moment later. Raises `OSError` if it does not."""
    until = time.monotonic() + PATIENCE
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        while True:
            with socket.create_connection(server.getsockname()) as robot, server.accept()[0] as served:
                robot.send(b"?")
                try:
                    _StampedReader(served).readinto(bytearray(1))
                except OSError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.01)
                else:
                    return


class HostServer:
    """Plays hosts. Use it in a `with` block."""

    def __init__(self, hosts: Iterable[PlayedHost]) -> None:
        self.log: list[LoggedAccess] = []
        self._hosts = {host.name: host for host in hosts}
        self._refused: set[tuple[str, str]] = set()  # what has answered 429 once
        self.over = threading.Event()  # when whoever is told nothing is let go
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        _until_stamped()
        self.port: int = self._server.server_port

    def of(self, host: PlayedHost) -> list[LoggedAccess]:
        """Return what was asked of one host, in the order in which it was asked."""
        return sorted((one for one in self.log if one.host == f"{host.name}:{self.port}"), key=lambda one: one.start)

    def answer(self, name: str, path: str) -> HostAnswer | None:
        """Answer a request; None: say nothing."""
        host = self._hosts.get(name.rpartition(":")[0])
        if host is None:
            return 404, {}, ""
        if host.kind is HostKind.SILENT:
            self.over.wait(PATIENCE)
            return None
        rules = "/rules.txt" if host.kind is HostKind.MOVED else "/robots.txt"
        text = {"Content-Type": "text/plain"}
        if path == "/robots.txt" and host.kind in {HostKind.MOVED, HostKind.FREE, HostKind.FAILING}:
            return {HostKind.MOVED: 301, HostKind.FREE: 404}.get(host.kind, 503), text | {"Location": rules}, ""
        if path == rules:
            return 200, text, host.robots(self.port)
        if path == "/sitemap.xml" and host.kind is HostKind.LISTED:
            return 200, {"Content-Type": "application/xml"}, host.sitemap(self.port)
        return self._page(host, path)

    def _page(self, host: PlayedHost, path: str) -> HostAnswer:
        digits = path.removeprefix("/p").removesuffix(".html")
        number = 0 if path == "/" else int(digits) if digits.isdecimal() else host.pages
        if number >= host.pages or path != path_of_page(number):
            return 404, {"Content-Type": "text/plain"}, "nothing here"
        if host.kind is HostKind.BUSY and number % BUSY_EVERY == 1 and (host.name, path) not in self._refused:
            self._refused.add((host.name, path))
            return 429, {"Retry-After": str(RETRY_AFTER)}, ""
        if host.kind is HostKind.SLOW:
            time.sleep(SLOW_SECONDS)
        return 200, {"Content-Type": "text/html; charset=utf-8"}, host.page(number, self.port)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def let_go(self) -> None:
        """Close the connections that are told nothing, or have to wait."""
        self.over.set()

    def __exit__(self, *_: object) -> None:
        self.let_go()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: HostServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self._stamped = _StampedReader(self.connection)
            self.rfile = io.BufferedReader(self._stamped)

        def parse_request(self) -> bool:
            self.start, self.noted = self._stamped.arrived, time.time()
            return super().parse_request()

        def do_GET(self) -> None:
            name, agent = self.headers.get("Host", ""), self.headers.get("User-Agent", "")
            answer = server.answer(name, self.path)
            status = answer[0] if answer else 0
            late = self.noted - self.start
            server.log.append(LoggedAccess(self.start, time.time(), name, self.path, status, agent, late))
            if answer is None:
                self.close_connection = True
                return
            _, headers, text = answer
            body = text.encode()
            self.send_response(status)
            for header, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: `log` has it."""

    return Handler
