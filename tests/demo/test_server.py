"""Does the practice web start, stop, and say what is wrong? In a program and on the command line."""

from __future__ import annotations

import re
import signal
import socket
import sys
import urllib.request

import pytest

from demo import PortInUse, PracticeWeb
from tests.child import PATIENCE, child
from tests.forks import ForkServer, forked

DEMO = [sys.executable, "-m", "demo"]


def test_port_0_takes_a_free_one_and_tells_it(web: PracticeWeb) -> None:
    assert web.port > 0
    assert web.origin("bakery") == f"http://bakery.localhost:{web.port}"
    assert web.origin("bakery") + "/" in web.seeds


def test_a_port_in_use_says_what_would_work(web: PracticeWeb) -> None:
    with pytest.raises(PortInUse, match=rf"port {web.port} of 127.0.0.1 is in use .* --port {web.port + 1}"):
        PracticeWeb(web.port).start()


def test_after_the_end_the_port_is_free_and_open_connections_are_closed() -> None:
    with PracticeWeb(0) as web:
        waiting = socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE)
        waiting.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: bakery.localhost\r\n\r\n")
        assert waiting.recv(10).startswith(b"HTTP/1.1")
    while waiting.recv(65536):
        pass
    waiting.close()
    with PracticeWeb(web.port) as again:
        assert again.port == web.port


def test_stopping_twice_is_harmless_and_the_log_stays(web: PracticeWeb) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{web.port}/") as answer:
        assert b"practise" in answer.read()
    web.stop()
    web.stop()
    assert [request.path for request in web.requests] == ["/"]


def test_starting_twice_is_a_mistake(web: PracticeWeb) -> None:
    with pytest.raises(RuntimeError, match=f"running on port {web.port} already"):
        web.start()


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ValueError, match=f"port {port}: choose 1 to 65535"):
        PracticeWeb(port)


def test_each_start_begins_anew() -> None:
    statuses = []
    for _ in range(2):
        with PracticeWeb(0) as web:
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE) as connection:
                    connection.sendall(b"GET /lost-property.html HTTP/1.1\r\nHost: station.localhost\r\n\r\n")
                    statuses.append(connection.recv(12)[-3:])
    assert statuses == [b"500", b"200"] * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_address_and_ends_cleanly(number: int) -> None:
    with child([*DEMO, "--port", "0"]) as process:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(address[0]) as answer:
            assert answer.status == 200
        process.send_signal(number)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert "ended after 1 requests" in rest


def test_the_command_says_when_its_port_is_taken(web: PracticeWeb, forks: ForkServer) -> None:
    done = forked(forks, f"--port={web.port}", entry="demo.__main__:main")
    assert done.returncode == 2
    assert done.stderr.startswith(f"port {web.port} of 127.0.0.1 is in use")


@pytest.mark.parametrize("text", ["70000", "x", "-1", "²"])
def test_the_command_says_which_ports_there_are(text: str, forks: ForkServer) -> None:
    done = forked(forks, f"--port={text}", entry="demo.__main__:main")
    assert done.returncode == 2
    assert "is not a port: choose 1 to 65535" in done.stderr
