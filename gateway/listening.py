"""Where does the gateway listen, or why can it not? On one socket; each error says what was given and what would work.

AddressUnusable   no such host here, a port that needs rights, or no port at all
└── PortTaken     another program listens there

It knows neither Flask nor waitress: `import gateway` has these errors and stays light.
"""

from __future__ import annotations

import errno
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_PORT = 65_535


class AddressUnusable(Exception):
    """The gateway can't listen on the host and port that were given."""


class PortTaken(AddressUnusable):
    """Another program listens on the port."""

    def __init__(self, host: str, port: int) -> None:
        nearby = port + 1 if port < MAX_PORT else 8080
        super().__init__(
            f"port {port} of {host} is in use by another program: stop that one (perhaps a gateway that still runs), "
            f"or take another port with --port {nearby}"
        )


@contextmanager
def listening_socket(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address; raise `AddressUnusable` or `PortTaken` where that cannot be done."""
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
        raise _listen_fault(error, host, port) from error
    return listener


def _listen_fault(error: OSError, host: str, port: int) -> AddressUnusable:
    if error.errno == errno.EADDRINUSE:
        return PortTaken(host, port)
    if error.errno == errno.EACCES:
        return AddressUnusable(f"port {port} needs rights that you don't have: take one above 1023, as --port 8080")
    return AddressUnusable(
        f"can't listen on {host}, port {port}: {error.strerror}. --host takes an address of this machine, as 127.0.0.1"
    )


def host_in_url(host: str) -> str:
    """Return a host as it stands in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host
