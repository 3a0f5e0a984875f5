"""Which lines of this robots.txt should its owner correct? Findings, each with its line and one sentence.

The parser skips what it does not understand, as every text requires. So a typing error silently changes the meaning of
a file. `lint` reports it. It checks only the file; only a crawl can find that a Disallow hides a page's noindex.

- **One line.** Findings name misspelt fields, fields of other times and engines, and values that can't be read. They
  name paths that the owner wanted to hide, because a Disallow shows everybody where to look. They name patterns that
  only some robots understand.
- **The order of the lines.** RFC 9309 reads a group to its end and takes the longest rule. A robot of the older texts
  ends a group at a blank line and takes the first rule that matches. There is nearly always an order with the same
  meaning for both. So findings name rules without a robot, robots without rules, and rules that an older robot never
  reaches.
- **The bytes.** RFC 9309 asks for plain text in UTF-8 (2.3) and lets robots stop reading after 500 KiB (2.5). Findings
  name byte order marks, other encodings, HTML, and a file that is too long.
- **Another file in its place.** These files are humans.txt (authors, humanstxt.org), ads.txt (sellers of advertising,
  the IAB's ads.txt 1.1) and security.txt (contact for weaknesses, RFC 9116). No reading of robots.txt knows a line of
  these, so they allow every robot everything.
"""

from __future__ import annotations

import codecs
import re
from bisect import insort
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.crawl_delay import delay_seconds, rate_of
from robots.dialect import Escapes
from robots.lines import (
    MAX_ROBOTS_BYTES,
    ROBOTS_PATH,
    UTF16_BYTE_ORDER_MARKS,
    Field,
    read_line,
    read_lines,
    to_utf8,
    whole_lines,
    without_byte_order_mark,
)
from robots.normal_form import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.lines import Line


