"""A server on loopback that returns the responses of a test, and remembers its requests."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from tests.serving import PatientServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def server(*answers: tuple[str, Answer]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serve `answers` by path on loopback; yield the address, and the headers of each request."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append({"path": self.path} | {name.lower(): value for name, value in self.headers.items()})
            status, headers, body = dict(answers).get(self.path, (404, {}, b"nothing here"))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with serving(PatientServer(("127.0.0.1", 0), Handler)) as address:
        yield address, asked
