"""What would the owner of a site want to know about this robots.txt? Findings, each with its line and a sentence.

The parser passes over what it does not understand, as every text asks. So a typing error changes what a file says, and
nobody is told. `lint` tells. It judges the file alone: only a crawl can find out that a Disallow hides a page's noindex
from all robots. `lint_line.py` judges one line at a time.

Does the order of the lines change what they mean? RFC 9309 reads a group to its end and takes the longest rule; a robot
of the older texts ends a group at a blank line and takes the first rule that matches. There is nearly always an order
that means the same to both. So there are findings for rules for nobody, names without rules, and rules that a robot of
the older texts never reaches.

Is it a text file at all? RFC 9309 asks for plain text in UTF-8 (2.3) and lets robots stop reading after 500 KiB (2.5).
So there are findings for byte order marks, other encodings, HTML, and a file that is too long.

Is it another file that stands at a site's root, in the place of robots.txt? humans.txt tells who made a site
(humanstxt.org), ads.txt who may sell its advertising (the IAB's ads.txt 1.1), and security.txt whom to tell about a
weakness (RFC 9116). No reading of robots.txt knows a line of these, so they allow every robot everything.
"""

from __future__ import annotations

import codecs
import re
from bisect import insort
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from robots.dialect import Escapes
from robots.lines import (
    MAX_ROBOTS_BYTES,
    UTF16_BYTE_ORDER_MARKS,
    Field,
    read_lines,
    to_utf8,
    whole_lines,
    without_byte_order_mark,
)
from robots.lint_line import Finding, about_known, about_unknown, shown
from robots.normal_form import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.lines import Line


class LineOrder:
    """Follows the groups of a file, line by line."""

    def __init__(self) -> None:
        self._named = False  # whether a User-agent line has been seen
        self._without_rule: list[int] = []  # the User-agent lines that have no rule so far
        self._parted = False  # whether another line stands between them and the next User-agent line
        self._blank = False  # whether a blank line stands within the group
        self._ruled = False  # whether the group has rules: then the next User-agent line begins a new group
        self._first: dict[bytes, Line] = {}  # by path: the first rule that has it
        self._lengths: list[int] = []  # of these paths, sorted

    def add(self, line: Line) -> Iterator[Finding]:
        """Take the next line that has a known field, or is blank."""
        match line.field:
            case Field.USER_AGENT:
                yield from self._name(line)
            case Field.ALLOW | Field.DISALLOW:
                yield from self._rule(line)
            case Field.BLANK:
                self._parted = True
                self._blank = self._named
            case Field.CRAWL_DELAY | Field.REQUEST_RATE if not self._named:
                yield _for_nobody(line)
            case _:
                self._parted = True

    def end(self) -> Iterator[Finding]:
        """Judge what is open when the file ends."""
        if self._without_rule:
            sentence = "The last group has no rule: everything is allowed to its robots, whatever * is told."
            yield Finding(self._without_rule[0], "no-rules", sentence)

    def _name(self, line: Line) -> Iterator[Finding]:
        if self._without_rule and self._parted:
            sentence = (
                f"This group has no rule of its own: RFC 9309 joins it with the one of line {line.number}, the old "
                "texts don't. Write Allow: / below it if all is allowed."
            )
            yield Finding(self._without_rule[0], "no-rules", sentence)
            self._without_rule = []
        if self._ruled:
            self._forget_rules()
        self._named, self._ruled, self._parted, self._blank = True, False, False, False
        self._without_rule.append(line.number)

    def _rule(self, line: Line) -> Iterator[Finding]:
        if not self._named:
            yield _for_nobody(line)
            return
        if self._blank:
            sentence = (
                "For robots of the old texts the blank line above ends the group, and what follows is for nobody: "
                "take the blank line out."
            )
            yield Finding(line.number, "blank-line", sentence)
            self._forget_rules()
        self._without_rule, self._ruled, self._blank = [], True, False
        path = normal_form(line.value, Escapes.ALL_BUT_SLASH_DECODED)
        earlier = self._covering(path)
        if earlier and _opens(earlier) != _opens(line):
            yield _hidden(line, earlier)
        if path not in self._first and (line.value or line.field is Field.DISALLOW):
            self._first[path] = line
            if len(path) not in self._lengths:
                insort(self._lengths, len(path))

    def _covering(self, path: bytes) -> Line | None:
        """Return the first rule that matches everything that a rule with this `path` matches."""
        found = []
        for length in self._lengths:  # at most as many as the path has octets: the work grows with the file
            if length > len(path):
                break
            if rule := self._first.get(path[:length]):
                found.append(rule)
        return min(found, key=attrgetter("number"), default=None)

    def _forget_rules(self) -> None:
        self._first, self._lengths = {}, []


def _opens(rule: Line) -> bool:
    return rule.field is Field.ALLOW or not rule.value


def _for_nobody(line: Line) -> Finding:
    return Finding(line.number, "no-agent", "No User-agent line stands above: this is for nobody.")


def _hidden(line: Line, earlier: Line) -> Finding:
    rule = f"{earlier.field.value}: {shown(earlier.value)}".rstrip()
    sentence = (
        f"Robots that take the first rule that matches stop at line {earlier.number}, {rule!r}, and never come here: "
    )
    better = "put the longer path first." if line.value != earlier.value else "one of the two must go."
    return Finding(line.number, f"hidden-{line.field.value.lower()}", sentence + better)


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
