"""Which metas does a page have? A reader of start tags that knows what is no tag, and reads nothing twice.

Text in comments, scripts, styles, titles, attribute values and `<template>` is no markup, whatever it looks like. A
crawl has a whole parse of each page and does not need this reader; it is for callers that have only the octets. Every
step goes forward, and a search that failed is not made again: hostile markup costs no more than any other.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

from robots.lines import to_utf8
from robots.page.directives import FOR_X_ROBOTS_TAG, X_ROBOTS_TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_HTML_BYTES: Final = 4 * 1024 * 1024  # octets of a page that are read

# Elements whose content is text up to their end tag (HTML standard, 13.2.5).
_TEXT_ONLY: Final = frozenset({b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes"})
_WANTED: Final = frozenset({b"name", b"content", b"http-equiv"})
# Each pattern ends in one character class and a star, so it never goes back.
_TAG_NAME: Final = re.compile(rb"/?[^\s/>]*")
_BETWEEN: Final = re.compile(rb"[\s/]*")
_ATTRIBUTE_NAME: Final = re.compile(rb"=?[^\s/>=]*")
_SPACE: Final = re.compile(rb"\s*")
_UNQUOTED: Final = re.compile(rb"[^\s>]*")


def metas_of(html: bytes) -> tuple[tuple[str, str], ...]:
    """Return name and content of the metas that have both, in the order of the page."""
    return tuple(_Reader(to_utf8(html[:MAX_HTML_BYTES])).metas())


class _Reader:
    """A page, in lower case for names and as it is for values, and where something was found in it last."""

    def __init__(self, page: bytes) -> None:
        self.page = page
        self.lower = page.lower()
        self._found: dict[bytes, int] = {}

    def metas(self) -> Iterator[tuple[str, str]]:
        last = self.lower.rfind(b"<meta")
        at = templates = 0
        while (at := self.find(b"<", at)) <= last:
            behind = self.lower[at + 1 : at + 2]
            if self.lower.startswith(b"<!--", at):
                at = self.comment_end(at)
            elif behind in {b"!", b"?"} or (behind == b"/" and not self.lower[at + 2 : at + 3].isalpha()):
                at = self.find(b">", at) + 1
            elif behind == b"/" or behind.isalpha():
                name, attributes, at = self.tag(at + 1)
                if name == b"template":
                    templates += 1
                elif name == b"/template":
                    templates = max(0, templates - 1)
                elif name == b"plaintext":
                    return  # the rest of the page is text, whatever it says
                elif name in _TEXT_ONLY:
                    at = self.text_end(name, at)
                elif name == b"meta" and not templates and b"content" in attributes:
                    yield from _named(attributes)
            else:
                at += 1

    def find(self, what: bytes, at: int) -> int:
        """Return where `what` stands at or after `at`, else the end. The same place is not searched for twice."""
        found = self._found.get(what, -1)
        if found < at:
            found = self.lower.find(what, at)
            found = len(self.lower) if found < 0 else found
            self._found[what] = found
        return found

    def comment_end(self, at: int) -> int:
        """Return where the comment that begins at `at` ends; `<!-->` is a whole comment."""
        return min(self.find(b"-->", at + 2) + len(b"-->"), self.find(b"--!>", at + 2) + len(b"--!>"))

    def text_end(self, name: bytes, at: int) -> int:
        """Return where the end tag of a text-only element stands."""
        tag = b"</" + name
        at = self.find(tag, at)
        while _skip(_TAG_NAME, self.lower, at + 1) > at + len(tag):  # </scripture> does not end a script
            at = self.find(tag, at + 1)
        return at

    def tag(self, at: int) -> tuple[bytes, dict[bytes, bytes], int]:
        """Read a tag from behind its `<`: return its name, its attributes and where it ends."""
        start, at = at, _skip(_TAG_NAME, self.lower, at)
        tag = self.lower[start:at]
        attributes: dict[bytes, bytes] = {}
        while (at := _skip(_BETWEEN, self.lower, at)) < len(self.lower):
            if self.lower.startswith(b">", at):
                return tag, attributes, at + 1
            start, at = at, _skip(_ATTRIBUTE_NAME, self.lower, at)
            name = self.lower[start:at]
            value, at = self.value(at)
            if name in _WANTED:
                attributes.setdefault(name, value)  # of two with one name the first counts
        return b"", {}, at  # a tag without an end is no tag

    def value(self, at: int) -> tuple[bytes, int]:
        """Read the value of an attribute, from behind its name; an attribute may have none."""
        equals = _skip(_SPACE, self.lower, at)
        if not self.lower.startswith(b"=", equals):
            return b"", at
        start = _skip(_SPACE, self.lower, equals + 1)
        quote = self.lower[start : start + 1]
        if quote in {b'"', b"'"}:
            end = self.find(quote, start + 1)
            return self.page[start + 1 : end], end + 1
        end = _skip(_UNQUOTED, self.lower, start)
        return self.page[start:end], end


def _named(attributes: dict[bytes, bytes]) -> Iterator[tuple[str, str]]:
    equivalent = _text(attributes.get(b"http-equiv", b"")).strip().lower()
    if equivalent == X_ROBOTS_TAG:
        yield FOR_X_ROBOTS_TAG, _text(attributes[b"content"])
    elif b"name" in attributes:
        yield _text(attributes[b"name"]), _text(attributes[b"content"])


def _skip(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _text(value: bytes) -> str:
    return unescape(value.decode("utf-8", "replace"))
