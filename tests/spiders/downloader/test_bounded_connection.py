"""One connection: how a response is read by its status, where it ends, and when the connection is closed."""

from __future__ import annotations

from typing import Any, Self

import pytest
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import Request
from twisted.web.client import URI
from twisted.web.http_headers import Headers

from pages.http_headers import LOOKED_AT
from spiders.downloader.bounded_connection import BoundedProtocol, ResponseLimits
from spiders.downloader.response_limits import Reservations
from urls.rules import Rule

# Twisted has no types for these.
failure: Any = Failure
request: Any = Request
OK = b"HTTP/1.1 200 OK\r\n"


class Wire(StringTransport):
    """A transport that notes how it was ended."""

    aborted = False
    getPeerCertificate: Any  # noqa: N815 - Twisted's name; only a transport over TLS has it

    def abortConnection(self) -> None:  # noqa: N802 - Twisted's name
        self.aborted = True


class Body(Protocol):
    """What came of a body, and how it ended."""

    def __init__(self) -> None:
        self.data = b""
        self.ended = ""
        self.rules: list[str] = []  # of the limits that ended it

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        self.data += data

    def connectionLost(self, reason: Any = None) -> None:  # noqa: N802 - Twisted's name
        self.ended = type(reason.value).__name__
        self.rules = [each.value.rule for each in getattr(reason.value, "reasons", []) if hasattr(each.value, "rule")]


class Exchange:
    """One request on a connection, and what came of it."""

    def __init__(self, head_bytes: int = 8192, head_seconds: float = 5.0, body_bytes: int = 10_000) -> None:
        self.idle = 0
        self.clock: Any = Clock()
        bounds = ResponseLimits(head_bytes, head_seconds, body_bytes, Reservations(20_000), self.clock)
        self._bounds = bounds
        self.connection = self.fresh()
        self.ask()

    def fresh(self) -> BoundedProtocol:
        connection = BoundedProtocol(lambda _: setattr(self, "idle", self.idle + 1), self._bounds)
        made: Any = Wire  # Twisted has no types for what it is made of
        self.wire: Wire = made()
        connection.makeConnection(self.wire)  # type: ignore[no-untyped-call]  # as above
        return connection

    def ask(self, **headers: str) -> None:
        self.response: Any = None
        self.trouble: Any = None
        self.body = Body()
        lines = Headers({"Host": ["a"], **{name: [value] for name, value in headers.items()}})
        asked = self.connection.request(request(b"GET", b"/", lines, None, persistent=True))
        asked.addCallbacks(self._answered, self._failed)

    def _answered(self, response: Any) -> None:
        self.response = response
        if response.length:
            response.deliverBody(self.body)

    def _failed(self, trouble: Any) -> None:
        self.trouble = trouble.value

    def comes(self, *pieces: bytes) -> Self:
        for piece in pieces:
            self.connection.dataReceived(piece)
        return self

    def closes(self, error: Exception | None = None) -> Self:
        self.connection.connectionLost(failure(error or ConnectionDone()))
        return self

    @property
    def reasons(self) -> list[str]:
        return [type(reason.value).__name__ for reason in getattr(self.trouble, "reasons", [])]


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param([b"Content-Length: 1000000000000\r\n\r\nsome"], id="a length beyond all bounds"),
        pytest.param([b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nab"], id="two lengths"),
        pytest.param([b"Transfer-Encoding: x-odd\r\n\r\nab"], id="an unknown transfer coding"),
        pytest.param([b"Transfer-Encoding: chunked\r\n\r\nno chunk\r\n"], id="chunks that are none"),
        pytest.param([b"Transfer-Encoding: chunked\r\n\r\n", *[b"400\r\n" + bytes(1024) + b"\r\n"] * 9], id="no end"),
        pytest.param([b"\r\n", b"until the connection ends"], id="no length"),
    ],
)
@pytest.mark.parametrize("status", [b"404", b"301", b"503", b"206"])
def test_what_nobody_reads_of_an_answer_takes_nothing_from_its_status(status: bytes, rest: list[bytes]) -> None:
    exchange = Exchange().comes(b"HTTP/1.1 " + status + b" So\r\nLocation: /next\r\n", *rest)
    assert exchange.trouble is None
    assert exchange.response.code == int(status)
    assert exchange.response.headers.getRawHeaders(b"location") == [b"/next"]
    assert exchange.body.ended in {"", "ResponseDone"}
    assert exchange.wire.disconnecting, "the rest is not waited for"
    assert exchange.idle == 0


@pytest.mark.parametrize("status", [b"200", b"201", b"203", b"226", b"299"])
def test_of_every_success_the_body_is_read_for_a_robots_txt_may_come_with_any(status: bytes) -> None:
    exchange = Exchange().comes(b"HTTP/1.1 " + status + b" So\r\n\r\n", b"User-agent: *\n", b"Disallow: /\n").closes()
    assert exchange.body.data == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("length", [b"Content-Length: 9000000", b"Transfer-Encoding: chunked", b"X: until the end"])
