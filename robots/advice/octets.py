"""Is it a text file at all? Byte order marks, other alphabets, HTML, and the size from which nobody reads on.

RFC 9309 asks for plain text in UTF-8 (2.3) and that at least 500 KiB of it are read (2.5).
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

from robots.advice.finding import Finding
from robots.encoding import UTF16_MARKS, without_mark
from robots.rules.lines import MAX_ROBOTS_BYTES, whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

NEARLY_TOO_LONG: Final = 450 * 1024  # octets; ours: nine tenths of what is read, so that there is time to act


def about_octets(body: bytes, text: bytes) -> Iterator[Finding]:
    """Judge the file before its lines are read; `text` is `body` as UTF-8."""
    if body.startswith(UTF16_MARKS):
        yield Finding(1, "utf-16", "The file is in UTF-16, and most robots find no rule in it: save it as UTF-8.")
    elif body.startswith(codecs.BOM_UTF8):
        sentence = (
            "An invisible byte order mark stands before the first line, and old robots lose that line: save without."
        )
        yield Finding(1, "byte-order-mark", sentence)
    elif b"\0" in body:
        yield Finding(_line_of(body, body.index(b"\0")), "no-text", "A NUL stands here: this is no file of plain text.")
    if looks_like_html(text):
        sentence = "It begins like an HTML page: is the server's error page sent as the file? Rules count all the same."
        yield Finding(1, "html", sentence)
    yield from _alphabet(text)
    yield from _size(text)


def looks_like_html(text: bytes) -> bool:
    """Say whether a robots.txt is a page that was sent in its place."""
    return without_mark(text).lstrip().startswith(b"<")


def _alphabet(text: bytes) -> Iterator[Finding]:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(text):  # at the very end the cut at 500 KiB may have halved a character
            sentence = (
                "This is no UTF-8: letters beyond ASCII are read as other octets than the URL has. Save as UTF-8."
            )
            yield Finding(_line_of(text, error.start), "no-utf-8", sentence)


def _size(text: bytes) -> Iterator[Finding]:
    if len(text) > MAX_ROBOTS_BYTES:
        sentence = "The file is longer than 500 KiB, and nobody need read on after this line: shorten it."
        yield Finding(len(whole_lines(text).splitlines()), "size", sentence)
    elif len(text) >= NEARLY_TOO_LONG:
        sentence = f"The file has {len(text) // 1024} KiB; what stands after 500 KiB is not read: shorten it in time."
        yield Finding(0, "size", sentence)


def _line_of(text: bytes, place: int) -> int:
    return len(text[: place + 1].splitlines())
