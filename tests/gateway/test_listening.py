"""Why the gateway can't listen, and what would work."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from gateway import AddressUnusable, PortTaken, create_app, serve

if TYPE_CHECKING:
    from pathlib import Path


def test_a_port_in_use_is_said_with_one_that_may_work(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} of 127.0.0.1 is in use .* --port {port + 1}"):
            serve(create_app(tmp_path), "127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port", "told"),
    [
        pytest.param("no-such-host.invalid", 0, "knows no such name", id="a name that nobody has"),
        pytest.param("192.0.2.1", 0, "--host takes an address of this machine", id="an address of another machine"),
        pytest.param("127.0.0.1", 70_000, "a port is a number from 1 to 65535", id="no port"),
    ],
)
def test_where_it_can_not_listen_it_says_what_would_work(tmp_path: Path, host: str, port: int, told: str) -> None:
    with pytest.raises(AddressUnusable, match=told):
        serve(create_app(tmp_path), host, port)
