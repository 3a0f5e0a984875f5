"""Texts in 80 columns, with wide characters, and without control characters for the terminal."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.frame.terminal import (
    WIPE_LINE,
    GuardedStream,
    Style,
    hanging,
    json_line,
    printable,
    spans_of_lines,
    width_of,
    wrapped,
)


@pytest.mark.parametrize(("text", "width"), [("bread", 5), ("食パン", 6), ("e\u0301", 1), ("", 0)])
def test_letters_of_east_asia_take_two_columns(text: str, width: int) -> None:
    assert width_of(text) == width


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("rye bread keeps", ["rye bread", "keeps"], id="at blanks"),
        pytest.param("食パンを焼く", ["食パンを焼", "く"], id="between wide letters"),
        pytest.param("see http://a.example/long now", ["see", "http://a.example/long", "now"], id="a URL stays whole"),
        pytest.param("  rye  ", ["rye"], id="blanks at the edges go"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_text_is_broken_into_lines(text: str, lines: list[str]) -> None:
    assert wrapped(text, 10) == lines


@given(st.text(), st.integers(2, 40))
def test_nothing_but_blanks_is_lost_and_no_line_too_wide(text: str, columns: int) -> None:
    spans = spans_of_lines(text, columns)
    assert "".join(text[begin:end] for begin, end in spans).replace(" ", "") == text.replace(" ", "")
    for begin, end in spans:
        assert width_of(text[begin:end]) <= columns or " " not in text[begin:end]


def test_a_label_stands_beside_the_first_line() -> None:
    assert hanging("found", "bread " * 20, 8)[0].startswith("found   bread")
    assert all(line.startswith(" " * 8) for line in hanging("found", "bread " * 20, 8)[1:])


@given(st.text())
def test_what_is_printed_steers_no_terminal(text: str) -> None:
    shown = printable(text)
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)
    assert printable(shown) == shown


def test_what_people_write_stays() -> None:
    assert printable("Brötchen, 食パン, хлеб, 🥖") == "Brötchen, 食パン, хлеб, 🥖"
    assert printable("soft\u00adhyphen") == "softhyphen"


def test_no_mark_turns_the_direction_of_a_line() -> None:
    assert printable("a\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069b") == "ab"


@pytest.mark.parametrize(
    ("is_terminal", "text", "written"),
    [
        pytest.param(True, f"{WIPE_LINE}{Style(colours=True).bold('rye')} 食\n", None, id="our marks on a terminal"),
        pytest.param(True, f"a{WIPE_LINE}\x1b[8mb\x1b]0;c\x07", "a �[K�[8mb�]0;c�", id="others on a terminal"),
        pytest.param(False, f"{WIPE_LINE}\x1b[1mrye", " �[K�[1mrye", id="none in a file"),
        pytest.param(False, "a\tb\n\u202ec\x9bd\udc80", "a\tb\nc�d\udc80", id="tabs, lines and lone surrogates stay"),
    ],
)
def test_what_is_printed_by_anybody_is_guarded(is_terminal: bool, text: str, written: str | None) -> None:
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal  # type: ignore[method-assign]  # there is no terminal without a process
    assert GuardedStream(stream).write(text) == len(text)
    assert stream.getvalue() == (text if written is None else written)


def test_plain_ink_marks_nothing() -> None:
    assert Style(colours=False).bold("rye") == "rye"
    assert Style(colours=True).bold("rye") == "\x1b[1mrye\x1b[0m"
    assert Style(colours=True).bold("") == ""


@given(st.dictionaries(st.text(), st.text()))
def test_json_on_a_terminal_steers_nothing_and_means_the_same(told: dict[str, str]) -> None:
    shown = json_line(told)
    assert printable(shown) == shown
    assert json.loads(shown) == told


def test_json_keeps_the_letters_that_people_read() -> None:
    assert json_line(["食パン", "a\u202eb\x9b"]) == '["食パン", "a\\u202eb\\u009b"]'
