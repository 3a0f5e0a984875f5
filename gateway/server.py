"""How does the gateway answer, and how does it stop? With a few threads on its socket, until it is asked to end."""

from __future__ import annotations

import ipaddress
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

import waitress
from waitress import wasyncore

from gateway.listening import host_in_url, listening_socket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

THREADS = 8  # requests answered at a time; more would only share the same processor
CONNECTIONS = 200  # open at a time: the rest wait in the backlog
IDLE_CONNECTION_SECONDS = 30  # until a connection that says nothing is closed
MAX_HEADER_BYTES = 32 * 1024  # a query in a URL has at most 12,000
MAX_BODY_BYTES = 64 * 1024  # the form is far smaller; Flask has its own, narrower limit


def run_server(app: Flask, host: str, port: int, *, ready: Callable[[str], None] | None = None) -> None:
    """Answer requests until SIGINT or SIGTERM. Raises PortInUse, AddressUnusable."""
    with listening_socket(host, port) as listener:
        address = listener.getsockname()
        if not ipaddress.ip_address(address[0]).is_loopback:
            app.config["OWN_NAMES"] = None  # opened to a network on purpose: it has names that only its owner knows
        channels: dict[int, object] = {}
        server = waitress.create_server(
            app,
            map=channels,
            sockets=[listener],
            threads=THREADS,
            connection_limit=CONNECTIONS,
            channel_timeout=IDLE_CONNECTION_SECONDS,
            max_request_header_size=MAX_HEADER_BYTES,
            max_request_body_size=MAX_BODY_BYTES,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
        try:
            with _terminable(), suppress(KeyboardInterrupt):
                if ready is not None:
                    ready(f"http://{host_in_url(host)}:{address[1]}/")
                server.run()
        finally:
            server.task_dispatcher.shutdown()
            wasyncore.close_all(channels)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, by which a service manager ends a process, end the loop as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread, which is the caller's own
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
