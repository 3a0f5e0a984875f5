"""How do octets become lines? Split at CR, LF or CRLF; then a field, a colon and a value (RFC 9309, 2.2).

Everything is done on bytes. On text, `str.splitlines` would also split at U+2028 or a form feed and `str.strip`
would drop no-break spaces: both invent directives that the file does not have.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from robots.encoding import without_mark

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ROBOTS_BYTES: Final = 500 * 1024  # octets; RFC 9309, 2.5: the least that must be read; Google ignores the rest


class Field(Enum):
    """The fields that are understood. All others are ignored, as every text asks."""

    USER_AGENT = "User-agent"
    ALLOW = "Allow"
    DISALLOW = "Disallow"
    CRAWL_DELAY = "Crawl-delay"
    SITEMAP = "Sitemap"
    BLANK = ""  # an empty line: it ends a group in the old texts


class Line(NamedTuple):  # a tuple, as a file may have a hundred thousand of them
    """One line that says something. `number` counts from 1."""

    number: int
    field: Field
    value: bytes


_EXACT: Final = MappingProxyType({field.value.lower().encode(): field for field in Field if field is not Field.BLANK})
# Google's parser takes any field that starts with one of these; those after the first of a kind are typing errors
# which it has met often.
_FORGIVEN: Final = (
    ((b"user-agent", b"useragent", b"user agent"), Field.USER_AGENT),
    ((b"allow",), Field.ALLOW),
    ((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), Field.DISALLOW),
    ((b"sitemap", b"site-map"), Field.SITEMAP),
)


def whole_lines(body: bytes) -> bytes:
    """Cut `body` to `MAX_ROBOTS_BYTES` and drop a line that was cut: half of `Allow: /a` could be `Allow: /`."""
    if len(body) <= MAX_ROBOTS_BYTES:
        return body
    kept = body[:MAX_ROBOTS_BYTES]
    if body[MAX_ROBOTS_BYTES] in b"\r\n":
        return kept
    return kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]


def read_lines(body: bytes, *, forgiving: bool) -> Iterator[Line]:
    """Yield what each line of `body` says, and the blank ones. Lines that say nothing known are passed over."""
    for number, octets in enumerate(without_mark(body).splitlines(), start=1):
        text = octets.partition(b"#")[0].strip()
        if not text:
            if not octets.strip():  # a line with only a comment is no blank line
                yield Line(number, Field.BLANK, b"")
            continue
        name, colon, value = text.partition(b":")
        if not colon and forgiving:
            name, value = _without_colon(text)
        name = name.rstrip().lower()
        field = _forgiven(name) if forgiving else _EXACT.get(name)
        if field and (colon or value):
            yield Line(number, field, value.strip())


def _without_colon(text: bytes) -> tuple[bytes, bytes]:
    words = text.split(maxsplit=2)
    return (words[0], words[1]) if len(words) == 2 else (text, b"")  # noqa: PLR2004  # a field and its value


def _forgiven(name: bytes) -> Field | None:
    return next((field for starts, field in _FORGIVEN if name.startswith(starts)), None)
