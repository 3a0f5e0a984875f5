"""Which header lines does a watcher of connections see, and when?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from twisted.internet.error import ConnectionLost
from twisted.web.client import URI
from twisted.web.http_headers import Headers

from tests.spiders.downloader.test_bounded_connection import Exchange, request

if TYPE_CHECKING:
    from spiders.downloader.exchange_heads import ExchangeHeads


uri: Any = URI  # Twisted has no types for it


class Watched(Exchange):
    """One request for `url` on a connection that is watched."""

    def __init__(self, url: str = "http://a/b?c") -> None:
        self.seen: list[ExchangeHeads] = []
        self.url = url
        super().__init__()
        self._bounds = replace(self._bounds, watchers=(self.seen.append,))
        self.connection = self.fresh()
        lines, parsed = Headers({"Host": ["a"]}), uri.fromBytes(url.encode())
        asked: Any = request._construct(b"GET", b"/b?c", lines, None, persistent=True, parsedURI=parsed)
        self.connection.request(asked).addErrback(lambda _: None)


def test_the_lines_are_seen_once_as_soon_as_they_have_come() -> None:
    exchange = Watched()
    assert exchange.comes(b"HTTP/1.1 200 OK\r\nContent-Le", b"ngth: 3\r\n").seen == []
    [heads] = exchange.comes(b"\r\na").seen
    assert (heads.url, heads.final_response()) == ("http://a/b?c", b"HTTP/1.1 200 OK\r\nContent-Length: 3")
    wire: Any = exchange.wire
    assert heads.request == wire.value() == b"GET /b?c HTTP/1.1\r\nHost: a\r\n\r\n"
    assert exchange.comes(b"bc").seen == [heads]


@pytest.mark.parametrize("status", [b"304 Not Modified", b"404 Not Found", b"301 Moved Permanently"])
def test_a_response_whose_body_is_not_read_is_seen_too(status: bytes) -> None:
    [heads] = Watched().comes(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n").seen
    assert heads.final_response() == b"HTTP/1.1 " + status + b"\r\nContent-Length: 0"


def test_a_request_without_a_response_is_seen_when_the_connection_ends() -> None:
    [heads] = Watched().closes(ConnectionLost()).seen
    assert heads.final_response() == b""


def test_without_a_handshake_nothing_was_sent() -> None:
    assert Watched("https://a/b?c").closes(ConnectionLost()).seen == []