@pytest.mark.parametrize(
    ("kind", "is_read"),
    [(b"application/pdf", False), (b"image/png", False), (b"text/html", True), (b"text/plain; charset=utf-8", True)],
)
def test_77_of_what_is_only_looked_at_the_body_is_read_if_it_is_text(length: bytes, kind: bytes, is_read: bool) -> None:
    exchange = Exchange()
    exchange.connection = exchange.fresh()
    exchange.ask(Accept=LOOKED_AT)
    exchange.comes(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n" + length + b"\r\n\r\n")
    assert exchange.response.code == 200
    assert exchange.wire.disconnecting is not is_read
    assert bool(exchange.response.length) is is_read


def test_a_404_that_breaks_off_or_stalls_is_a_404_all_the_same() -> None:
    begun = [b"HTTP/1.1 404 No\r\nContent-Length: 100\r\n\r\nabc"]
    assert Exchange().comes(*begun).closes(ConnectionLost()).body.ended == "ResponseDone"
    stalled = Exchange().comes(*begun)
    stalled.clock.advance(6.0)
    assert stalled.body.ended == "ResponseDone"
    assert stalled.wire.aborted


def test_a_short_error_page_leaves_its_connection_for_the_next_request() -> None:
    exchange = Exchange().comes(b"HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nabc")
    assert (exchange.body.data, exchange.body.ended, exchange.idle) == (b"abc", "ResponseDone", 1)
    chunked = Exchange().comes(b"HTTP/1.1 302 So\r\nTransfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n")
    assert (chunked.body.ended, chunked.idle, chunked.wire.disconnecting) == ("ResponseDone", 1, False)


@pytest.mark.parametrize(
    ("answer", "idle"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\n", 1, id="1.1"),
        pytest.param(b"HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\n", 0, id="1.1 that closes"),
        pytest.param(b"HTTP/1.0 200 OK\r\n", 0, id="1.0"),
        pytest.param(b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", 1, id="1.0 that stays open"),
    ],
)
def test_a_connection_that_the_server_will_close_is_not_used_again(answer: bytes, idle: int) -> None:
    """RFC 9112, 9.3. A request sent while the server closes would be lost, and count as a fault of its network."""
    exchange = Exchange().comes(answer + b"Content-Length: 2\r\n\r\nok")
    assert exchange.response.code == 200
    assert exchange.idle == idle


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b"X-A : b", b"b"), (b"X A: b", None), (b"X\xff: b", None), (b": b", None), (b"X\0A: b", None),
        (b"no colon", None), (b" continues nothing", None), (b"X-A: b", b"b"), (b"X-A: b\r\n  c", b"b  c"),
    ],
)  # fmt: skip
def test_a_header_line_that_is_none_is_left_aside_and_the_others_hold(line: bytes, kept: bytes | None) -> None:
    exchange = Exchange().comes(OK, line, b"\r\nContent-Length: 2\r\n\r\nok")
    assert exchange.body.data == b"ok"
    assert exchange.response.headers.getRawHeaders(b"x-a", [None])[0] == kept


def test_what_continues_a_line_left_aside_is_left_aside_with_it() -> None:
    exchange = Exchange().comes(OK, b"X-A: b\r\nodd one\r\n more of it\r\nContent-Length: 2\r\n\r\nok")
    assert list(exchange.response.headers.getAllRawHeaders()) == [(b"X-A", [b"b"])]


@pytest.mark.parametrize("status", [b"+200", b"2_00", b"-200", b"abc", b"", b"2" * 5000])
def test_a_status_that_is_no_number_is_no_http(status: bytes) -> None:
    assert Exchange().comes(b"HTTP/1.1 " + status + b" OK\r\n\r\n").reasons == ["ParseError"]


def test_identity_is_no_transfer_coding() -> None:
    exchange = Exchange().comes(OK, b"Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok")
    assert (exchange.body.data, exchange.body.ended) == (b"ok", "ResponseDone")


def test_a_body_without_a_length_is_whole_when_the_server_closes_and_not_when_the_connection_breaks() -> None:
    head = OK + b"\r\n"
    assert Exchange().comes(head, b"all").closes().body.ended == "ResponseDone"
    assert Exchange().comes(head, b"a p").closes(ConnectionLost()).body.ended == "ResponseFailed"


