"""Whose file is it? One for each scheme, host and port."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import origin_of, robots_url


@pytest.mark.parametrize(
    ("url", "origin", "where"),
    [
        ("http://Example.COM/a?b#c", "http://example.com:80", "http://example.com/robots.txt"),
        ("https://example.com", "https://example.com:443", "https://example.com/robots.txt"),
        ("https://example.com:80/", "https://example.com:80", "https://example.com:80/robots.txt"),
        ("http://example.com:8080/sub/", "http://example.com:8080", "http://example.com:8080/robots.txt"),
        ("http://a.example.com/", "http://a.example.com:80", "http://a.example.com/robots.txt"),
        ("http://me:secret@h.test/", "http://h.test:80", "http://h.test/robots.txt"),
        ("http://h.test./", "http://h.test:80", "http://h.test/robots.txt"),
        ("http://bücher.example/", "http://xn--bcher-kva.example:80", "http://xn--bcher-kva.example/robots.txt"),
        ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81", "http://[2001:db8::1]:81/robots.txt"),
        ("http://127.0.0.1/", "http://127.0.0.1:80", "http://127.0.0.1/robots.txt"),
        ("http://" + "x" * 64 + ".test/", "http://" + "x" * 64 + ".test:80", "http://" + "x" * 64 + ".test/robots.txt"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str, where: str) -> None:
    assert (origin_of(url), robots_url(origin)) == (origin, where)


def test_subdomains_and_ports_inherit_nothing() -> None:
    urls = ("http://example.com/", "http://a.example.com/", "http://example.com:8080/", "https://example.com/")
    assert len({robots_url(origin_of(url)) for url in urls}) == 4


@pytest.mark.parametrize(
    "url", ["ftp://h.test/", "h.test/page", "http:///x", "http://h:99999/", "http://[::1/", "", "http://./"]
)
def test_what_has_no_robots_txt_is_refused_with_an_example_that_works(url: str) -> None:
    with pytest.raises(ValueError, match=re.escape("http://example.com/page")):
        origin_of(url)


@given(st.text(max_size=30))
def test_an_origin_is_its_own_origin(host: str) -> None:
    try:
        origin = origin_of(f"http://{host}")
    except ValueError:
        return
    assert origin_of(robots_url(origin)) == origin
