"""How is the practice web started and stopped? `with PracticeWeb() as web:` in a program, `python -m demo` by hand."""

from __future__ import annotations

import errno
import threading
from typing import TYPE_CHECKING, Self

from demo.connection import Server
from demo.truth import Truth, load

if TYPE_CHECKING:
    from demo.request import Request

ADDRESS = "127.0.0.1"  # loopback alone: its traps are no business of the neighbours
DEFAULT_PORT = 8400
HIGHEST_PORT = 65535
CLOSING_SECONDS = 5  # that the serving thread has to notice the end


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

    Raises `PortInUse` from `start()` (and on entering `with`), `ValueError` for a number that is no port.
    """

    def __init__(self, port: int = DEFAULT_PORT) -> None:
        if not 0 <= port <= HIGHEST_PORT:
            raise ValueError(f"port {port}: choose 1 to {HIGHEST_PORT}, or 0 for any free one")
        self.port = port
        self.requests: list[Request] = []
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen, and answer from a thread of its own."""
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
        self._server = server
        self.port = server.town.port
        self.requests = server.requests
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="practice web", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close the port and every connection; the log of requests stays. Stopping twice is harmless."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()
        self._thread.join(CLOSING_SECONDS)
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
    def truth(self) -> Truth:
        """Return what is true of all sites, with URLs for this port."""
        return load(self.port)

    @property
    def seeds(self) -> tuple[str, ...]:
        """Return the full URLs from which a robot starts."""
        return self.truth.seeds
