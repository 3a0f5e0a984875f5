"""Which habits has only Google's parser? It is written in C, and compares a URL as written."""

import pytest

from robots import Dialect, parse
from robots.lines import MAX_LINE_OCTETS

ALL = b"User-agent: *\n"


def google(rules: bytes, path: str) -> tuple[bool, int]:
    verdict = parse(ALL + rules, Dialect.GOOGLE).decide("Breadcrumb", f"http://host.test{path}")
    return verdict.allowed, verdict.line


def ours(rules: bytes, path: str, dialect: Dialect = Dialect.RFC9309, agent: str = "Breadcrumb") -> tuple[bool, int]:
    verdict = parse(ALL + rules, dialect).decide(agent, f"http://host.test{path}")
    return verdict.allowed, verdict.line


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("/caf%c3%a9", "/caf%C3%A9", False),
        ("/caf%c3%a9", "/caf%c3%a9", True),
        ("/café", "/caf%C3%A9", False),
        ("/café", "/café", True),
        ("/a%2fb", "/a%2Fb", False),
        ("/a%2fb", "/a%2fb", True),
    ],
)
def test_a_rule_is_escaped_in_capitals_and_an_address_is_compared_as_it_is(rule: str, path: str, allowed: bool) -> None:
    assert google(f"Disallow: {rule}\n".encode(), path) == (allowed, 0 if allowed else 2)
    assert ours(f"Disallow: {rule}\n".encode(), path) == (False, 2)


@pytest.mark.parametrize(
    ("rules", "line"),
    [(b"Allow:\n", 2), (b"Allow:\nDisallow: /attic\n", 2), (b"Allow:\nDisallow:\n", 2), (b"Disallow:\nAllow:\n", 3)],
)
def test_an_allow_without_a_path_is_a_rule_of_no_octets(rules: bytes, line: int) -> None:
    assert google(rules, "/x") == (True, line)


def test_a_line_ends_at_a_nul() -> None:
    for rule in (b"Disallow: /at\0tic\n", b"Disallow: /attic\0\n", b"Disallow: /attic\0# open\n"):
        assert google(rule, "/attic") == (False, 2)
        assert ours(rule, "/attic") == (True, 0)


def test_a_line_ends_where_the_buffer_is_full_and_lines_are_counted_as_before() -> None:
    head = b"Disallow: /x/"
    rules = b"\xef\xbb\xbf" + ALL + head + b"a" * (MAX_LINE_OCTETS - len(head)) + b"/rest\r\nDisallow: /y\n"
    file = parse(rules, Dialect.GOOGLE)
    path = "/x/" + "a" * (MAX_LINE_OCTETS - len(head))
    assert [file.decide("Breadcrumb", there).line for there in (f"{path}/other", "/y")] == [2, 3]


@pytest.mark.parametrize("octet", list('"<>\\^`{|}'))
def test_an_octet_that_no_url_may_have_is_the_same_as_its_escape(octet: str) -> None:
    escape = f"%{ord(octet):02X}"
    for rule, path in ((octet, escape), (escape, octet), (octet, octet), (escape, escape)):
        assert ours(f"Disallow: /{rule}x\n".encode(), f"/{path}x/y") == (False, 2)


def test_the_text_of_1996_looks_for_the_name_without_its_version() -> None:
    rules = b"\nUser-agent: breadcrumb\nDisallow: /\n"
    assert ours(rules, "/x", Dialect.TEXT_1996, "Breadcrumb/1.0") == (False, 4)
