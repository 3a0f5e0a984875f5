"""The gateway as a process: it says where it listens, answers side by side, and ends when asked to."""

from __future__ import annotations

import http.client
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from tests.gateway.conftest import running

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_where_it_listens_and_answers_there(bakery: Path) -> None:
    with running(bakery) as (address, _):
        connection = http.client.HTTPConnection(address.netloc, timeout=30)
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["Server"] is None
        answer.read()
        connection.close()


def test_its_threads_answer_side_by_side(bakery: Path) -> None:
    with running(bakery) as (address, _), ThreadPoolExecutor(8) as readers:
        paths = ["search?q=cake", "api/search?q=rye", "why?url=http://bakery.localhost:8400/", "stats"] * 8
        assert set(readers.map(lambda path: _status(f"{address.geturl()}{path}"), paths)) == {200}


def _status(url: str) -> int:
    with urlopen(url, timeout=60) as answer:
        status: int = answer.status
        return status


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_asked_to(bakery: Path, how: signal.Signals) -> None:
    with running(bakery) as (_, process):
        process.send_signal(how)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0
        assert errors == ""


def test_opened_to_a_network_it_answers_under_any_name(bakery: Path) -> None:
    with running(bakery, host="0.0.0.0") as (address, _):
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=30)
        connection.request("GET", "/bot", headers={"Host": "search.intranet.example"})
        assert connection.getresponse().status == 200
        connection.close()


def test_importing_the_gateway_does_not_import_what_serves_it() -> None:
    script = "import sys, gateway, indexer.retrieval.results; print({'flask', 'waitress'} & set(sys.modules))"
    with Popen([sys.executable, "-c", script], stdout=PIPE, text=True) as process:
        assert process.communicate(timeout=60)[0] == "set()\n"
