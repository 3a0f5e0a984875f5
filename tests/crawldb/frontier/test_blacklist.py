"""The blacklist: sites, URLs, folders and patterns with a star."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb import UnusableUrl, canonicalize
from crawldb.frontier.blacklist import Blacklist, Target, target_of
from crawldb.frontier.wildcard import fits


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
    ],
)
def test_a_pattern_covers_what_it_fits(pattern: str, url: str, blocked: bool) -> None:
    target = target_of(pattern)
    assert target.kind == "pattern"
    refusal = Blacklist({}, {}, {target.name: "its owner asked"}).refusal(canonicalize(url))
    assert (refusal is not None) is blocked
    if refusal:
        assert refusal.reason == f"what fits {target.name} is on the blacklist: its owner asked"


@pytest.mark.parametrize("text", ["*/x y", "ftp://*.example/", "http://*.example", "http://a b*/", "*" * 2000])
def test_a_pattern_that_means_nothing_is_told(text: str) -> None:
    with pytest.raises(UnusableUrl):
        target_of(text)


def test_an_address_without_its_scheme_is_told_what_it_may_have_meant() -> None:
    with pytest.raises(UnusableUrl, match=re.escape("did you mean http://a.example/x?")):
        target_of("a.example/x")


def test_a_folder_covers_what_is_below_it_and_a_page_itself_alone() -> None:
    assert Target("url", "http://a.example/x/").covers(canonicalize("http://a.example/x/y"))
    assert not Target("url", "http://a.example/x").covers(canonicalize("http://a.example/x/y"))


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_a_pattern_fits_where_a_regular_expression_does(pattern: str, text: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert fits(pattern, text) is bool(re.fullmatch(expression, text, re.DOTALL))
