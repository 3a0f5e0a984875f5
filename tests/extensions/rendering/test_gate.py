"""Which requests of a page's scripts are refused, before any rule of the network is asked?"""

from __future__ import annotations

import asyncio
from time import process_time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import Response

from extensions.rendering.gate import (
    MAX_BYTES,
    RequestGate,
    ScriptRequest,
    ScriptResponse,
    SharedFiles,
    refusal_by_form,
    refusal_by_site,
)
from extensions.rendering.renderer import with_refresh
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from scrapy import Request

    from frontier.session import Session

URL = canonicalize("https://www.example.org/words.json")


@pytest.mark.parametrize(
    ("kind", "method", "rule"),
    [
        ("script", "GET", None),
        ("stylesheet", "GET", None),
        ("fetch", "GET", None),
        ("xhr", "GET", None),
        ("fetch", "POST", "method"),
        ("xhr", "HEAD", "method"),
        ("image", "GET", "kind"),
        ("font", "GET", "kind"),
        ("media", "GET", "kind"),
        ("eventsource", "GET", "kind"),
        ("document", "GET", "frame"),
        ("document", "POST", "frame"),
    ],
)
def test_the_kind_and_the_method_decide_first(kind: str, method: str, rule: str | None) -> None:
    refused = refusal_by_form(ScriptRequest(URL, kind, method))
    assert (refused and refused.rule) == rule


@pytest.mark.parametrize(
    ("own", "sites", "is_sent"),
    [
        ("www.example.org", set(), True),
        ("example.org", set(), False),
        ("example.org", {"www.example.org"}, True),
        ("www.example.org:8080", {"example.org"}, False),
    ],
)
def test_a_request_stays_on_the_site_unless_another_is_named(own: str, sites: set[str], is_sent: bool) -> None:
    assert (refusal_by_site(URL, own, frozenset(sites)) is None) == is_sent


def test_the_oldest_shared_file_makes_room() -> None:
    shared, large = SharedFiles(), ScriptResponse(200, {}, bytes(20 * 2**20))
    shared.put("x", "/a", large)
    shared.put("x", "/b", large)
    shared.put("x", "/c", ScriptResponse(200, {}, bytes(40 * 2**20)))
    assert [shared.get("x", name) is not None for name in ("/a", "/b", "/c")] == [False, True, False]


def test_a_file_is_shared_by_the_pages_of_one_site_alone() -> None:
    shared, private = SharedFiles(), ScriptResponse(200, {}, b"const salaries = 1")
    shared.put("wiki.example", "https://wiki.example/data.js", private)
    assert shared.get("wiki.example", "https://wiki.example/data.js") is private
    assert shared.get("hostile.example", "https://wiki.example/data.js") is None


def test_a_refresh_says_where_a_script_led_the_browser() -> None:
    markup = with_refresh('<html><head lang="en"><title>x</title></head></html>', 'https://example.org/?a=1&b="2"')
    assert '<head lang="en"><meta http-equiv="refresh" content="0; url=https://example.org/?a=1&amp;b=&quot;2' in markup
    assert with_refresh("<html></html>", "https://example.org/") == "<html></html>"


def test_a_head_without_an_end_is_looked_for_once() -> None:
    begin = process_time()
    markup = "<html><!--" + "<head " * 100_000
    assert with_refresh(markup, "https://example.org/") == markup
    assert process_time() - begin < 1  # seconds; looking for the end of each took thirty
    assert with_refresh("<head>", "") == "<head>"


def test_files_that_are_requested_together_are_together_within_the_limit(session: Session) -> None:
    [lease] = session.frontier.lease(1, lambda _: 1)
    limits: list[int] = []

    async def download(request: Request) -> Response:
        await asyncio.sleep(0)  # all three are under way before the first has come
        limits.append(request.meta["download_maxsize"])
        return Response(request.url, body=bytes(MAX_BYTES * 2 // 3))

    crawler: Any = SimpleNamespace(engine=SimpleNamespace(download_async=download))  # all that is needed of Scrapy
    spider: Any = SimpleNamespace(session=session, refusals={})
    gate = RequestGate(crawler, spider, lease, frozenset(), SharedFiles(), 5.0)

    async def answers() -> list[ScriptResponse | None]:
        files = [ScriptRequest(f"{lease.url}{name}", "fetch") for name in "abc"]
        return await asyncio.gather(*map(gate.answer, files))

    assert [answer is not None for answer in asyncio.run(answers())] == [True, False, False]
    assert limits == [MAX_BYTES, MAX_BYTES - MAX_BYTES * 2 // 3, 1]
