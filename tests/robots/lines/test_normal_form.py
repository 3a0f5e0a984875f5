"""Which paths does a rule match? The book's Table 9-3, the wildcards of RFC 9309, and escapes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
from robots import Dialect
from robots.dialect import Escapes
from robots.normal_form import normal_form

TABLE_9_3 = [
    pytest.param("/tmp", "/tmp", True, id="rule path = URL path"),
    pytest.param("/tmp", "/tmpfile.html", True, id="rule path is a prefix of the URL path"),
    pytest.param("/tmp", "/tmp/a.html", True, id="rule path is a prefix of the URL path, with a slash"),
    pytest.param("/tmp/", "/tmp", False, id="/tmp/ is no prefix of /tmp"),
    pytest.param("/~fred/hi.html", "/%7Efred/hi.html", True, id="%7E is ~ in the URL"),
    pytest.param("/%7Efred/hi.html", "/~fred/hi.html", True, id="%7E is ~ in the rule"),
    pytest.param("/%7efred/hi.html", "/%7Efred/hi.html", True, id="case is not significant in escapes"),
    pytest.param("/~fred/hi.html", "/~fred%2Fhi.html", False, id="%2F is a slash, but slashes match exactly"),
]


@pytest.mark.parametrize("dialect", [Dialect.BOOK, Dialect.TEXT_1996, Dialect.RFC9309])
@pytest.mark.parametrize(("rule", "path", "matches"), TABLE_9_3)
def test_the_eight_pairs_of_table_9_3(dialect: Dialect, rule: str, path: str, matches: bool) -> None:
    file = robots.parse(f"User-agent: *\nDisallow: {rule}\n".encode(), dialect)
    assert file.decide("Breadcrumb", f"http://www.joes-hardware.com{path}").allowed is not matches


def test_a_verdict_names_the_line_the_rule_and_the_reason() -> None:
    verdict = robots.parse(b"User-agent: *\ndisallow:/tmp # scratch\n").decide("Breadcrumb", "http://h.test/tmp/a")
    assert str(verdict) == "disallowed by line 2"
    assert (verdict.rule, verdict.reason) == ("Disallow: /tmp", "the longest rule that matches")


def test_without_a_matching_rule_the_verdict_says_so() -> None:
    verdict = robots.parse(b"User-agent: *\nDisallow: /tmp\n").decide("Breadcrumb", "http://h.test/")
    assert str(verdict) == "allowed: no rule matches"


def test_a_very_long_rule_is_shown_in_part() -> None:
    verdict = robots.parse(b"User-agent: *\nDisallow: *" + b"*a" * 5000).decide("x", "http://h.test/" + "a" * 6000)
    assert verdict.line == 2
    assert len(verdict.rule) == 200


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        pytest.param("/*a*b*c$", "/xaxbxc", True, id="pieces in order, the last at the end"),
        pytest.param("/*ab*b$", "/ab", False, id="two pieces cannot share an octet"),
        pytest.param("/*ab*ba$", "/abba", True, id="two pieces can touch"),
        pytest.param("/a*$", "/a/b/c", True, id="a star before the end takes the rest"),
        pytest.param("/a**b", "/a-b", True, id="two stars are as one"),
        pytest.param("*", "/", True, id="a star alone is every path"),
        pytest.param("/a$b$", "/a$b", True, id="only a $ at the end is special"),
    ],
)
def test_wildcards_stand_where_the_pattern_says(rule: str, path: str, matches: bool) -> None:
    file = robots.parse(f"User-agent: *\nDisallow: {rule}\n".encode())
    assert file.decide("x", f"http://h.test{path}").allowed is not matches


def by_trying_everything(pattern: str, path: str) -> bool:
    """What the greedy search must agree with: every way to place every star."""
    if not pattern:
        return True
    if pattern == "$":
        return not path
    if pattern[0] == "*":
        return any(by_trying_everything(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and by_trying_everything(pattern[1:], path[1:])


@given(st.text("ab*", max_size=7), st.booleans(), st.text("ab", max_size=8))
def test_the_greedy_search_finds_what_trying_everything_finds(pattern: str, end: bool, path: str) -> None:
    pattern = f"/{pattern}{'$' * end}"
    file = robots.parse(f"User-agent: *\nDisallow: {pattern}\n".encode())
    assert file.decide("x", f"http://h.test/{path}").allowed is not by_trying_everything(pattern, f"/{path}")


@given(st.text(max_size=20))
def test_a_rule_written_with_escapes_matches_the_same_urls(name: str) -> None:
    escaped = "".join(f"%{octet:02x}" for octet in name.encode())
    rule = robots.parse(f"User-agent: *\nDisallow: /{escaped}$\n".encode())
    assert not rule.decide("x", f"http://h.test/{escaped.upper()}").allowed


@given(st.binary(max_size=40))
def test_a_normal_form_holds_only_what_a_url_may_hold(path: bytes) -> None:
    assert all(0x20 < octet < 0x7F for octet in normal_form(path, Escapes.UNRESERVED_DECODED))


def test_a_high_octet_is_kept_as_its_escape() -> None:
    file = robots.parse(b"User-agent: *\nDisallow: /caf\xe9\n")  # Latin-1; /caf would be a wider rule
    allowed = [file.decide("x", f"http://h.test/{path}").allowed for path in ("caf%E9", "cafeteria", "caf%C3%A9")]
    assert allowed == [False, True, True]


def test_reserved_characters_and_their_escapes_stay_apart() -> None:
    for plain in "/?=&;:@+,":
        escape = f"%{ord(plain):02X}"
        for rule, path in product((plain, escape), repeat=2):
            file = robots.parse(f"User-agent: *\nDisallow: /x{rule}y\n".encode())
            assert file.decide("a", f"http://h.test/x{path}y").allowed is (rule != path)
