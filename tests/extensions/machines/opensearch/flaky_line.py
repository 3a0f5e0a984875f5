"""What if the line to a cluster breaks? A relay before a real node treats each bulk request as its test says.

pass            as if it were not there
cut before      the connection ends before the node has received it
cut after       the node has done it, and its response is lost
twice           the node gets it again, after all other requests: a repetition that comes late
busy            429, as a node responds that has no room for more at the moment

To any request `instead` may give a response of its own, as one that was observed of a cluster in trouble.
"""

from __future__ import annotations

import http.client
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class FlakyLine(ThreadingHTTPServer):
    """A relay on loopback. `faults` are for the next bulks, in order; what was sent twice waits in `late`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, node: str) -> None:
        super().__init__(("127.0.0.1", 0), _Relay)
        self.node = node
        self.faults: list[str] = []
        self.late: list[tuple[str, bytes]] = []
        self.away = False  # every request is cut
        self.instead: Callable[[str, str], tuple[int, bytes] | None] = lambda *_: None  # of a request: method, path

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_address[1]}"

    def repeat_late(self) -> None:
        """Let arrive what was on its way for so long."""
        for path, body in self.late:
            forward(self.node, "POST", path, body)

    def handle_error(self, *_: Any) -> None:
        """A connection that was cut is what a test wanted."""


class _Relay(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _do(self) -> None:
        line = cast("FlakyLine", self.server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_bulk = self.path.startswith("/_bulk")
        fault = line.faults.pop(0) if is_bulk and line.faults else "pass"
        if line.away or fault == "cut before":
            self.close_connection = True
            return
        if fault == "busy":
            self._answer(429, b'{"error": {"type": "rejected_execution_exception", "reason": "full"}}')
            return
        status, content = line.instead(self.command, self.path) or forward(line.node, self.command, self.path, body)
        if fault == "twice":
            line.late.append((self.path, body))
        if fault == "cut after":
            self.close_connection = True
            return
        self._answer(status, content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _do  # noqa: N815 - names of http.server

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def forward(node: str, method: str, path: str, body: bytes) -> tuple[int, bytes]:
    """Ask a node, and return the status and the content of its answer."""
    asked = http.client.HTTPConnection(node, timeout=60)
    try:
        asked.request(method, path, body, {"Content-Type": "application/json"})
        answer = asked.getresponse()
        return answer.status, answer.read()
    finally:
        asked.close()


@contextmanager
def flaky_line(node: str) -> Iterator[FlakyLine]:
    """Run a relay to a node."""
    with FlakyLine(node) as line:
        thread = threading.Thread(target=line.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield line
        finally:
            line.shutdown()
            thread.join()
