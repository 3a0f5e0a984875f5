"""Which requests of a page's scripts are refused, before any rule of the network is asked?"""

from __future__ import annotations

from time import process_time

import pytest

from extensions.rendering.gate import ScriptRequest, ScriptResponse, SharedFiles, refusal_by_form, refusal_by_site
from extensions.rendering.renderer import with_refresh
from urls.canonical import canonicalize

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
