"""Who plays fifty hosts? One server on loopback, which logs each request as a web server does."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

from bench.hosts.host import BUSY_EVERY, RETRY_AFTER, SLOW_SECONDS, Host, Kind, place

if TYPE_CHECKING:
    from collections.abc import Iterable

PATIENCE = 30.0  # seconds after which a connection that was told nothing is let go

Answer = tuple[int, dict[str, str], str]


@dataclass(frozen=True, slots=True)
class Access:
    """One request: when it came and was answered, in seconds since the epoch; `status` 0: it was not."""

    start: float
    end: float
    host: str  # with its port
    path: str
    status: int
    agent: str

    def line(self) -> str:
        """Return it as a line of a JSON access log."""
        took = self.end - self.start
        seen = {"end": self.end, "took": took, "host": self.host, "url": self.path, "status": self.status or None}
        return json.dumps(seen | {"agent": self.agent})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # connections that may come at once

    def handle_error(self, *_: object) -> None:
        """Say nothing: a robot may go at any time."""


class Server:
    """Plays hosts. Use it in a `with` block."""

    def __init__(self, hosts: Iterable[Host]) -> None:
        self.log: list[Access] = []
        self._hosts = {host.name: host for host in hosts}
        self._refused: set[tuple[str, str]] = set()  # what has answered 429 once
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.port: int = self._server.server_port

    def of(self, host: Host) -> list[Access]:
        """Return what was asked of one host, in the order in which it was asked."""
        return sorted((one for one in self.log if one.host == f"{host.name}:{self.port}"), key=lambda one: one.start)

    def answer(self, name: str, path: str) -> Answer | None:
        """Answer a request; None: say nothing."""
        host = self._hosts.get(name.rpartition(":")[0])
        if host is None:
            return 404, {}, ""
        if host.kind is Kind.SILENT:
            self._over.wait(PATIENCE)
            return None
        rules = "/rules.txt" if host.kind is Kind.MOVED else "/robots.txt"
        text = {"Content-Type": "text/plain"}
        if path == "/robots.txt" and host.kind in {Kind.MOVED, Kind.FREE, Kind.FAILING}:
            return {Kind.MOVED: 301, Kind.FREE: 404}.get(host.kind, 503), text | {"Location": rules}, ""
        if path == rules:
            return 200, text, host.robots(self.port)
        if path == "/sitemap.xml" and host.kind is Kind.LISTED:
            return 200, {"Content-Type": "application/xml"}, host.sitemap(self.port)
        return self._page(host, path)

    def _page(self, host: Host, path: str) -> Answer:
        digits = path.removeprefix("/p").removesuffix(".html")
        number = 0 if path == "/" else int(digits) if digits.isdecimal() else host.pages
        if number >= host.pages or path != place(number):
            return 404, {"Content-Type": "text/plain"}, "nothing here"
        if host.kind is Kind.BUSY and number % BUSY_EVERY == 1 and (host.name, path) not in self._refused:
            self._refused.add((host.name, path))
            return 429, {"Retry-After": str(RETRY_AFTER)}, ""
        if host.kind is Kind.SLOW:
            time.sleep(SLOW_SECONDS)
        return 200, {"Content-Type": "text/html; charset=utf-8"}, host.page(number)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def parse_request(self) -> bool:
            self.start = time.time()  # the request line has just come
            return super().parse_request()

        def do_GET(self) -> None:
            name, agent = self.headers.get("Host", ""), self.headers.get("User-Agent", "")
            answer = server.answer(name, self.path)
            status = answer[0] if answer else 0
            server.log.append(Access(self.start, time.time(), name, self.path, status, agent))
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
