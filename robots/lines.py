"""How do the octets of a robots.txt become lines? They are read as UTF-8 and split at CR, LF or CRLF.

RFC 9309 (2.2) demands UTF-8 and lets a robot repair another encoding. Old editors save UTF-16 with a byte order mark,
and the owner of such a file means what it says. So each fetched file goes through `to_utf8` before the parser. The
parser itself reads octets, as RFC 9309 and Google's library do, and finds nothing in UTF-16.

A line is a field, a colon and a value (RFC 9309, 2.2). All work is done on bytes. On text, `str.splitlines` would also
split at U+2028 or a form feed, and `str.strip` would drop no-break spaces. Both invent directives that the file does
not have.
"""

from __future__ import annotations

import codecs
import re
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


UTF16_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def to_utf8(body: bytes) -> bytes:
    """Turn UTF-16 with a byte order mark into UTF-8; return anything else as it is. Lines keep their numbers."""
    if not body.startswith(UTF16_BYTE_ORDER_MARKS):
        return body
    return body.decode("utf-16", errors="replace").encode("utf-8")


def without_byte_order_mark(body: bytes) -> bytes:
    """Drop a UTF-8 byte order mark, even one that is not complete."""
    for size in range(len(codecs.BOM_UTF8), 0, -1):
        if body.startswith(codecs.BOM_UTF8[:size]):
            return body[size:]
    return body


ROBOTS_PATH: Final = b"/robots.txt"  # the path of the file on every site (RFC 9309, 2.3)
MAX_ROBOTS_BYTES: Final = 500 * 1024  # octets; RFC 9309, 2.5: the least that must be read; Google ignores the rest


class Field(Enum):
    """The fields that are understood. All others are ignored, as every text requires."""

    USER_AGENT = "User-agent"
    ALLOW = "Allow"
    DISALLOW = "Disallow"
    CRAWL_DELAY = "Crawl-delay"
    REQUEST_RATE = "Request-rate"
    SITEMAP = "Sitemap"
    BLANK = ""  # an empty line: it ends a group in the old texts


class Line(NamedTuple):
    """One line that says something. `number` counts from 1."""

    number: int
    field: Field
    value: bytes


# A line as a plain tuple: a file has up to seventy thousand lines, and a NamedTuple takes longer to make.
LineTuple = tuple[int, Field, bytes]

_KNOWN_FIELDS: Final = tuple(field for field in Field if field is not Field.BLANK)
_EXACT: Final = MappingProxyType({field.value.lower().encode(): field for field in _KNOWN_FIELDS})
_COMMENT: Final = re.compile(rb"#[^\r\n]*")
# A comment between CR and LF stays: without it the two would be one end of a line, and the numbers would be wrong.
_COMMENT_NOT_BETWEEN: Final = re.compile(rb"(?<!\r)#[^\r\n]*|(?<=\r)#[^\r\n]*+(?!\n)")
_FROM_NUL: Final = re.compile(rb"\0[^\r\n]*")
MAX_LINE_OCTETS: Final = 2083 * 8 - 1  # octets; Google's parser: eight times the longest URL of an old browser
_TOO_LONG: Final = re.compile(rb"([^\r\n]{%d})[^\r\n]+" % MAX_LINE_OCTETS)
# Google's parser takes any field that starts with one of these. The first of each row is the right spelling; the
# others are typing errors that Google has often seen.
_FORGIVEN: Final = (
    ((b"user-agent", b"useragent", b"user agent"), Field.USER_AGENT),
    ((b"allow",), Field.ALLOW),
    ((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), Field.DISALLOW),
    ((b"sitemap", b"site-map"), Field.SITEMAP),
)


def whole_lines(body: bytes) -> bytes:
    """Cut `body` to `MAX_ROBOTS_BYTES`, and drop the line that the cut halves: half of `Allow: /a` is `Allow: /`."""
    if len(body) <= MAX_ROBOTS_BYTES:
        return body
    kept = body[:MAX_ROBOTS_BYTES]
    if body[MAX_ROBOTS_BYTES] in b"\r\n":
        return kept
    return kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]