@pytest.mark.parametrize(
    ("head", "error", "ended"),
    [
        pytest.param(b"\r\n", ConnectionDone(), "ResponseDone", id="the server says that it closes"),
        pytest.param(b"\r\n", ConnectionLost(), "PotentialDataLoss", id="it does not: more may be missing"),
        pytest.param(b"Content-Length: 9\r\n\r\n", ConnectionLost(), "ResponseFailed", id="more is missing"),
    ],
)
def test_over_tls_a_body_without_a_length_is_whole_if_the_server_says_that_it_closes(
    head: bytes, error: Exception, ended: str
) -> None:
    exchange = Exchange()
    exchange.wire.getPeerCertificate = lambda: None
    assert exchange.comes(OK + head, b"all?").closes(error).body.ended == ended


def test_a_connection_that_is_ended_politely_is_gone_a_second_later_whatever_the_server_does() -> None:
    exchange = Exchange().comes(OK + b"Connection: close\r\nContent-Length: 2\r\n\r\nok")
    assert (exchange.wire.disconnecting, exchange.wire.aborted) == (True, False)
    exchange.clock.advance(1.1)
    assert exchange.wire.aborted
    gone = Exchange().comes(OK + b"Connection: close\r\nContent-Length: 2\r\n\r\nok").closes()
    gone.clock.advance(1.1)
    assert not gone.wire.aborted


def test_more_than_was_asked_for_ends_the_connection() -> None:
    answer = OK + b"Content-Length: 2\r\n\r\nok"
    assert Exchange().comes(answer).idle == 1
    twice = Exchange().comes(answer + b"HTTP/1.1 200 OK\r\n")
    assert (twice.body.data, twice.idle, twice.wire.disconnecting) == (b"ok", 0, True)


def test_what_comes_on_an_idle_connection_ends_it_and_no_request_meets_it() -> None:
    exchange = Exchange().comes(OK + b"Content-Length: 2\r\n\r\nok")
    exchange.comes(b"HTTP/1.1 200 OK\r\n", b"Content-Length: 4\r\n\r\nevil")
    assert exchange.wire.disconnecting
    assert exchange.connection.state != "QUIESCENT", "the pool would hand it out"


def test_a_limit_ends_the_connection_at_once_and_nothing_more_is_read() -> None:
    exchange = Exchange(head_bytes=100).comes(OK, *[b"X: y\r\n"] * 40)
    assert exchange.reasons == ["ResponseLimitError"]
    assert exchange.wire.aborted
    exchange.comes(b"X: y\r\n" * 100)
    assert exchange.connection._received < 300


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(b"1;" + b"e" * 200 + b"\r\na\r\n", id="a long extension"),
        pytest.param(b"1\r\na\r\n", id="one byte"),
        pytest.param(b"10\r\n" + bytes(16) + b"\r\n", id="sixteen bytes"),
    ],
)
def test_the_lines_between_chunks_take_no_more_than_a_quarter_of_a_body(chunk: bytes) -> None:
    exchange = Exchange(head_bytes=1000, body_bytes=1_000_000)
    exchange.comes(OK, b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 1100)
    assert (exchange.body.ended, exchange.body.rules) == ("ResponseFailed", [Rule.CODING])
    assert exchange.wire.aborted


def test_header_lines_that_end_together_with_the_begin_of_a_body_are_not_told_as_lines_between_chunks() -> None:
    exchange = Exchange(head_bytes=1000)
    exchange.comes(OK, b"X: " + b"x" * 900 + b"\r\n", b"Y: " + b"y" * 900 + b"\r\nContent-Length: 9\r\n\r\nsome")
    assert exchange.body.rules == [Rule.HEADER_LIMIT]


def test_chunks_of_a_line_of_text_are_read() -> None:
    exchange = Exchange(head_bytes=1000, body_bytes=1_000_000)
    exchange.comes(OK, b"Transfer-Encoding: chunked\r\n\r\n", *[b"20\r\n" + bytes(32) + b"\r\n"] * 2000, b"0\r\n\r\n")
    assert (len(exchange.body.data), exchange.body.ended) == (64_000, "ResponseDone")


@pytest.mark.parametrize(("scheme", "left"), [("http", ["http://a/b"]), ("https", [])])
def test_a_request_has_left_when_its_bytes_are_written_and_over_tls_not_before_the_handshake(
    scheme: str, left: list[str]
) -> None:
    said: list[str] = []
    clock: Any = Clock()
    bounds = ResponseLimits(8192, 5.0, 10_000, Reservations(20_000), clock, left=said.append)
    connection = BoundedProtocol(lambda _: None, bounds)
    connection.makeConnection(Wire())  # type: ignore[no-untyped-call]  # Twisted has no types for it
    uri = URI.fromBytes(f"{scheme}://a/b".encode())  # type: ignore[no-untyped-call]  # as above
    connection.request(
        request._construct(b"GET", b"/b", Headers({"Host": ["a"]}), None, persistent=True, parsedURI=uri)
    )
    assert said == [], "its bytes wait until the reactor writes them"
    clock.advance(0)
    assert said == left
