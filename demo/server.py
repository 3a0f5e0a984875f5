"""How is the practice web started and stopped? `with PracticeWeb() as web:` in a program, `python -m demo` by hand.

A crawler sends many requests over many connections. So connections stay open (HTTP/1.1 keep-alive), each response has
its length, and header and body leave in one send without Nagle's wait. The server looks no name up, prints nothing, and
gives each connection a thread.

Only browsers and some robots know that every name in `.localhost` is this machine. For all others the server is a
proxy, too: with `http_proxy=http://127.0.0.1:8400` a robot sends the whole URL, and the server reads the site from it.
It opens no connection to any other server.

A log shows later what a robot did: a JSON object a line for each request. `end` is the moment of the response in
seconds since 1970, `took` the seconds that it took, and `url` what the robot asked for: the path, at the site `host`.
`method`, `status`, `agent` and `client` (an IP address) are always there; `from`, `if_none_match` and
`if_modified_since` are there if the robot sent these headers.

A robot in a trap asks without end, so the file has a limit. Its last line then is `{"full": BYTES}`. At the limit, or
on a full disk, one line on standard error says so, and the practice web continues without the log.
"""

from __future__ import annotations

import errno
import json
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from demo.messages import Request, Response, conditional, error_response
from demo.truth import Truth, load
from demo.virtual_hosts import DIRECTORY_NAMES, VirtualHosts

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "127.0.0.1"  # loopback alone: no neighbour should meet its traps
DEFAULT_PORT = 8400
HIGHEST_PORT = 65535
CLOSING_SECONDS = 5  # for the serving thread to notice the end


