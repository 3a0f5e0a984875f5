"""How does a test serve pages on loopback? From a thread that ends with its block, however busy the machine is."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

STOP_SECONDS = 0.02  # how soon a server notices that it must end


class PatientServer(ThreadingHTTPServer):
    """A server that lets connections wait: clients would retry a refused one.

    It logs nothing when a client hangs up, for example a killed crawl.
    """

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


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
