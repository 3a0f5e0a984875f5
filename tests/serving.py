"""How does a test serve pages on loopback? From a thread that ends with its block, however busy the machine is.

The time of a request is from the kernel, which stamps packets before this process is awake (SO_TIMESTAMPNS, socket(7),
for TCP since Linux 4.14). On a busy machine, a clock read here would be late by varying amounts. Two requests would
look closer together than they were, or further apart.
"""

from __future__ import annotations

import io
import socket
import struct
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

STOP_SECONDS = 0.02  # how soon a server notices that it must end
STAMPS = getattr(socket, "SO_TIMESTAMPNS", 35)  # Linux's number; Python names it from 3.14 on
STAMP = struct.Struct("@qq")  # seconds and nanoseconds since the epoch


class PatientServer(ThreadingHTTPServer):
    """A server that lets connections wait: clients would retry a refused one.

    It logs nothing when a client hangs up, for example a killed crawl.
    """

    daemon_threads = True
    request_queue_size = 128

    def server_bind(self) -> None:
        """Let the kernel stamp what comes: connections inherit it."""
        if sys.platform == "linux":
            self.socket.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        super().server_bind()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class StampedReader(io.RawIOBase):
    """Reads a connection; `arrived` is when the latest bytes came to this machine, in seconds since the epoch."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.arrived: float | None = None  # None: the kernel does not say it

    def readable(self) -> bool:
        """Return that it is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what is there, with its stamp."""
        count, extra, *_ = self._connection.recvmsg_into([buffer], socket.CMSG_SPACE(STAMP.size))
        if count:
            stamps = [data for level, kind, data in extra if (level, kind) == (socket.SOL_SOCKET, STAMPS)]
            seconds, nanoseconds = STAMP.unpack(stamps[-1]) if stamps else (0, 0)
            self.arrived = seconds + nanoseconds / 1e9 if stamps else None
        return count


class StampedHandler(BaseHTTPRequestHandler):
    """Knows of each request when it arrived, as `stamped.arrived`."""

    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.stamped = StampedReader(self.connection)
        self.rfile = io.BufferedReader(self.stamped)


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve until the block ends; yield the URL, without a slash at its end."""
    thread = threading.Thread(target=server.serve_forever, args=(STOP_SECONDS,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