class PortInUse(OSError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        other = port + 1 if port < HIGHEST_PORT else DEFAULT_PORT
        super().__init__(
            errno.EADDRINUSE,
            f"port {port} of {ADDRESS} is in use by another program: stop that, "
            f"or choose another port, for example --port {other} (--port 0 takes any free one)",
        )
        self.port = port

    def __str__(self) -> str:
        return str(self.strerror)


class PracticeWeb:
    """The sites of Seedville on 127.0.0.1. `port` 0 takes any free one; `.port` is the real one once started.

    `log` is a file for all requests (`RequestLog`); `requests` has the first `MAX_REQUESTS` of them.
    Raises `PortInUse` from `start()` (and on entering `with`), `ValueError` for a number that is no port.
    """

    def __init__(self, port: int = DEFAULT_PORT, log: Path | None = None) -> None:
        if not 0 <= port <= HIGHEST_PORT:
            raise ValueError(f"port {port}: choose 1 to {HIGHEST_PORT}, or 0 for any free one")
        self.port = port
        self.requests: list[Request] = []
        self._log_path = log
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen, and respond from a thread of its own."""
        if self._server is not None:
            raise RuntimeError(f"the practice web is running on port {self.port} already: stop() it first")
        try:
            server = Server((ADDRESS, self.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUse(self.port) from None
            if error.errno == errno.EACCES:
                raise PermissionError(
                    error.errno, f"port {self.port} of {ADDRESS} needs more rights than yours: choose one over 1023"
                ) from None
            raise
        if self._log_path is not None:
            try:
                server.log = RequestLog(self._log_path)
            except OSError:
                server.server_close()
                raise
        self._server = server
        self.port = server.hosts.port
        self.requests = server.requests
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="practice web", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the port and every connection. The log of requests stays, and a second stop does nothing."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()
        self._thread.join(CLOSING_SECONDS)
        if self._server.log is not None:
            self._server.log.close()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def origin(self, name: str) -> str:
        """Return the origin of a site without a slash at its end: `http://bakery.localhost:8400`."""
        return f"http://{name}.localhost:{self.port}"

    @property
    def proxy(self) -> str:
        """Return the proxy by which any robot reaches the sites, also one that can't look up `*.localhost`."""
        return f"http://{ADDRESS}:{self.port}"

    @property
    def truth(self) -> Truth:
        """Return what is true of all sites, with URLs for this port."""
        return load(self.port)

    @property
    def seeds(self) -> tuple[str, ...]:
        """Return the full URLs from which a robot starts."""
        return self.truth.seeds


MAX_LOG_BYTES = 64 * 1024 * 1024  # some 300,000 requests: wget makes as many in five minutes
_DIGITS = 6  # microseconds


class RequestLog:
    """The file at `path`; an earlier one becomes `NAME.1`. Raises `OSError` if it can't be written."""

    def __init__(self, path: Path, most: int = MAX_LOG_BYTES) -> None:
        if path.exists():
            path.replace(path.with_name(f"{path.name}.1"))
        self.path = path
        self._file = path.open("w", encoding="utf-8", buffering=1)  # a line at a time: one may look at any moment
        self._most = most
        self._left = most
        self._lock = threading.Lock()

    def write(self, request: Request) -> None:
        """Append one request, or nothing once the log has ended."""
        line = json.dumps(_as_dict(request)) + "\n"
        with self._lock:
            if self._left <= 0:
                return
            self._left -= len(line)
            try:
                if self._left > 0:
                    self._file.write(line)
                    return
                self._file.write(json.dumps({"full": self._most}) + "\n")
                reason = f"it has {self._most / 2**20:g} MiB"
            except OSError as error:
                self._left = 0
                reason = f"it can't be written ({error.strerror})"
        print(f"{self.path}: {reason}; later requests are not logged", file=sys.stderr)

    def close(self) -> None:
        """Close the file."""
        with self._lock, suppress(OSError):
            self._left = 0
            self._file.close()


def _as_dict(request: Request) -> dict[str, object]:
    fields: dict[str, object] = {
        "end": round(request.time, _DIGITS),
        "took": round(request.took, _DIGITS),
        "client": request.client,
        "host": request.host,
        "method": request.method,
        "url": request.path,
        "status": request.status,
        "agent": request.user_agent,
    }
    sent = {
        "from": request.sender,
        "if_none_match": request.if_none_match,
        "if_modified_since": request.if_modified_since,
    }
    return fields | {name: value for name, value in sent.items() if value}


LONGEST_HOST = 260  # characters: a name of 253, a colon and a port
IDLE_SECONDS = 60  # then a silent connection is closed
WAITING_CONNECTIONS = 128  # that the system holds until they are accepted
MAX_REQUESTS = 200_000  # kept in memory, in some 150 MB; the log file has more
MAX_COUNTED = 200_000  # URLs whose requests are counted: a page of an endless trap does not change with their number


class Server(ThreadingHTTPServer):
    """The listening socket, the sites, and the log of requests."""

    request_queue_size = WAITING_CONNECTIONS
    daemon_threads = True

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, Connection)
        self.hosts = VirtualHosts(self.server_address[1])
        self.requests: list[Request] = []
        self.log: RequestLog | None = None
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def server_bind(self) -> None:
        """Bind without asking for this machine's full name: HTTPServer would look it up, which can take seconds."""
        TCPServer.server_bind(self)

    def count_request(self, name: str, target: str) -> int:
        """Count a GET of `target` on the site `name`; return the number of earlier ones."""
        with self._lock:
            earlier = self._counts[name, target]
            if earlier or len(self._counts) < MAX_COUNTED:
                self._counts[name, target] = earlier + 1
            return earlier

    def keep(self, request: Request) -> None:
        """Keep a request for `requests` and for the log file."""
        if len(self.requests) < MAX_REQUESTS:
            self.requests.append(request)
        if self.log is not None:
            self.log.write(request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Keep the connection, to end it with the server."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close one connection and forget it."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close every connection that waits for another request."""
        with self._lock:
            waiting = tuple(self._open)
        for connection in waiting:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: robots often close a connection in the middle."""


class Connection(BaseHTTPRequestHandler):
    """One connection. The standard library's server calls the methods named `do_…`."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "Seedville"
    sys_version = ""
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Respond to a GET."""
        self._reply(with_body=True)

    def do_HEAD(self) -> None:
        """Respond to a HEAD: everything of the GET but its body."""
        self._reply(with_body=False)

    def do_CONNECT(self) -> None:
        """Refuse a tunnel, which a robot asks a proxy for if it wants https."""
        host = self.path[:LONGEST_HOST]
        self._send(
            host,
            "/",
            error_response(403, f"Seedville opens no connection to {host!r}. Its sites are http, without the s."),
            with_body=True,
        )

    def _reply(self, *, with_body: bool) -> None:
        began = time.perf_counter()
        host, target = self._host_and_target()
        response = self._response(host, target, counts=with_body)
        self._send(host, target, response, with_body=with_body, took=time.perf_counter() - began)

    def _send(self, host: str, target: str, response: Response, *, with_body: bool, took: float = 0.0) -> None:
        self.server.keep(
            Request(
                time.time(),
                host,
                target,
                response.status,
                self.headers.get("User-Agent", ""),
                self.headers.get("If-None-Match", ""),
                self.command,
                self.address_string(),
                took,
                self.headers.get("From", ""),
                self.headers.get("If-Modified-Since", ""),
            )
        )
        if self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # a body that nobody reads would be taken for the next request
        self.wfile.write(self._head(response) + (response.body if with_body else b""))
        if with_body and response.stream:
            for piece in response.stream():
                self.wfile.write(piece)

    def _host_and_target(self) -> tuple[str, str]:
        """Return host and target; a whole URL as the target overrules the Host header (RFC 9112, 3.2.2)."""
        if self.path.lower().startswith("http://"):
            try:
                parts = urlsplit(self.path)
            except ValueError:  # a bracket that never closes
                return self.headers.get("Host", ""), self.path
            return parts.netloc, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return self.headers.get("Host", ""), self.path

    @property
    def _port(self) -> int:
        return self.server.hosts.port

    @property
    def _is_proxied(self) -> bool:
        """Return whether the request has a whole URL as its target, as one to a proxy has."""
        return not self.path.startswith("/")

    def _is_here(self, host: str) -> bool:
        """Return whether a proxy would connect to this server for `host` (with its port)."""
        name, _, port = host.rpartition("@")[2].lower().partition(":")
        name = name.rstrip(".")
        is_ours = name in DIRECTORY_NAMES or name.endswith(".localhost")
        return is_ours and port.lstrip("0") in {"", str(self._port)}

    def _response(self, host: str, target: str, *, counts: bool) -> Response:
        if not host and self.request_version == "HTTP/1.1":
            return error_response(400, "HTTP/1.1 asks for a Host header: many sites live at this address.")
        if not target.startswith("/"):
            return error_response(400, "The target of a request is a path, or to a proxy a whole http URL.")
        if self._is_proxied and not self._is_here(host):
            name = host[:LONGEST_HOST]
            return error_response(
                502, f"Seedville is a proxy for its own sites at port {self._port}, not for {name!r}."
            )
        response = self.server.hosts.respond(
            host, target, lambda folder: self.server.count_request(folder, target) if counts else 0
        )
        return conditional(response, self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since"))

    def _head(self, response: Response) -> bytes:
        lines = [
            f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}",
            f"Server: {self.server_version}",
            f"Date: {self.date_time_string()}",
        ]
        lines += [f"{key}: {value}" for key, value in response.headers]
        if response.status != HTTPStatus.NOT_MODIFIED:  # which has no body, and says so by its number
            lines += [f"Content-Type: {response.type}", f"Content-Length: {response.size}"]
            lines += [f"{key}: {value}" for key, value in response.validators]
        if self.close_connection or self.request_version == "HTTP/1.0":
            lines.append("Connection: " + ("close" if self.close_connection else "keep-alive"))
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def log_message(self, *_: object) -> None:
        """Print nothing; `Server.requests` is the log."""

    def address_string(self) -> str:
        """Return the peer's number, never its name."""
        return str(self.client_address[0])
