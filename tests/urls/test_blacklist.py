"""The blacklist: sites, URLs, folders and patterns with a star."""

import re
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.blacklist import (
    Blacklist,
    Target,
    TargetKind,
    folder_target,
    read_blacklist,
    site_target,
    target_of,
    wildcard_fits,
)
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl


@pytest.mark.parametrize(
    ("pattern", "url", "blocked"),
    [
        ("http://a.example/private/*", "http://a.example/private/x?y", True),
        ("http://a.example/private/*", "http://a.example/public/private/", False),
        ("http://a.example/*.php?*id=*", "http://a.example/x/y.php?a=1&id=2", True),
        ("HTTP://A.example:80/%7eme/*", "http://a.example/~me/x", True),
        ("*.example", "http://b.example/", True),
        ("*.example", "http://b.example:8080/", False),
        ("*.example:*", "http://b.example:8080/x", True),
        ("*://*.example/secret*", "https://b.example/secrets", True),
        ("http://*.example/secret*", "https://b.example/secrets", False),
        ("http://a.example?page=*", "http://a.example/?page=7", True),
        ("http://*.example?page=*", "http://a.example/?page=7", True),
        ("http://*.example:80/x*", "http://a.example/xy", True),
        ("https://*.example:443/x*", "https://a.example/xy", True),
        ("http://*.example:443/x*", "http://a.example:443/xy", True),
        ("http://*.example./x*", "http://a.example/xy", True),
        ("*.Example.:80", "http://a.example/", True),
        ("*.example:443", "https://a.example/", True),
        ("*.bücher.example", "http://a.bücher.example/", True),
        ("*://*.BÜCHER.example/straße/*", "http://a.bücher.example/straße/1", True),
        ("*.\uff11\uff12.example", "http://a.12.example/", True),
        ("http://a.example/ü*", "http://a.example/%C3%BCb", True),
        ("http://a.example/*?*", "http://a.example/x", False),
    ],
)
def test_a_pattern_covers_what_it_fits(pattern: str, url: str, blocked: bool) -> None:
    target = target_of(pattern)
    assert target.kind is TargetKind.PATTERN
    refusal = Blacklist({}, {}, {target.name: "its owner asked"}).refusal(canonicalize(url))
    assert (refusal is not None) is blocked
    if refusal:
        assert refusal.reason == f"{target} is on the blacklist: its owner asked"


@pytest.mark.parametrize(
    "text",
    [
        "*/x y",
        "ftp://*.example/",
        "http://*.example",
        "http://a b*/",
        "*" * 2000,
        "*.example/x",
        "b\u00fc*.example",
        "me@*.a",
    ],
)
def test_a_pattern_that_means_nothing_is_told(text: str) -> None:
    with pytest.raises(UnusableUrl):
        target_of(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a.example/x", "http://a.example/x"),
        ("a.example?page=7", "http://a.example?page=7"),
        ("a.example#top", "http://a.example#top"),
        ("owner@a.example", "a.example"),
    ],
)
def test_an_address_without_its_scheme_is_told_what_it_may_have_meant(text: str, meant: str) -> None:
    with pytest.raises(UnusableUrl, match=re.escape(f"did you mean {meant}?")):
        target_of(text)


def test_a_folder_covers_what_is_below_it_and_a_page_itself_alone() -> None:
    for text in ("http://a.example/x", "http://a.example/x/"):
        assert folder_target(text).covers(canonicalize("http://a.example/x/y"))
        assert not target_of(text).covers(canonicalize("http://a.example/x/y"))
    assert not folder_target("http://a.example/x").covers(canonicalize("http://a.example/xy"))
    assert target_of(folder_target("http://a.example/x").name) == folder_target("http://a.example/x/")


def test_a_whole_site_is_named_by_its_name_or_by_any_of_its_urls() -> None:
    assert site_target("http://A.example/x/") == site_target("a.example") == Target(TargetKind.SITE, "a.example")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (folder_target, "http://a.example/x/*"),
        (folder_target, "http://a.example/?p=/"),
        (folder_target, "a.example"),
        (site_target, "*.example"),
        (site_target, "two words"),
    ],
)
def test_what_is_no_folder_or_no_site_is_told(read: Callable[[str], Target], text: str) -> None:
    with pytest.raises(UnusableUrl):
        read(text)


def test_a_line_of_a_file_that_ends_with_a_slash_means_the_folder() -> None:
    reading = read_blacklist("http://a.example/x/ # its owner asked\nhttp://a.example/y\nhttp://a.example/?p=/")
    assert [str(target) for target in reading.entries] == [
        "the folder http://a.example/x/",
        "http://a.example/y",
        "http://a.example/?p=/",
    ]


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_a_pattern_fits_where_a_regular_expression_does(pattern: str, text: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert wildcard_fits(pattern, text) is bool(re.fullmatch(expression, text, re.DOTALL))


@pytest.mark.parametrize("blocked", ["http://a.example/x/", "http://a.example/"])
def test_a_url_of_many_folders_costs_no_more_than_the_folders_that_are_blocked(blocked: str) -> None:
    url = CanonicalUrl("http://a.example/" + "/" * 20_000)
    tracemalloc.start()
    refusal = Blacklist({}, {}, {f"{blocked}*": ""}).refusal(url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (refusal is not None) is (blocked == "http://a.example/")
    assert peak < 2_000_000, "all its folders together have 200 MB"
