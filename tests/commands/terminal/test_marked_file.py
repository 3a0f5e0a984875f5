"""A robots.txt with its line numbers: those that the parser counts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.terminal.ink import Ink
from commands.terminal.marked_file import lines_of, marked_file
from robots import parse

PLAIN = Ink(colours=False)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_ends_as_rfc_9309_says(end: bytes) -> None:
    assert lines_of(end.join([b"a", b"", b"b\xc2\x85c", b""])) == ["a", "", "b\x85c"]


@given(st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"x", b"Disallow: /a", b"User-agent: *", b"\xe2\x80\xa8"])))
def test_the_numbers_are_those_of_the_verdicts(pieces: list[bytes]) -> None:
    body = b"User-agent: *\n" + b"".join(pieces) + b"\nUser-agent: *\nDisallow: /bread\n"
    verdict = parse(body).decide("Breadcrumb", "/bread")
    shown = list(marked_file(body, {verdict.line}, PLAIN))
    marked = [line for line in shown if line.startswith(">")]
    assert [int(number) for line in marked for number in re.findall(r"^> +(\d+)", line)] == [verdict.line]
    assert marked[0].endswith("Disallow: /bread")


def test_an_empty_file_is_told() -> None:
    assert list(marked_file(b"", set(), PLAIN)) == ["  (the file is empty)"]


def test_a_long_line_is_cut() -> None:
    assert len(next(iter(marked_file(b"x" * 1000, set(), PLAIN)))) < 250
