"""Slow, silent and ambiguous senders against a real server: no other client waits, and each of them is disconnected."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waitress.adjustments import Adjustments

from gateway.serving.connections import CONNECTIONS_PER_ADDRESS, LONG, MAX_QUEUED, THREADS, RequestQueue, StrictParser
from tests.child import PATIENCE, wait_until
from tests.forks import fork
from tests.gateway.conftest import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /search HTTP/1.1\r\n"
LAST = b"Connection: close\r\n\r\n"
Address = tuple[str, int]


def answer(address: Address, request: bytes) -> bytes:
    """All that a request is answered with, until the server closes."""
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(request)
        return rest_of(connection)


def rest_of(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65_536), b""))


@contextmanager
def gateway_at(forks: ForkServer, data_dir: Path) -> Iterator[Address]:
    with running(forks, data_dir) as (address, _):
        yield "127.0.0.1", address.port or 0


@contextmanager
def served(forks: ForkServer, script: str) -> Iterator[tuple[Address, socket.socket]]:
    """A server made by a script, and a connection on which the script waits for a byte."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = (_HEADING + script, str(listener.getsockname()[1]))
        with fork(forks, *words, entry="tests.gateway.started:by_script") as process:
            listener.settimeout(PATIENCE)
            gate, _ = listener.accept()
            with gate:
                yield ("127.0.0.1", urlsplit(process.first_line()).port or 0), gate


_HEADING = """
import socket
from gateway import serve
from gateway.serving.connections import Timeouts
from flask import Flask
gate = socket.create_connection(("127.0.0.1", GATE))
app = Flask("app")
"""
SHORT = """
@app.route("/healthz", methods=["GET", "POST"])
def healthz():
    return "x" * 40_000_000 if "big" in __import__("flask").request.args else "well"
serve(app, port=0, ready=say, timeouts=Timeouts(idle=.2, head=.4, request=.6, answer=.8))
"""
PIPELINED = """
import time
@app.get("/s")
def s():
    time.sleep(.01)
    return "x" * 1_000_000
@app.get("/longer")
def longer():
    return "well"
serve(app, port=0, ready=say)
"""
HELD = """
@app.get("/api/held")
def held():
    gate.recv(1, socket.MSG_PEEK)
    return "let go"
@app.get("/quick")
def quick():
    return "quick"
serve(app, port=0, ready=say)
"""


@pytest.mark.parametrize("said", [b"", b"x"], ids=["nothing", "a byte a second"])
def test_250_clients_that_say_hardly_anything_hold_up_nobody(forks: ForkServer, bakery: Path, said: bytes) -> None:
    with gateway_at(forks, bakery) as address, ExitStack() as open_ones:
        slow = [open_ones.enter_context(socket.create_connection(address, timeout=PATIENCE)) for _ in range(250)]
        answered = threading.Event()
        sender = threading.Thread(target=_say_each_second, args=(slow, said, answered))
        sender.start()
        try:
            assert answer(address, HEAD + LAST).startswith(b"HTTP/1.1 200 ")
        finally:
            answered.set()
            sender.join()


def _say_each_second(connections: list[socket.socket], said: bytes, ended: threading.Event) -> None:
    while True:
        for connection in connections:
            with suppress(OSError):
                connection.send(said)
        if ended.wait(1):
            return


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\r\n\r\n", id="blank lines"),
        pytest.param(HEAD, id="half a head"),
        pytest.param(HEAD.replace(b"GET", b"POST") + b"Content-Length: 9\r\n\r\nq", id="half a body"),
        pytest.param(HEAD.replace(b"GET", b"POST") + b"Transfer-Encoding: chunked\r\n\r\n1\r\n", id="half a chunk"),
        pytest.param(HEAD + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", id="a promise"),
        pytest.param(HEAD + b"\r\n", id="a request, and then nothing"),
    ],
)
def test_who_does_not_go_on_is_put_out(forks: ForkServer, sent: bytes) -> None:
    with served(forks, SHORT) as (address, _):
        answer(address, sent)  # comes back when the server has closed


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(HEAD + b"X: ", id="a byte of the head at a time"),
        pytest.param(
            HEAD.replace(b"GET", b"POST") + b"Content-Length: 60000\r\n\r\n", id="a byte of the body at a time"
        ),
        pytest.param(HEAD.replace(b"healthz", b"healthz?big=1") + b"\r\n", id="an answer that is not taken"),
    ],
)
def test_who_goes_on_and_comes_to_no_end_is_put_out(forks: ForkServer, begun: bytes) -> None:
    with served(forks, SHORT) as (address, _), socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.send(begun)
        with pytest.raises(ConnectionError):  # reset, or a broken pipe
            _drip(connection)


def _drip(connection: socket.socket) -> None:
    while True:
        connection.send(b"x")
        select.select([], [], [], 0.05)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        pytest.param(
            POST + b"Host: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"Transfer-Encoding is for HTTP/1.1, and without Content-Length",
            id="9112 6.1: two ends",
        ),
        pytest.param(
            b"POST /search HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"Transfer-Encoding is for HTTP/1.1",
            id="9112 6.1: chunks before there were chunks",
        ),
        pytest.param(
            POST + b"Host: localhost\r\nContent-Length: " + b"1" * 5_000 + b"\r\n\r\nq=x",
            b"Content-Length or the host in the first line can't be read",
            id="a length of more digits than Python reads",
        ),
        pytest.param(
            POST + b"Host: localhost\r\nContent-Length:\r\n " + b"1" * 5_000 + b"\r\n\r\nq=x",
            b"Content-Length or the host in the first line can't be read",
            id="the same on two lines",
        ),
        pytest.param(
            b"GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n", b"the host in the first line can't be", id="half a bracket"
        ),
        pytest.param(
            POST + b"Host: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nq=x",
            b"Content-Length is invalid",
            id="9112 6.3: two lengths",
        ),
        pytest.param(b"GET /healthz HTTP/1.1\r\n\r\n", b"a request has one Host", id="9112 3.2: no host"),
        pytest.param(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
            b"a request has one Host",
            id="9112 3.2: two hosts",
        ),
    ],
)
def test_a_request_that_two_programs_could_read_differently_is_refused(
    forks: ForkServer, bakery: Path, request_: bytes, told: bytes
) -> None:
    with gateway_at(forks, bakery) as address:
        said = answer(address, request_ + HEAD + LAST)
    assert said.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 "))
    assert told in said
    assert b" 200 " not in said, "nothing after it is read as a request"


