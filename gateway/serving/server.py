"""Where does the gateway listen, how does it respond, and how does it stop? One socket with a few threads.

`connections.py` decides who may stay connected, and which request is next.

Where it can't listen, an error says what was given and what would work:

    AddressUnusable   no such host here, a port that needs rights, or no port at all
    └── PortTaken     another program listens there

`serve` imports waitress, so the errors alone are light to import.
"""

from __future__ import annotations

import errno
import gc
import signal
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from urls.host import MAX_PORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

    from gateway.served_crawl import ServedCrawl
    from gateway.serving.connections import Timeouts

MAX_HEADER_BYTES = 32 * 1024  # a query in a URL has at most 12,000
YOUNG_OBJECTS = 10_000  # a response makes some thousands, and nearly all are freed with it
MAX_BODY_BYTES = 64 * 1024  # the form is far smaller; Flask has its own, narrower limit


class AddressUnusable(Exception):
    """The gateway can't listen on the host and port that were given."""


class PortTaken(AddressUnusable):
    """Another program listens on the port."""

    def __init__(self, host: str, port: int) -> None:
        nearby = port + 1 if port < MAX_PORT else 8080
        super().__init__(
            f"port {port} of {host} is in use by another program: stop that one (perhaps a gateway that still runs), "
            f"or use another port with --port {nearby}"
        )


def serve(
    app: Flask,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    ready: Callable[[str], None] | None = None,
    stopping: Callable[[int], None] | None = None,
    timeouts: Timeouts | None = None,
) -> None:
    """Serve requests until SIGINT or SIGTERM; what visitors submit is on the disk at once.

    `ready` is called with the URL of the gateway once it listens; port 0 takes a free one. `stopping` is called at the
    end with the number of running requests, if there are any. `timeouts` are for slow connections. Raises PortTaken or
    AddressUnusable where it can't listen.
    """
    from waitress import wasyncore  # noqa: PLC0415 - needed here alone
    from waitress.adjustments import Adjustments  # noqa: PLC0415 - as above

    from gateway.browser_guard import hosts_on_network, is_loopback_address  # noqa: PLC0415 - as above
    from gateway.served_crawl import EXTENSION  # noqa: PLC0415 - as above
    from gateway.serving.connections import (  # noqa: PLC0415 - as above
        CONNECTIONS,
        BoundedServer,
        Dispatcher,
    )

    crawl = app.extensions.get(EXTENSION)
    with listening_socket(host, port) as listener:
        address = listener.getsockname()
        if not is_loopback_address(address[0]):
            app.config["HOST_NAMES"] |= hosts_on_network(host)
            app.config["ON_NETWORK"] = True
        channels: dict[int, object] = {}
        server = BoundedServer(
            app,
            map=channels,
            _sock=listener,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, listener.proto, address),
            dispatcher=Dispatcher(stopping),
            timeouts=timeouts,
            adj=Adjustments(
                connection_limit=2 * CONNECTIONS,  # `connections.py` closes some before waitress takes no more
                cleanup_interval=1,
                max_request_header_size=MAX_HEADER_BYTES,
                max_request_body_size=MAX_BODY_BYTES,
                ident=None,
                clear_untrusted_proxy_headers=False,  # `browser_guard.py` decides which of them to believe
                asyncore_use_poll=True,  # select() ends at descriptor 1,023
            ),
        )
        try:
            with _terminable(), suppress(KeyboardInterrupt):
                if ready is not None:
                    ready(f"http://{_host_in_url(host)}:{address[1]}/")
                if crawl is not None:
                    threading.Thread(target=_get_ready, args=(crawl,), daemon=True).start()  # no request waits for it
                server.run()
        finally:
            server.task_dispatcher.shutdown()
            wasyncore.close_all(channels)


def _get_ready(crawl: ServedCrawl) -> None:
    crawl.warm_up()
    freeze_memory()


def freeze_memory() -> None:
    """Collect garbage less often, and not among the objects of the start: they stay."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


@contextmanager
def listening_socket(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address. Raises AddressUnusable or PortTaken where that can't be done."""
    if not 0 <= port <= MAX_PORT:
        raise AddressUnusable(f"--port {port}: a port is a number from 1 to {MAX_PORT}")
    listener = _bound_socket(host, port)
    with listener:
        yield listener


def _bound_socket(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise AddressUnusable(
            f"--host {host}: this machine knows no such name ({error}): use 127.0.0.1, or 0.0.0.0 for every network"
        ) from error
    family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] is not socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # waitress listens too; here a second listener on the port is noticed before anything starts
    except OSError as error:
        listener.close()
        raise _listen_fault(error, host, port) from error
    return listener


def _listen_fault(error: OSError, host: str, port: int) -> AddressUnusable:
    if error.errno == errno.EADDRINUSE:
        return PortTaken(host, port)
    if error.errno == errno.EACCES:
        return AddressUnusable(f"port {port} needs rights that you don't have: use one above 1023, such as --port 8080")
    return AddressUnusable(
        f"can't listen on {host}, port {port}: {error.strerror}. --host needs an IP address of this machine"
    )


def _host_in_url(host: str) -> str:
    """Return a host as it stands in a URL that can be opened here: for every address of this machine, its own."""
    shown = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - names what was given
    return f"[{shown}]" if ":" in shown else shown


@contextmanager
def _terminable() -> Iterator[None]:
    """Stop at SIGTERM, which service managers send, as at Ctrl-C."""
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
