"""Is a visitor on loopback the user who runs the gateway? Not a proxy's visitor, and no other user of the machine."""

from __future__ import annotations

import os
import sys
import threading
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest
from flask import Flask, request
from werkzeug.serving import make_server

from extensions.logins.private import visitors

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone says whose a connection is")


@pytest.fixture
def port() -> Iterator[int]:
    app = Flask(__name__)
    app.get("/")(lambda: str(visitors.is_of_this_machine(request)))
    server = make_server("127.0.0.1", 0, app)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def told(port: int, **headers: str) -> str:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/", headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


def test_the_user_of_the_gateway_is_let_in_and_no_visitor_of_a_proxy(port: int) -> None:
    assert told(port) == "True"
    assert told(port, X_Forwarded_For="192.0.2.1") == told(port, Via="1.1 cache") == "False"
    assert told(port, X_Forwarded_Groups="staff") == told(port, Host="search.example.org") == "False"


def test_another_user_of_the_machine_is_a_stranger(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    assert told(port) == "False"
