"""The gateway as a process: it says where it listens, or why it can't, serves in parallel, and stops on a signal."""

from __future__ import annotations

import http.client
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import PIPE
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from gateway import AddressUnusable, PortTaken, create_app, serve
from gateway.serving.connections import THREADS
from tests.child import PATIENCE, child
from tests.gateway.conftest import running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer


def test_it_says_where_it_listens_and_answers_there(forks: ForkServer, bakery: Path) -> None:
    with running(forks, bakery) as (address, _):
        connection = http.client.HTTPConnection(address.netloc, timeout=PATIENCE)
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["Server"] is None
        answer.read()
        connection.close()


@pytest.mark.slow
def test_its_threads_answer_side_by_side(forks: ForkServer, bakery: Path) -> None:
    with running(forks, bakery) as (address, _), ThreadPoolExecutor(THREADS) as readers:  # of more, some may be refused
        paths = ["search?q=cake", "api/search?q=rye", "why?url=http://bakery.localhost:8400/", "stats"] * 8
        assert set(readers.map(lambda path: _status(f"{address.geturl()}{path}"), paths)) == {200}


def _status(url: str) -> int:
    with urlopen(url, timeout=PATIENCE) as answer:
        status: int = answer.status
        return status


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_asked_to(forks: ForkServer, bakery: Path, how: signal.Signals) -> None:
    with running(forks, bakery) as (_, process):
        process.send_signal(how)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert errors == ""


HOLDING = """
import sys
from pathlib import Path
from gateway import create_app, serve
from commands.serve import announce_stopping

app = create_app(Path({folder!r}))
app.add_url_rule("/held", "held", lambda: print("begun", flush=True) or sys.stdin.readline())
serve(app, "127.0.0.1", 0, ready=lambda address: print(address, flush=True), stopping=announce_stopping)
"""


@pytest.mark.slow
def test_what_is_under_way_is_told_at_once_and_still_answered(tmp_path: Path) -> None:
    line = [sys.executable, "-c", HOLDING.format(folder=str(tmp_path))]
    with child(line, stdin=PIPE) as process, ThreadPoolExecutor(1) as reader:
        assert process.stdout
        assert process.stderr
        assert process.stdin
        answer = reader.submit(urlopen, f"{process.stdout.readline().strip()}held", timeout=PATIENCE)
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        told = process.stderr.readline()  # it comes while the request is held
        process.stdin.write("the answer\n")
        process.stdin.flush()
        assert answer.result().read() == b"the answer\n"
    assert told == "Stopping: waiting for 1 request under way; Ctrl-C again stops at once.\n"


def test_opened_to_a_network_it_says_where_it_can_be_opened_and_answers_under_no_name_but_its_own(
    forks: ForkServer, bakery: Path
) -> None:
    with running(forks, bakery, host="0.0.0.0") as (address, _):
        assert address.hostname == "127.0.0.1"
        for host, status in (
            (address.netloc, 200), ("192.0.2.7:81", 200), (socket.gethostname(), 200), ("evil.example", 421)
        ):  # fmt: skip
            answer, body = asked(address.port, "/opensearch.xml", Host=host)
            assert (answer.status, f"http://{host}/search" in body) == (status, status == 200)


def test_the_scheme_that_a_proxy_on_this_machine_names_stands_in_feeds(forks: ForkServer, bakery: Path) -> None:
    with running(forks, bakery) as (address, _):
        proto = {"X-Forwarded-Proto": "https"}
        assert "https://localhost/search" in asked(address.port, "/opensearch.xml", Host="localhost", **proto)[1]
        assert "http://localhost/search" in asked(address.port, "/opensearch.xml", Host="localhost")[1]


def asked(port: int | None, path: str, **headers: str) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_importing_the_gateway_does_not_import_what_serves_it() -> None:
    script = "import sys, gateway, indexer.retrieval.results; print({'flask', 'waitress'} & set(sys.modules))"
    with child([sys.executable, "-c", script]) as process:
        assert process.communicate(timeout=PATIENCE)[0] == "set()\n"


def test_a_port_in_use_is_said_with_one_that_may_work(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} of 127.0.0.1 is in use .* --port {port + 1}"):
            serve(create_app(tmp_path), "127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port", "told"),
    [
        pytest.param("no-such-host.invalid", 0, "knows no such name", id="a name that nobody has"),
        pytest.param("192.0.2.1", 0, "--host needs an IP address of this machine", id="an address of another machine"),
        pytest.param("127.0.0.1", 70_000, "a port is a number from 1 to 65535", id="no port"),
    ],
)
def test_where_it_can_not_listen_it_says_what_would_work(tmp_path: Path, host: str, port: int, told: str) -> None:
    with pytest.raises(AddressUnusable, match=told):
        serve(create_app(tmp_path), host, port)
