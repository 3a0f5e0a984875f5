"""The gateway over a small crawl, as in tests/gateway, with the header lines of some requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from extensions.course.heads import HeadNotes
from spiders.downloader.exchange_heads import ExchangeHeads
from tests.gateway.conftest import FETCHED_AT, SITE, browser, client, crawl, index, served

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["browser", "client", "served"]  # fixtures
EXCHANGES = (
    ("/robots.txt", b"", b"HTTP/1.1 301 Moved Permanently\r\nLocation: /rules.txt"),
    ("/rules.txt", b"", b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60"),
    ("/rye.html", b"", b'HTTP/1.1 200 OK\r\nETag: "rye"\r\nSet-Cookie: a=b\r\nX-Long: ' + b"long" * 100),
    ("/rye.html", b'If-None-Match: "rye"\r\n', b"HTTP/1.1 304 Not Modified"),
    ("/silent.html", b"", b""),
)


@pytest.fixture(scope="session")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bakery crawled and indexed; not to be written to."""
    data_dir = tmp_path_factory.mktemp("bakery")
    crawl(data_dir)
    with CrawlDatabase(data_dir) as database, database.transaction():
        notes = HeadNotes(database)
        for second, (path, line, response) in enumerate(EXCHANGES):
            head = f"GET {path} HTTP/1.1\r\nHost: bakery.localhost:8400\r\nUser-Agent: Breadcrumb\r\n".encode() + line
            notes.note_exchange(ExchangeHeads(f"{SITE}{path}", FETCHED_AT + second, head, bytearray(response)))
        notes.write()
    index(data_dir)
    return data_dir