PIECES = st.sampled_from(
    [b"GET", b"POST", b" ", b"/", b"http://[", b"::1", b"]", b"%", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\r\n\r\n",
     b"\r\n ", b"Host:", b"Content-Length:", b"Transfer-Encoding: chunked", b"Expect: 100-continue", b"0", b"7" * 5_000,
     b"\xff", b"\0", b":", b",", b"Connection: close"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map(b"".join), st.lists(PIECES, max_size=6).map(b"".join))
def test_whatever_is_sent_is_read_or_refused_and_breaks_nothing(head: bytes, rest: bytes) -> None:
    for begun in (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST http://[a]/ HTTP/1.1\r\nHost: a\r\nContent-Length:"):
        parser = StrictParser(Adjustments())
        for sent in (begun + head, rest, b"\r\n\r\n"):
            parser.received(sent)  # raises nothing


def test_who_asks_much_and_reads_nothing_keeps_nobody_out(forks: ForkServer) -> None:
    with served(forks, PIPELINED) as (address, _), ExitStack() as open_ones:
        for _ in range(CONNECTIONS_PER_ADDRESS + 20):
            greedy = open_ones.enter_context(socket.create_connection(address, timeout=PATIENCE))
            with suppress(OSError):  # it has made room for a later one
                greedy.sendall(b"GET /s HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        other = b"GET /longer HTTP/1.1\r\nHost: localhost\r\n" + LAST
        wait_until(lambda: answer(address, other).endswith(b"well"))  # the first of each were a crowd that may be busy
        for _ in range(10):
            assert answer(address, other).endswith(b"well")


def test_requests_that_came_together_are_all_answered_in_turn_to_who_reads(forks: ForkServer) -> None:
    with served(forks, PIPELINED) as (address, _):
        said = answer(
            address, b"GET /s HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5 + b"GET /longer HTTP/1.1\r\nHost: l\r\n" + LAST
        )
    assert (said.count(b"HTTP/1.1 200 "), said.count(b"x" * 1_000_000), said[-4:]) == (6, 5, b"well")


def test_the_host_of_the_request_line_counts(forks: ForkServer, bakery: Path) -> None:
    with gateway_at(forks, bakery) as address:
        foreign = HEAD.replace(b"/healthz", b"http://evil.example/healthz")
        assert answer(address, foreign + LAST).startswith(b"HTTP/1.1 421 ")


def test_over_capacity_a_request_is_refused_at_once_with_a_time_to_come_back(forks: ForkServer) -> None:
    with served(forks, HELD) as (address, gate), ExitStack() as open_ones:
        asking = [
            open_ones.enter_context(socket.create_connection(address, timeout=PATIENCE))
            for _ in range(THREADS + MAX_QUEUED + 1)
        ]
        for connection in asking:
            connection.sendall(b"GET /api/held HTTP/1.1\r\nHost: localhost\r\n" + LAST)
        answered, _, _ = select.select(asking, [], [], PATIENCE)
        refusal = rest_of(answered[0])
        gate.close()
    assert refusal.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 2\r\n" in refusal
    assert refusal.endswith(b'{"error": "Too many requests at once: try again in 2 s."}')


def test_long_questions_leave_a_thread_and_a_place_in_the_queue_to_short_ones(forks: ForkServer) -> None:
    with served(forks, HELD) as (address, gate), ExitStack() as open_ones:
        long = b"GET /api/held?q=" + b"x" * LONG + b" HTTP/1.1\r\nHost: localhost\r\n" + LAST
        for _ in range(THREADS + MAX_QUEUED):
            open_ones.enter_context(socket.create_connection(address, timeout=PATIENCE)).sendall(long)
        assert answer(address, b"GET /quick HTTP/1.1\r\nHost: localhost\r\n" + LAST).endswith(b"quick")
        gate.close()


@dataclass
class Waiting:
    """What the queue sees of a connection whose request waits."""

    address: str
    length: int
    queued: float
    is_pipelined: bool = False


def test_fewest_at_work_then_the_shortest_then_the_oldest_is_next_and_what_came_with_another_is_last() -> None:
    queue = RequestQueue(8, threading.Lock())
    asked = [("many", 10, 0), ("many", 11, 1), ("many", 12, 2), ("few", 90, 3), ("few", 40, 5), ("few", 40, 4)]
    for one in (*asked, ("greedy", 1, 0, True), ("greedy", 2, 0, True)):
        queue.append(Waiting(*one))  # type: ignore[arg-type]  # all that it looks at
    assert [queue.pop_last().length, queue.pop_last().length] == [2, 1]
    last = queue.pop_last()
    assert (last.address, last.length) == ("few", 90)
    turns = [queue.popleft() for _ in asked[1:]]
    assert [turn.address for turn in turns] == ["many", "few", "many", "few", "many"]
    for turn in turns:
        queue.end(turn)
    assert not queue
