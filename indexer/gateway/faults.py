"""Why can the gateway not listen? Each error says what was given and what would work.

AddressUnusable   no such host here, a port that needs rights, or no port at all
└── PortInUse     another program listens there
"""

from __future__ import annotations

MAX_PORT = 65_535


class AddressUnusable(Exception):
    """The gateway can't listen on the host and port that were given."""


class PortInUse(AddressUnusable):
    """Another program listens on the port."""

    def __init__(self, host: str, port: int) -> None:
        nearby = port + 1 if port < MAX_PORT else 8080
        super().__init__(
            f"port {port} of {host} is in use by another program: stop that one (perhaps a gateway that still runs), "
            f"or take another port with --port {nearby}"
        )