MAX_SHOWN: Final = 60  # characters of a line that a sentence repeats: a line may have 500 KiB
FINDINGS: Final = frozenset({  # the short names of all findings
    "acap", "ads-txt", "blank", "blank-line", "byte-order-mark", "comment", "crawl-delay", "empty-allow",
    "empty-disallow", "extension", "hidden-allow", "hidden-disallow", "host", "html", "humans-txt", "misspelt",
    "no-agent", "no-colon", "no-rules", "no-slash", "no-text", "no-utf-8", "nobody", "noindex",
    "not-understood", "request-rate", "robots-txt", "security-txt", "sitemap", "size", "tells-where", "utf-16",
    "wildcard",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a robots.txt. All findings of a kind have the same short name, `rule`."""

    line: int  # from 1; 0: the file as a whole
    rule: str
    sentence: str


def shown(value: bytes) -> str:
    """Return a value of the file, short enough for a sentence."""
    text = value[: 4 * MAX_SHOWN].decode("utf-8", "backslashreplace")  # no character has more than four octets
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


PRIVATE: Final = re.compile(
    rb"(?<![a-z])(?:admin(?:istrat(?:or|ion))?|backups?|confidential|credentials?|dumps?|hidden|internal|intranet|logins?"
    rb"|passw(?:or)?ds?|phpmyadmin|private?|secrets?)(?![a-z])"
    rb"|/\.(?:env|git|ht|ssh|svn)",
    re.IGNORECASE,
)


def about_path(line: Line) -> Iterator[Finding]:
    """Yield the findings about an Allow or Disallow line by itself."""
    if not line.value:
        yield _without_path(line)
        return
    yield from _form(line)
    private = PRIVATE.search(line.value) if line.field is Field.DISALLOW else None
    if private:
        sentence = (
            f"A robots.txt is public, and {shown(private[0].strip(b'/'))!r} shows where to look: it protects nothing. "
            "Ask for a password there."
        )
        yield Finding(line.number, "tells-where", sentence)
    if line.value.startswith(ROBOTS_PATH):
        sentence = "Only Google's parser heeds a rule on /robots.txt; in the other readings it may always be fetched."
        yield Finding(line.number, "robots-txt", sentence)
    yield from _wildcards(line)


def _without_path(line: Line) -> Finding:
    if line.field is Field.ALLOW:
        return Finding(line.number, "empty-allow", "An Allow without a path means nothing in any reading.")
    sentence = "A Disallow without a path opens the site in three readings and closes it in the book's: write Allow: /"
    return Finding(line.number, "empty-disallow", sentence)


_SLASHES: Final = re.compile(rb"\s//|^//\s")  # a comment as in a program; a path may well begin with two slashes


def _form(line: Line) -> Iterator[Finding]:
    if line.value.lower().startswith((b"http://", b"https://")):
        sentence = "This is a whole address, and no path begins like it: the rule matches nothing. Begin with a slash."
        yield Finding(line.number, "no-slash", sentence)
    elif not line.value.startswith((b"/", b"*")):
        sentence = f"No path begins like this: the rule matches nothing. Is /{shown(line.value)} meant?"
        yield Finding(line.number, "no-slash", sentence)
    if _SLASHES.search(line.value):
        sentence = (
            f"Only # begins a comment: every reading takes {shown(line.value)!r} for the path, and it matches nothing."
        )
        yield Finding(line.number, "comment", sentence)
    elif len(line.value.split(maxsplit=1)) > 1:
        sentence = (
            "A line has one path, and no URL has a blank: the rule matches nothing but %20. Write a line for each."
        )
        yield Finding(line.number, "blank", sentence)


def _wildcards(line: Line) -> Iterator[Finding]:
    anchored = line.value.endswith(b"$")
    if line.value.endswith(b"*") and b"*" not in line.value[:-1] and len(line.value) > 1:
        plain = shown(line.value[:-1])
        sentence = f"The * at the end adds nothing, and old robots take it as a plain character: write {plain}"
        yield Finding(line.number, "wildcard", sentence)
    elif anchored or b"*" in line.value:
        signs = " and ".join(sign for sign, there in (("*", b"*" in line.value), ("$", anchored)) if there)
        sentence = f"Old robots take {signs} as plain characters: for them this rule matches next to nothing."
        yield Finding(line.number, "wildcard", sentence)


A_DAY: Final = 24 * 3600.0  # seconds; a robot that obeys a longer Crawl-delay hardly ever comes
CLOSE: Final = 0.8  # of 1: how alike two names must be for one to be a misspelling of the other; tried on real files
MAX_LETTERS_APART: Final = 2  # letters that a misspelling adds or leaves out
FIELD_NAMES: Final = tuple(field.value for field in Field if field is not Field.BLANK)
FIELDS_OF_PAGES: Final = frozenset({b"noindex", b"nofollow", b"noarchive", b"nosnippet"})
FIELDS_OF_OTHERS: Final = MappingProxyType(
    {
        b"clean-param": "A field of Yandex alone",
        b"visit-time": "A field of a proposal of 1996 that few robots learnt",
        b"content-signal": "A field of a proposal of 2025",
        b"content-usage": "A field of a proposal of 2025",
    }
)


def about_known(line: Line) -> Iterator[Finding]:
    """Yield the findings about a line with a known field."""
    match line.field:
        case Field.ALLOW | Field.DISALLOW:
            yield from about_path(line)
        case Field.USER_AGENT if not line.value:
            yield Finding(line.number, "nobody", "No robot is named here: * means every robot.")
        case Field.CRAWL_DELAY:
            yield from _delay(line)
        case Field.REQUEST_RATE:
            yield _rate(line)
        case Field.SITEMAP if not line.value.lower().startswith((b"http://", b"https://")):
            sentence = (
                "A sitemap's address must be a whole one, with https:// and the host: robots pass this line over."
            )
            yield Finding(line.number, "sitemap", sentence)
        case _:
            pass


def about_unknown(number: int, text: bytes, by_google: Line | None) -> Finding:
    """Return the finding about a line that RFC 9309 does not know; `by_google` is what Google's parser reads in it."""
    name, colon, _ = (part.strip() for part in text.partition(b":"))
    field = name.lower()
    if text.startswith(b"//"):
        return Finding(number, "comment", "Only # begins a comment: no reading knows // in a robots.txt.")
    if by_google:
        read = f"{by_google.field.value}: {shown(by_google.value)}".rstrip()
        what = f"{shown(name)!r} is no field" if colon else "There is no colon"
        sentence = f"{what}: Google's parser takes the line for {read!r}, the other readings pass it over."
        return Finding(number, "misspelt" if colon else "no-colon", sentence)
    if not colon:
        return Finding(number, "no-colon", "No reading understands a line without a colon.")
    return _of_others(number, field) or _misspelt(number, name, field)


def _of_others(number: int, field: bytes) -> Finding | None:
    if field in FIELDS_OF_PAGES:
        word = field.decode()
        sentence = f"No reading knows {word} in a robots.txt: it belongs into a page's meta element or X-Robots-Tag."
        return Finding(number, "noindex", sentence)
    if field == b"host":
        return Finding(
            number, "host", "Host named a preferred mirror to Yandex once: it changes no verdict of anybody."
        )
    if field.startswith(b"acap-"):
        return Finding(number, "acap", "ACAP was a plan of publishers of 2007: no reading knows its lines.")
    if field in FIELDS_OF_OTHERS:
        return Finding(number, "extension", f"{FIELDS_OF_OTHERS[field]}: the four readings pass it over.")
    return None


def _misspelt(number: int, name: bytes, field: bytes) -> Finding:
    word = field.decode("latin-1")
    meant = next((known for known in FIELD_NAMES if _alike(word, known.lower())), "")
    if meant:
        return Finding(number, "misspelt", f"No reading knows the field {shown(name)!r}: is {meant} meant?")
    return Finding(number, "not-understood", f"No reading knows the field {shown(name)!r}: the line means nothing.")


def _alike(word: str, known: str) -> bool:
    if abs(len(word) - len(known)) > MAX_LETTERS_APART:
        return False
    matcher = SequenceMatcher(None, word, known)
    return matcher.quick_ratio() >= CLOSE and matcher.ratio() >= CLOSE  # the quick one is never less


def _delay(line: Line) -> Iterator[Finding]:
    delay = delay_seconds(line.value)
    if delay is None:
        yield Finding(line.number, "crawl-delay", f"{shown(line.value)!r} is no number of seconds: no robot waits.")
    elif delay > A_DAY:
        sentence = f"{delay:,.0f} s are over a day between two visits: robots cap it or stay away; Disallow is plainer."
        yield Finding(line.number, "crawl-delay", sentence)


def _rate(line: Line) -> Finding:
    rate = rate_of(line.value)
    if rate is None:
        return Finding(line.number, "request-rate", f"{shown(line.value)!r} is no rate such as 1/10: no robot waits.")
    seconds = f"{rate.seconds_per_request:.6f}".rstrip("0").rstrip(".")  # to be pasted: no 1e+06
    sentence = (
        f"A field of a proposal of 1996 that few robots learnt: more of them mind Crawl-delay: "
        f"{seconds}, which asks for about the same."
    )
    return Finding(line.number, "extension", sentence)


class LineOrder:
    """Follows the groups of a file, line by line."""

    def __init__(self) -> None:
        self._named = False  # whether a User-agent line has been seen
        self._without_rule: list[int] = []  # the User-agent lines that have no rule so far
        self._parted = False  # whether another line is between them and the next User-agent line
        self._blank = False  # whether there is a blank line within the group
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
        """Yield the finding about a last group without a rule."""
        if self._without_rule:
            sentence = "The last group has no rule: its robots may fetch everything, whatever the group of * says."
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
                "For robots of the old texts the blank line above ends the group, and the rules after it are for no "
                "robot: remove the blank line."
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
    return Finding(line.number, "no-agent", "There is no User-agent line above: this is for no robot.")


def _hidden(line: Line, earlier: Line) -> Finding:
    rule = f"{earlier.field.value}: {shown(earlier.value)}".rstrip()
    sentence = (
        f"Robots that take the first rule that matches stop at line {earlier.number}, {rule!r}, and never come here: "
    )
    better = "put the longer path first." if line.value != earlier.value else "one of the two must go."
    return Finding(line.number, f"hidden-{line.field.value.lower()}", sentence + better)


NEARLY_TOO_LONG: Final = 450 * 1024  # octets; our choice: nine tenths of what robots read, to leave time to act


def about_octets(body: bytes, text: bytes) -> Iterator[Finding]:
    """Yield the findings about the file as a whole; `text` is `body` as UTF-8."""
    if body.startswith(UTF16_BYTE_ORDER_MARKS):
        yield Finding(1, "utf-16", "The file is in UTF-16, and most robots find no rule in it: save it as UTF-8.")
    elif body.startswith(codecs.BOM_UTF8):
        sentence = "An invisible byte order mark is before the first line, and old robots lose that line: save without."
        yield Finding(1, "byte-order-mark", sentence)
    elif b"\0" in body:
        yield Finding(_line_of(body, body.index(b"\0")), "no-text", "A NUL is here: this is no file of plain text.")
    if looks_like_html(text):
        sentence = "It begins like an HTML page: is the server's error page sent as the file? Its rules still count."
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
                "This is no UTF-8: characters beyond ASCII are read as other octets than the URL has. Save as UTF-8."
            )
            yield Finding(_line_of(text, error.start), "no-utf-8", sentence)


def _size(text: bytes) -> Iterator[Finding]:
    if len(text) > MAX_ROBOTS_BYTES:
        sentence = "The file is longer than 500 KiB, and robots may stop reading after this line: shorten it."
        yield Finding(len(whole_lines(text).splitlines()), "size", sentence)
    elif len(text) >= NEARLY_TOO_LONG:
        sentence = f"The file has {len(text) // 1024} KiB; robots may skip the rest after 500 KiB: shorten it in time."
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
        return "humans-txt", "a humans.txt, which names the makers of a site", line.start()
    if line := _ADS.search(text):
        return "ads-txt", "an ads.txt, which names the sellers of advertising", line.start()
    if (line := _CONTACT.search(text)) and _EXPIRES.search(text):
        return "security-txt", "a security.txt, which has a contact for reports of a weakness", line.start()
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
    order = LineOrder()
    for number, octets in enumerate(without_byte_order_mark(text).splitlines(), start=1):
        if line := read_line(number, octets, forgiving=False):
            yield from order.add(line)
            if line.field is not Field.BLANK:
                yield from about_known(line)
        elif not is_foreign and (
            said := octets.partition(b"#")[0].strip()
        ):  # else each line of an HTML page would be a finding
            yield about_unknown(number, said, read_line(number, octets, forgiving=True))
    yield from order.end()
