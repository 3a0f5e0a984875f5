"""How does a test serve pages on loopback? From a thread that ends with its block, however busy the machine is."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

STOP_SECONDS = 0.02  # how soon a server hears that it shall end


class PatientServer(ThreadingHTTPServer):
    """A server that lets connections wait: one that is refused would be asked for again.

    It says nothing of who hangs up, as a crawl does that is killed.
    """

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve until the block ends; yield the address, without a slash at its end."""
    thread = threading.Thread(target=server.serve_forever, args=(STOP_SECONDS,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
