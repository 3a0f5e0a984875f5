"""Is what the wire shows what the servers saw? Real crawls, compared with the requests that came to them."""

from __future__ import annotations

import html as markup
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from demo.server import PracticeWeb
from extensions.course.heads import KeptExchange, newest_exchanges
from tests.gateway.conftest import gateway
from tests.journey.conftest import html

if TYPE_CHECKING:
    from tests.journey.conftest import Folder, Site

CONTACT = "owner@robots.example"
HOSTILE = "\x1b[31m</code><script>alert(1)</script>\u00e9"


def kept(folder: Folder) -> list[KeptExchange]:
    """Return the kept exchanges of a crawl, the oldest first."""
    with folder.database() as database:
        return sorted(newest_exchanges(database, 10_000), key=lambda each: each.at)


def sent(exchange: KeptExchange) -> dict[str, str]:
    return {name: value.strip() for name, _, value in (line.partition(":") for line in exchange.request[1:])}


def view(folder: Folder, url: str) -> str:
    return markup.unescape(
        re.sub("<[^>]+>", "", gateway(folder.path).get("/inside/wire", query_string={"url": url}).text)
    )


@pytest.mark.slow
def test_the_practice_web_saw_each_request_that_is_kept_and_no_other(folder: Folder) -> None:
    with PracticeWeb(0) as web:
        station = f"http://station.localhost:{web.port}/"
        for _ in range(2):
            done = folder.crawl(station, CONTACT=CONTACT, BOT_URL="https://robots.example/bot", ROBOTS_DENIAL="open")
            assert done.returncode == 0, done.stderr
    seen = Counter(
        (each.url, each.status, each.user_agent, each.sender, each.if_none_match, each.if_modified_since)
        for each in web.requests
    )
    shown = Counter(
        (
            each.address,
            each.status,
            *(sent(each).get(name, "") for name in ("User-Agent", "From", "If-None-Match", "If-Modified-Since")),
        )
        for each in kept(folder)
    )
    assert shown == seen
    assert {status for _, status, *_ in seen} >= {200, 301, 304, 404}
    page = view(folder, f"{station}1998.html")
    for line in (
        "GET /robots.txt HTTP/1.1",
        "GET /1998.html HTTP/1.1",
        f"From: {CONTACT}",
        "HTTP/1.1 301 Moved Permanently",
    ):
        assert line in page
    assert (
        page.index("GET /robots.txt")
        < page.index("GET /1998.html")
        < page.index("GET /2004.html")
        < page.index("GET /2011.html")
    )


@pytest.mark.slow
def test_every_header_is_as_the_server_saw_it_and_a_second_visit_asks_with_the_first_ones_validators(
    folder: Folder, site: Site
) -> None:
    tag = '"bread-1"'

    def unchanged(headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        status, others, body = html("Bread")
        return (304, {}, b"") if headers.get("If-None-Match") == tag else (status, others | {"ETag": tag}, body)

    site.pages = {"/": html("Home", "/bread"), "/bread": unchanged}
    for _ in range(2):
        assert folder.crawl(f"{site.url}/", CONTACT=CONTACT).returncode == 0
    exchanges = kept(folder)
    assert [(each.address, sent(each)) for each in exchanges] == [
        (f"{site.url}{path}", headers) for path, headers in site.log
    ]
    first, second = (each for each in exchanges if each.address.endswith("/bread"))
    assert (first.status, second.status) == (200, 304)
    assert sent(second)["If-None-Match"] == first.value("etag") == tag
    assert sent(first)["Referer"] == f"{site.url}/"
    page = view(folder, f"{site.url}/bread")
    assert "It has not changed: no body follows, and the stored copy stays." in page
    assert "It came with the response of" in page


def test_secrets_are_withheld_and_hostile_bytes_are_shown_as_text(folder: Folder, site: Site) -> None:
    lines = {"Set-Cookie": "session=quokka", "Content-Type": "text/html", "X-Odd": HOSTILE}
    site.pages = {
        "/": (200, lines, html("Home", "/old")[2]),
        "/old": (301, {"Location": f"http://wombat:numbat@127.0.0.1:{site.port}/new"}, b""),
    }
    folder.crawl(f"{site.url}/")
    page = gateway(folder.path).get("/inside/wire", query_string={"url": f"{site.url}/"})
    assert "Set-Cookie: [withheld]" in page.text
    assert r"X-Odd: \x1b[31m&lt;/code&gt;&lt;script&gt;alert(1)&lt;/script&gt;\xe9" in page.text
    assert "<script>alert" not in page.text
    stored = b"".join(
        (folder.path / f"crawl.sqlite3{end}").read_bytes()
        for end in ("", "-wal")
        if (folder.path / f"crawl.sqlite3{end}").exists()
    )
    assert b"X-Odd" in stored
    for secret in (b"quokka", b"wombat", b"numbat"):
        assert secret not in stored


@pytest.mark.slow
def test_what_is_forgotten_or_blocked_is_gone_and_the_rest_stays(folder: Folder, site: Site) -> None:
    site.pages = {"/": html("Home", "/bread", "/missing"), "/bread": html("Bread")}
    folder.crawl(f"{site.url}/")
    assert len(kept(folder)) == 4
    assert folder.run("forget", f"{site.url}/bread").returncode == 0
    assert {each.address for each in kept(folder)} == {f"{site.url}{path}" for path in ("/robots.txt", "/", "/missing")}
    assert "No request for" in view(folder, f"{site.url}/bread")
    assert folder.run("block", f"{site.url}/missing").returncode == 0
    assert len(kept(folder)) == 2
    assert folder.run("forget", site.url.removeprefix("http://"), "--yes").returncode == 0
    assert kept(folder) == []
