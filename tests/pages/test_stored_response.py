"""A stored answer has all that reading it needs: it reads as it did when it came."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.http_headers import READ_LINES
from urls.canonical import canonicalize

URL = canonicalize("http://a.example/page")
BODY = "<title>Хлеб</title><p>Ржаной хлеб хранится неделю.</p><a href='?q=хлеб'>ещё</a>".encode("koi8-r")
LINES = [
    ("Content-Type", "text/html; charset=koi8-r"),
    ("content-type", "text/plain"),
    ("Content-Language", "ru"),
    ("Link", '<http://a.example/other>; rel="canonical"'),
    ("link", "</style.css>; rel=preload"),
    ("Refresh", "0; url=/elsewhere"),
    ("X-Robots-Tag", "noindex"),
    ("x-robots-tag", "Breadcrumb: nosnippet, unavailable_after: never"),
    ("ETag", '"one"'),
    ("Last-Modified", "Sat, 01 Nov 2025 00:00:00 GMT"),
    ("Server", "a server"),
    ("Set-Cookie", "a=b"),
    ("Expires", "Sat, 01 Nov 2025 00:00:00 GMT"),
    ("Vary", "*"),
]


@given(headers=st.lists(st.sampled_from(LINES), max_size=12), status=st.sampled_from([200, 203]))
def test_a_page_reads_as_it_did_with_the_lines_that_were_kept(headers: list[tuple[str, str]], status: int) -> None:
    came = parse_page(FetchedBody(BODY, URL, headers, status, 1_000_000.0), agent="Breadcrumb")
    stored = FetchedBody(came.body, came.url, came.headers, came.status, came.fetched_at)
    again = parse_page(stored, agent="Breadcrumb")
    assert again == replace(came, etag="", last_modified=again.last_modified)
    assert {name for name, _ in came.headers} <= READ_LINES
