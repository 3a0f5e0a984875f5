"""Who plays fifty hosts? One server on loopback, which logs each request as a web server does."""

from __future__ import annotations

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Self

from tests.durability.hosts.access_log import LoggedAccess
from tests.durability.hosts.host import BUSY_EVERY, RETRY_AFTER, SLOW_SECONDS, HostKind, PlayedHost, path_of_page
from tests.serving import STAMPS, PatientServer, StampedHandler, StampedReader

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_STAMP = "the kernel does not say when a request came"  # so nothing would be proved
PATIENCE = 30.0  # seconds after which a connection that was told nothing is let go

HostAnswer = tuple[int, dict[str, str], str]


class _Server(PatientServer):
    request_queue_size = 256  # connections that may come at once

    def handle_error(self, *_: object) -> None:
        """Say nothing: a robot may go at any time."""


def _until_stamped() -> None:
    """Return when the kernel stamps what comes: asked to, it begins a moment later. Raises `OSError` if it does not."""
    until = time.monotonic() + PATIENCE
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        while time.monotonic() < until:
            with socket.create_connection(server.getsockname()) as robot, server.accept()[0] as served:
                robot.send(b"?")
                reader = StampedReader(served)
                reader.readinto(bytearray(1))
                if reader.arrived is not None:
                    return
            time.sleep(0.01)
    raise OSError(NO_STAMP)


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
    class Handler(StampedHandler, BaseHTTPRequestHandler):
        def parse_request(self) -> bool:
            if self.stamped.arrived is None:
                raise OSError(NO_STAMP)
            self.start, self.noted = self.stamped.arrived, time.time()
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
