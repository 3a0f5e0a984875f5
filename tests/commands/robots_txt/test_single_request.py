"""A request outside a crawl returns a whole answer, or says what is missing of it."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from commands.frame.single_request import NoResponse, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 1000  # bytes of a body


@contextmanager
def server_that_sends(answer: bytes) -> Iterator[str]:
    """Answer one request with these bytes, and close the connection."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def send() -> None:
            connection, _ = server.accept()
            with closing(connection):
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def asked(answer: bytes) -> bytes:
    with server_that_sends(answer) as url:
        return ask(url, {}, time.monotonic() + 10, LIMIT).body


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\n", "cut after 14 of 500 bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "cut after 0 of 5 bytes"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nUser\r\n", "IncompleteRead"),
    ],
)
def test_an_answer_that_was_cut_off_is_none(answer: bytes, missing: str) -> None:
    with pytest.raises(NoResponse, match=missing):
        asked(answer)


def test_a_whole_answer_is_returned() -> None:
    assert asked(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrobo") == b"robo"
    assert asked(b"HTTP/1.1 200 OK\r\n\r\nrobo") == b"robo"
    assert asked(b"HTTP/1.1 204 No Content\r\n\r\n") == b""
    assert asked(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n") == b""


def test_of_a_body_beyond_the_limit_a_chunk_more_is_read() -> None:
    body = b"x" * 200_000
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * len(body))
    assert LIMIT < len(asked(head + body)) <= len(body)
