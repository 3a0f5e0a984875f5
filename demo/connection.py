"""How does one connection carry many requests? HTTP/1.1 keep-alive: each answer says its length and goes out whole.

A crawler asks fast and on many connections. Header and body leave in one send without Nagle's wait, no name is ever
looked up, nothing is printed; one thread a connection is enough for a practice web.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit

from demo.answer import Answer, conditional, refusal
from demo.request import Request
from demo.town import Town

IDLE_SECONDS = 60  # a connection that says nothing for so long is closed
WAITING_CONNECTIONS = 128  # that the system holds for us before we accept them


class Server(ThreadingHTTPServer):
    """The listening socket, the town behind it, and the log of what was asked."""

    request_queue_size = WAITING_CONNECTIONS
    daemon_threads = True

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, Connection)
        self.town = Town(self.server_address[1])
        self.requests: list[Request] = []
        self._asked: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def server_bind(self) -> None:
        """Bind without asking for this machine's full name: HTTPServer would look it up, which can take seconds."""
        TCPServer.server_bind(self)

    def asked_before(self, name: str, target: str) -> int:
        """Count a GET of `target` on the site `name`; return how many there were before it."""
        with self._lock:
            self._asked[name, target] += 1
            return self._asked[name, target] - 1

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, so that the end of the server is the end of it too."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close one connection and forget it."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Wake every connection that waits for a next request: nobody will answer it."""
        with self._lock:
            waiting = tuple(self._open)
        for connection in waiting:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a robot that hangs up in the middle is an ordinary event on the web."""


class Connection(BaseHTTPRequestHandler):
    """One connection. The methods named `do_…` are those that the standard library's server looks for."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "Seedville"
    sys_version = ""
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a GET."""
        self._reply(with_body=True)

    def do_HEAD(self) -> None:
        """Answer a HEAD: everything of the GET but its body."""
        self._reply(with_body=False)

    def _reply(self, *, with_body: bool) -> None:
        host, target = self._asked_for()
        answer = self._answer(host, target, counts=with_body)
        self.server.requests.append(
            Request(
                time.time(),
                host,
                target,
                answer.status,
                self.headers.get("User-Agent", ""),
                self.headers.get("If-None-Match", ""),
            )
        )
        if self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # a body that nobody reads would be taken for the next request
        self.wfile.write(self._head(answer) + (answer.body if with_body else b""))
        if with_body and answer.stream:
            for piece in answer.stream():
                self.wfile.write(piece)

    def _asked_for(self) -> tuple[str, str]:
        """Return host and target; a whole URL as the target overrules the Host header (RFC 9112, 3.2.2)."""
        if self.path.lower().startswith("http://"):
            try:
                parts = urlsplit(self.path)
            except ValueError:  # a bracket that never closes
                return self.headers.get("Host", ""), self.path
            return parts.netloc, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return self.headers.get("Host", ""), self.path

    def _answer(self, host: str, target: str, *, counts: bool) -> Answer:
        if not host and self.request_version == "HTTP/1.1":
            return refusal(400, "HTTP/1.1 asks for a Host header: many sites live at this address.")
        if not target.startswith("/"):
            return refusal(400, "The target of a request starts with a slash.")
        answer = self.server.town.answer(
            host, target, lambda folder: self.server.asked_before(folder, target) if counts else 0
        )
        return conditional(answer, self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since"))

    def _head(self, answer: Answer) -> bytes:
        lines = [
            f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
            f"Server: {self.server_version}",
            f"Date: {self.date_time_string()}",
        ]
        lines += [f"{key}: {value}" for key, value in answer.headers]
        if answer.status != HTTPStatus.NOT_MODIFIED:  # which has no body, and says so by its number
            lines += [f"Content-Type: {answer.type}", f"Content-Length: {answer.size}"]
            lines += [f"{key}: {value}" for key, value in answer.validators]
        if self.close_connection or self.request_version == "HTTP/1.0":
            lines.append("Connection: " + ("close" if self.close_connection else "keep-alive"))
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def log_message(self, *_: object) -> None:
        """Print nothing; `Server.requests` is the log."""

    def address_string(self) -> str:
        """Return the peer's number, never its name."""
        return str(self.client_address[0])
