"""Which lines does a file have? Line ends, byte order marks, the limit of 500 KiB, and what is no robots.txt at all."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import robots
from robots import MAX_ROBOTS_BYTES, Dialect
from robots.lines import Field, read_lines, scan_lines, whole_lines

PIECES = [
    b"User-agent", b"user-agent", b"Allow", b"DISALLOW", b"Disalow", b"Crawl-Delay", b"Request-rate", b"sitemap", b":",
    b" ", b"\t", b"\v", b"\n", b"\r", b"#", b"*", b"/a", b"\0", b"\xc2\x85", b"\xef\xbb\xbf",
]  # fmt: skip
FILE = b"User-agent: *\nDisallow: /attic\n"
ATTIC = "https://seeds.example/attic"


def lines(body: bytes) -> list[tuple[int, str, bytes]]:
    read = read_lines(body, forgiving=False)
    return [(line.number, line.field.value, line.value) for line in read if line.field is not Field.BLANK]


@pytest.mark.parametrize("forgiving", [False, True])
@example(b"\r#\nUseragent:")
@example(b"\r#a\r\n\r#\nAllow: /")
@given(st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)))
def test_the_quick_reading_finds_the_lines_of_the_plain_one(forgiving: bool, body: bytes) -> None:
    plain = [tuple(line) for line in read_lines(body, forgiving=forgiving) if line.field is not Field.BLANK]
    assert list(scan_lines(body, forgiving=forgiving)) == plain


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_cr_lf_and_crlf_end_a_line(end: bytes) -> None:
    assert lines(FILE.replace(b"\n", end)) == [(1, "User-agent", b"*"), (2, "Disallow", b"/attic")]


@pytest.mark.parametrize("other", ["\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\0"])
def test_nothing_else_ends_a_line(other: str) -> None:
    body = f"User-agent: *\nDisallow: /a{other}Disallow: /b\nAllow: /c\n".encode()
    assert [number for number, _, _ in lines(body)] == [1, 2, 3]
    assert robots.parse(body).decide("x", "http://h.test/b").line == 0


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_utf8_mark_is_skipped_even_when_cut_short(size: int) -> None:
    assert robots.parse(codecs.BOM_UTF8[:size] + FILE).decide("x", ATTIC).line == 2


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_can_be_bridged_and_is_noted_by_the_parser(name: str) -> None:
    body = ("\ufeff" + FILE.decode()).encode(name)
    assert "UTF-16" in robots.parse(body).notes[0]
    assert robots.parse(robots.to_utf8(body)).decide("x", ATTIC).line == 2


def test_what_is_not_utf16_is_not_touched() -> None:
    assert robots.to_utf8(b"\xff" + FILE) == b"\xff" + FILE


def test_the_limit_cuts_at_the_last_whole_line() -> None:
    head = FILE + b"#" * (MAX_ROBOTS_BYTES - len(FILE) - 12) + b"\n"
    file = robots.parse(head + b"Allow: /attic/box\n")  # cut to "Allow: /att", this line would open the attic
    assert len(head) + 11 == MAX_ROBOTS_BYTES
    assert file.truncated
    assert file.decide("x", "https://seeds.example/attic/box").line == 2


def test_a_file_of_exactly_the_limit_is_read_whole() -> None:
    body = b"#" * (MAX_ROBOTS_BYTES - len(FILE) - 1) + b"\n" + FILE
    assert (len(body), robots.parse(body).truncated) == (MAX_ROBOTS_BYTES, False)
    assert robots.parse(body).decide("x", ATTIC).line == 3


def test_a_line_that_ends_at_the_limit_counts() -> None:
    body = b"#" * (MAX_ROBOTS_BYTES - len(FILE)) + b"\n" + FILE
    assert whole_lines(body).endswith(b"/attic")
    assert robots.parse(body).truncated


def test_one_endless_line_leaves_nothing() -> None:
    file = robots.parse(b"User-agent: *" + b"x" * 1_000_000)
    assert (file.groups, file.truncated) == ((), True)
    assert "the rest is not read" in file.notes[0]


def test_html_is_seen_for_what_it_is() -> None:
    file = robots.parse(b"<!DOCTYPE html>\n<title>Not found</title>\n")
    assert file.notes == ("no directive found; looks like HTML",)
    assert file.decide("x", ATTIC).allowed


def test_rules_that_stand_in_html_count() -> None:
    file = robots.parse(b"<html><pre>\nUser-agent: *\nDisallow: /attic\n</pre>")
    assert (file.decide("x", ATTIC).line, file.notes) == (3, ())


def test_rules_before_any_user_agent_are_for_nobody_and_noted() -> None:
    file = robots.parse(b"Disallow: /attic\nUser-agent: *\nDisallow: /cellar\n")
    assert file.decide("x", ATTIC).allowed
    assert "line 1" in file.notes[0]


def test_an_empty_file_has_nothing_to_note() -> None:
    assert robots.parse(b"").notes == ()


def test_misspelt_fields_count_in_googles_dialect_alone() -> None:
    body = b"useragent: *\ndissallow: /attic\n"
    assert [dialect for dialect in Dialect if robots.parse(body, dialect).decide("x", ATTIC).line] == [Dialect.GOOGLE]


def test_fields_of_others_are_ignored() -> None:
    body = b"ACAP-crawler: *\nACAP-disallow-crawl: /attic\nUser-agent: *\nHost: www.seeds.example\nNoindex: /attic\n"
    assert robots.parse(body).decide("x", ATTIC).allowed
