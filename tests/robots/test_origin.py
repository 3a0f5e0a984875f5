"""Whose file is it? One for each scheme, host and port."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import is_host_of, origin_of, robots_url
from robots.origin import preferred_host


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


@pytest.mark.parametrize(
    ("body", "host", "url", "meant"),
    [
        (b"User-agent: *\nHost: www.a.example\n", "www.a.example", "https://WWW.a.example/x", True),
        (b"host:http://a.example:8080/ # ours\n", "a.example:8080", "http://a.example:8080/", True),
        (b"Host: a.example:8080\nHost: b.example\n", "a.example:8080", "http://a.example/", False),
        (b"Host: a.example\n", "a.example", "http://www.a.example/", False),
        (b"# Host: a.example\nGhost: a.example\nHost:\n", "", "http://a.example/", False),
    ],
)
def test_a_host_line_names_the_original_of_the_mirrors(body: bytes, host: str, url: str, meant: bool) -> None:
    assert preferred_host(body) == host
    assert is_host_of(host, url) is meant


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda value: b"Host: " + value))
def test_any_octets_name_a_host_or_none(body: bytes) -> None:
    assert not is_host_of(preferred_host(body), "http://seeds.example/") or b"seeds.example" in body.lower()
