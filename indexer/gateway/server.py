"""How does the gateway listen, and how does it stop? On one socket with a few threads, until it is asked to end."""

from __future__ import annotations

import errno
import ipaddress
import signal
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

import waitress
from waitress import wasyncore

from indexer.gateway.faults import MAX_PORT, AddressUnusable, PortInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

THREADS = 8  # requests answered at a time; more would only share the same processor
CONNECTIONS = 200  # open at a time: the rest wait in the backlog
IDLE_SECONDS = 30  # until a connection that says nothing is closed
MAX_HEADER_BYTES = 32 * 1024  # a query in a URL has at most 12,000
MAX_BODY_BYTES = 64 * 1024  # the form is far smaller; Flask has its own, narrower limit


def run(app: Flask, host: str, port: int, *, ready: Callable[[str], None] | None = None) -> None:
    """Answer requests until SIGINT or SIGTERM. Raises PortInUse, AddressUnusable."""
    with _listening(host, port) as listener:
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
            channel_timeout=IDLE_SECONDS,
            max_request_header_size=MAX_HEADER_BYTES,
            max_request_body_size=MAX_BODY_BYTES,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
        try:
            with _terminable(), suppress(KeyboardInterrupt):
                if ready is not None:
                    ready(f"http://{_in_url(host)}:{address[1]}/")
                server.run()
        finally:
            server.task_dispatcher.shutdown()
            wasyncore.close_all(channels)


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    if not 0 <= port <= MAX_PORT:
        raise AddressUnusable(f"--port {port}: a port is a number from 1 to {MAX_PORT}")
    listener = _bound(host, port)
    with listener:
        yield listener


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise AddressUnusable(
            f"--host {host}: this machine knows no such name ({error}): take 127.0.0.1, or 0.0.0.0 for every network"
        ) from error
    family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] is not socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # waitress listens too; here a second listener on the port is noticed before anything starts
    except OSError as error:
        listener.close()
        raise _explained(error, host, port) from error
    return listener


def _explained(error: OSError, host: str, port: int) -> AddressUnusable:
    if error.errno == errno.EADDRINUSE:
        return PortInUse(host, port)
    if error.errno == errno.EACCES:
        return AddressUnusable(f"port {port} needs rights that you don't have: take one above 1023, as --port 8080")
    return AddressUnusable(
        f"can't listen on {host}, port {port}: {error.strerror}. --host takes an address of this machine, as 127.0.0.1"
    )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


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