def cut_lines(body: bytes) -> bytes:
    """Cut each line as a C program with a buffer of fixed length does: at a NUL, and where the buffer is full."""
    text = without_byte_order_mark(body)
    if b"\0" in text:
        text = _FROM_NUL.sub(b"", text)
    return _TOO_LONG.sub(rb"\1", text) if len(text) > MAX_LINE_OCTETS else text


def read_lines(body: bytes, *, forgiving: bool) -> Iterator[Line]:
    """Yield each line of `body` that has a known field, and the blank ones. All others are passed over."""
    for number, octets in enumerate(without_byte_order_mark(body).splitlines(), start=1):
        said = _field_and_value(octets, forgiving=forgiving)
        if said:
            yield Line(number, *said)


def read_line(number: int, octets: bytes, *, forgiving: bool) -> Line | None:
    """Read one line; return None where `read_lines` passes it over."""
    said = _field_and_value(octets, forgiving=forgiving)
    return Line(number, *said) if said else None


def meant_lines(body: bytes) -> list[Line]:
    """Return the lines with a known field, and those whose field is misspelt as Google's parser has often seen."""
    lines = {line.number: line for line in read_lines(body, forgiving=True)}
    lines |= {line.number: line for line in read_lines(body, forgiving=False)}
    return [lines[number] for number in sorted(lines)]


def scan_lines(body: bytes, *, forgiving: bool) -> Iterator[LineTuple]:
    """Yield the same lines without the blank ones, in a third of the time: files may be read by the million.

    It first removes all comments at once. Nearly every real line spells its field in a usual way: one split at the
    colon and one table lookup read it. `_field_and_value` reads the others.
    """
    field_of_spelling = _USUAL_SPELLINGS[forgiving].get
    comment = _COMMENT_NOT_BETWEEN if b"\r#" in body else _COMMENT  # the simple one is far faster
    text = comment.sub(b"", body) if b"#" in body else body
    for number, octets in enumerate(without_byte_order_mark(text).splitlines(), start=1):
        name, colon, value = octets.partition(b":")
        field = field_of_spelling(name)
        if field and colon:
            yield number, field, value.strip()
        elif octets and (said := _field_and_value(octets, forgiving=forgiving)) and said[0] is not Field.BLANK:
            yield number, *said


def _field_and_value(octets: bytes, *, forgiving: bool) -> tuple[Field, bytes] | None:
    """Read one line; return None where its field is not known."""
    text = octets.partition(b"#")[0].strip()
    if not text:
        return None if octets.strip() else (Field.BLANK, b"")  # a line with nothing but a comment is no blank line
    name, colon, value = text.partition(b":")
    if not colon and forgiving:
        name, value = _without_colon(text)
    field = _field(name, forgiving=forgiving)
    return (field, value.strip()) if field and (colon or value) else None


def _field(name: bytes, *, forgiving: bool) -> Field | None:
    name = name.rstrip().lower()
    if not forgiving:
        return _EXACT.get(name)
    return next((field for starts, field in _FORGIVEN if name.startswith(starts)), None)


def _without_colon(text: bytes) -> tuple[bytes, bytes]:
    match text.split(maxsplit=2):
        case [name, value]:
            return name, value
        case _:
            return text, b""


def _usual_spellings(*, forgiving: bool) -> dict[bytes, Field]:
    """Return the field for each of its usual spellings: `Disallow`, `disallow` and, of two words, `User-Agent`."""
    spellings = (text for field in _KNOWN_FIELDS for text in (field.value, field.value.lower(), field.value.title()))
    known = ((text.encode(), _field(text.encode(), forgiving=forgiving)) for text in spellings)
    return {text: field for text, field in known if field}


# This table is last because it is made with `_field`. It is a plain dict: a proxy would be slower.
_USUAL_SPELLINGS: Final = {forgiving: _usual_spellings(forgiving=forgiving) for forgiving in (False, True)}
