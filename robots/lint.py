"""What would the owner of a site want to know about this robots.txt? Findings, each with its line and a sentence.

The parser passes over what it does not understand, as every text asks. So a typing error changes what a file says, and
nobody is told. `lint` tells. It judges the file alone: only a crawl can find out that a Disallow hides a page's noindex
from all robots. `lint_line.py` judges one line at a time, and `lint_order.py` their order.

Is it a text file at all? RFC 9309 asks for plain text in UTF-8 (2.3) and lets robots stop reading after 500 KiB (2.5).
So there are findings for byte order marks, other encodings, HTML, and a file that is too long.

Is it another file that stands at a site's root, in the place of robots.txt? humans.txt tells who made a site
(humanstxt.org), ads.txt who may sell its advertising (the IAB's ads.txt 1.1), and security.txt whom to tell about a
weakness (RFC 9116). No reading of robots.txt knows a line of these, so they allow every robot everything.
"""

from __future__ import annotations

import codecs
import re
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from robots.lines import (
    MAX_ROBOTS_BYTES,
    UTF16_BYTE_ORDER_MARKS,
    Field,
    read_lines,
    to_utf8,
    whole_lines,
    without_byte_order_mark,
)
from robots.lint_line import Finding, about_known, about_unknown
from robots.lint_order import LineOrder

if TYPE_CHECKING:
    from collections.abc import Iterator


NEARLY_TOO_LONG: Final = 450 * 1024  # octets; our choice: nine tenths of what is read, so that there is time to act


def about_octets(body: bytes, text: bytes) -> Iterator[Finding]:
    """Judge the file before its lines are read; `text` is `body` as UTF-8."""
    if body.startswith(UTF16_BYTE_ORDER_MARKS):
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
    return without_byte_order_mark(text).lstrip().startswith(b"<")


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


_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_HUMANS: Final = re.compile(rb"^[ \t]*/\*[ \t]*(?:team|thanks|site|technology colophon)[ \t]*\*/", _FLAGS)
_ADS: Final = re.compile(
    rb"^[ \t]*[a-z0-9.-]{1,253},[^,#\r\n]{1,253},[ \t]*(?:direct|reseller)[ \t]*(?:[,#\r\n]|\Z)", _FLAGS
)
_CONTACT: Final = re.compile(rb"^contact:", _FLAGS)  # RFC 9116, 2.5: a security.txt must have both
_EXPIRES: Final = re.compile(rb"^expires:", _FLAGS)


def about_foreign_file(text: bytes) -> Iterator[Finding]:
    """Say which other file this is, if it has no group; `text` is without a byte order mark."""
    found = _recognised(text)
    if found and all(line.field is not Field.USER_AGENT for line in read_lines(text, forgiving=True)):
        rule, what, place = found
        number = len(text[: place + 1].splitlines())
        sentence = (
            f"This is {what}, in the place of robots.txt: to every reading it has no rule, and allows everything."
        )
        yield Finding(number, rule, sentence)


def _recognised(text: bytes) -> tuple[str, str, int] | None:
    if line := _HUMANS.search(text):
        return "humans-txt", "a humans.txt, which tells who made the site", line.start()
    if line := _ADS.search(text):
        return "ads-txt", "an ads.txt, which tells who may sell advertising", line.start()
    if (line := _CONTACT.search(text)) and _EXPIRES.search(text):
        return "security-txt", "a security.txt, which tells whom to write to about a weakness", line.start()
    return None


def lint(body: bytes) -> list[Finding]:
    """Return the findings about a robots.txt, in the order of its lines. Any octets will do."""
    text = to_utf8(body)
    lines = whole_lines(text)
    foreign = list(about_foreign_file(without_byte_order_mark(lines)))
    is_foreign = looks_like_html(text) or bool(foreign)
    findings = [*about_octets(body, text), *foreign, *_about_lines(lines, is_foreign=is_foreign)]
    return sorted(findings, key=attrgetter("line"))


def _about_lines(text: bytes, *, is_foreign: bool) -> Iterator[Finding]:
    known = {line.number: line for line in read_lines(text, forgiving=False)}
    by_google = {line.number: line for line in read_lines(text, forgiving=True)}
    order = LineOrder()
    for number, octets in enumerate(without_byte_order_mark(text).splitlines(), start=1):
        if line := known.get(number):
            yield from order.add(line)
            if line.field is not Field.BLANK:
                yield from about_known(line)
        elif not is_foreign and (
            said := octets.partition(b"#")[0].strip()
        ):  # else each line of an HTML page would be a finding
            yield about_unknown(number, said, by_google.get(number))
    yield from order.end()
