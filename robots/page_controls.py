"""May this page be indexed, its links followed, a copy shown? X-Robots-Tag headers and robots metas say.

All directives add up, and the most restrictive one wins. A page cannot lift a directive of its server, and a meta for
one robot cannot lift a meta for all. They act after the page was fetched. A robot that robots.txt keeps out never sees
them, so a page that must stay out of an index may not be disallowed there. All of it is advice.

Directives are read as servers really write them. Commas separate them. In a header, a name before a colon is a
directive or else the name of a robot, and the rest of that header line is for that robot. Searching the text for words
instead would find `none` in `max-image-preview:none` and drop the page. Where no text defines a form, the stricter
reading holds. A semicolon, or a blank next to a directive, separates like a comma. A header for `*` or for our name
with a version is for us.

When does a page expire? The dates of `unavailable_after` are ISO 8601, RFC 822 or RFC 850, with or without a time, and
may have a comma in them. A date without a time is the start of that day, and a time without a zone is UTC. Where two
readings are possible, we take the one that removes the page sooner.

For callers that have only the octets, this module also finds the metas. One forward pass looks at each tag and reads
nothing twice. Text in comments, scripts, styles, titles, attribute values and `<template>` is no markup. A crawl parses
each page anyway and does not need this reader. Hostile markup costs no more than any other: every step goes forward,
and a failed search is not repeated.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from html import unescape
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from robots.dialect import Naming
from robots.freshness import first_header, http_date
from robots.group import our_name
from robots.lines import to_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MAX_DATE_CHARS: Final = 64  # the longest form in use has 40
MAX_DATE_PARTS: Final = 3  # "Friday, June 25, 2010": no date has more than two commas
_ZONES: Final = MappingProxyType(  # RFC 822, 5.1: hours from universal time
    {
        "UT": 0,
        "UTC": 0,
        "GMT": 0,
        "EST": -5,
        "EDT": -4,
        "CST": -6,
        "CDT": -5,
        "MST": -7,
        "MDT": -6,
        "PST": -8,
        "PDT": -7,
    }
)
_DASHED: Final = re.compile(r"(\d)-([A-Za-z]{3})-(\d)")  # 25-Jun-10, as RFC 850 writes the day


def date_of(text: str) -> datetime | None:
    """Read a date, and return it in UTC; None for what is no date."""
    text = text.strip()
    if not text or len(text) > MAX_DATE_CHARS or not any(letter.isdigit() for letter in text):
        return None
    return _iso_date(text.upper()) or http_date(text) or http_date(_DASHED.sub(r"\1 \2 \3", text) + " 00:00:00")


def _iso_date(text: str) -> datetime | None:
    """Read `2010-06-25T15:00:00Z` and its kin; `2010-06-25 15:00:00 EST`, which databases print, is one of them."""
    before, _, zone = text.rpartition(" ")
    named = timezone(timedelta(hours=_ZONES[zone])) if zone in _ZONES else None
    try:
        date = datetime.fromisoformat(before if named else text)
        return date.replace(tzinfo=date.tzinfo or named or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


MAX_DIRECTIVES_CHARS: Final = 8192  # of one header or meta that are read; real ones have under 300

UNAVAILABLE_AFTER: Final = "unavailable_after"
EVERY_ROBOT: Final = frozenset({"robots", "*"})  # before a colon in a header, neither is the name of one robot
_OBEYED: Final = frozenset(
    {"all", "index", "follow", "none", "noindex", "nofollow", "noarchive", "nocache", "nosnippet", "indexifembedded"}
)
_WITHOUT_EFFECT: Final = frozenset(  # on a search engine such as this; known, or they would count as names of robots
    {"notranslate", "noimageindex", "noodp", "noydir", "noyaca", "nositelinkssearchbox"}
)
_VALUED: Final = frozenset({"max-snippet", "max-image-preview", "max-video-preview", UNAVAILABLE_AFTER})
_KNOWN: Final = _OBEYED | _WITHOUT_EFFECT | _VALUED
_ROBOT_NAME_LETTERS: Final = frozenset(string.ascii_letters + string.digits + "-_.")
_ALONE: Final = "|".join(sorted(_OBEYED | _WITHOUT_EFFECT))
_ANY: Final = f"{_ALONE}|{'|'.join(sorted(_VALUED))}"
# The blanks before a known directive, but not after a colon (`max-image-preview: none` is one directive), and the
# blanks after a directive without a value. Neither expression starts again within a run of blanks.
_SEPARATING_BLANKS: Final = re.compile(
    rf"(?<=[^\s:,])\s+(?=(?:{_ANY})(?:[\s:,]|$))|(?:(?<=[\s:,])|^)({_ALONE})\s+(?=[^\s:,])", re.IGNORECASE
)


def directives_for(text: str, ours: str, *, scoped: bool) -> Iterator[tuple[str, str]]:
    """Yield name and value of the known directives in `text` that are for us.

    `ours` is our product token in lower case; `scoped` says that robots may be named, as in a header.
    """
    parts = _SEPARATING_BLANKS.sub(r"\1,", text[:MAX_DIRECTIVES_CHARS].replace(";", ",")).split(",")
    for_us = True
    taken = 0
    for at, part in enumerate(parts):
        if at < taken:
            continue  # it is part of a date that has been read
        words = part.split(":")
        start = 0
        while scoped and start + 1 < len(words) and _names_a_robot(words[start]):
            for_us = _without_version(words[start]) in EVERY_ROBOT | {ours}
            start += 1
        name, value = words[start].strip().lower(), ":".join(words[start + 1 :]).strip()
        if name == UNAVAILABLE_AFTER:
            value, more = _whole_date(value, parts[at + 1 : at + MAX_DATE_PARTS])
            taken = at + 1 + more
        else:
            value = value.partition(" ")[0]  # "3 characters" is 3
        if for_us and name in _KNOWN:
            yield name, value


def _names_a_robot(word: str) -> bool:
    word = _without_version(word)
    named = word not in _KNOWN and _ROBOT_NAME_LETTERS.issuperset(word) and any(letter.isalpha() for letter in word)
    return named or word in EVERY_ROBOT


def _without_version(name: str) -> str:
    return name.strip().lower().partition("/")[0].rstrip()


def _whole_date(value: str, following: Sequence[str]) -> tuple[str, int]:
    """Append the parts of a date that commas have cut off, and count them; 0 if it is no date even then."""
    date = value
    for count, part in enumerate(following):
        if date_of(date):
            return date, count
        name, colon, _ = part.partition(":")
        if name.strip().lower() in _KNOWN or (colon and _names_a_robot(name)):
            return value, 0
        date = f"{date},{part}"
    return (date, len(following)) if date_of(date) else (value, 0)


X_ROBOTS_TAG: Final = "x-robots-tag"  # the header, in lower case
FOR_X_ROBOTS_TAG: Final = "http-equiv=x-robots-tag"  # the name, among metas, of one that represents that header
ALL_ROBOTS: Final = "robots"  # the name in a meta that is for everybody
MAX_WISHES: Final = 100  # that are kept with a page; all of them count, and honest pages have under ten
_MAX_SHOWN: Final = 80  # characters of a header line
_LINE: Final = "X-Robots-Tag: "


class Wish(NamedTuple):
    """A directive in lower case, its value if it has one, and its header line or meta as a person would find it."""

    directive: str
    value: str
    source: str

    @property
    def of_header(self) -> bool:
        """Whether it comes from a header, rather than from the page."""
        return self.source.startswith(_LINE)

    def __str__(self) -> str:
        return f"{self.directive}{f': {self.value}' if self.value else ''}, from {self.source}"


def wishes_from(
    headers: Sequence[tuple[str, str]], metas: Sequence[tuple[str, str]] = (), *, agent: str
) -> tuple[Wish, ...]:
    """Return the directives for `agent` in `headers` and `metas`, each once. `metas` are pairs of name and content."""
    ours = our_name(agent, Naming.TOKEN).decode("ascii")
    return tuple(dict.fromkeys((*_of_headers(headers, ours), *_of_metas(metas, ours))))


def _of_headers(headers: Sequence[tuple[str, str]], ours: str) -> Iterator[Wish]:
    for name, line in headers:
        if name.lower() == X_ROBOTS_TAG:
            source = _LINE + (line if len(line) <= _MAX_SHOWN else f"{line[: _MAX_SHOWN - 1]}…")
            yield from (Wish(*directive, source) for directive in directives_for(line, ours, scoped=True))


def _of_metas(metas: Sequence[tuple[str, str]], ours: str) -> Iterator[Wish]:
    for name, content in metas:
        called = _without_version(name)
        if called in {ALL_ROBOTS, ours} - {""}:
            source = f'<meta name="{called}">'
            yield from (Wish(*directive, source) for directive in directives_for(content, ours, scoped=False))
        elif called == FOR_X_ROBOTS_TAG:  # Google and Bing are silent about it: the stricter reading holds
            source = '<meta http-equiv="X-Robots-Tag">'
            yield from (Wish(*directive, source) for directive in directives_for(content, ours, scoped=True))


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
        """Return where `what` is at or after `at`, else the end. It does not search for the same place twice."""
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
        """Return where the end tag of a text-only element begins."""
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


MAX_MEDIA_TYPE_CHARS: Final = 255  # two names of up to 127 (RFC 6838, 4.2)
HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
PREVIEWS: Final = ("none", "standard", "large")  # max-image-preview, the most restrictive first

_NO_LIMIT: Final = "-1"
_Limit = TypeVar("_Limit", int, "datetime")
_MAX_LENGTH: Final = 10**9  # more than any page has characters or any video seconds
_MAX_DIGITS: Final = 20  # of a length; Python takes its time over numbers of thousands


@dataclass(frozen=True, slots=True)
class PageControls:
    """The permissions for a page. Without directives, everything is allowed."""

    index: bool = True
    follow: bool = True
    archive: bool = True  # a cached copy may be shown
    snippet: int | None = None  # characters; 0: none at all; None: no limit
    expires: datetime | None = None  # in UTC; from then on the page may not be in the results
    image_preview: str | None = None  # one of PREVIEWS; None: no limit
    video_preview: int | None = None  # seconds; None: no limit
    indexifembedded: bool = False  # not to be indexed by itself, but as a part of another page
    wishes: tuple[Wish, ...] = field(default=(), compare=False)  # from which all of this follows

    def asked_by(self, *directives: str) -> str:
        """Return the source of the first of `directives`: a header line or a meta; empty if there is none."""
        return next((wish.source for wish in self.wishes if wish.directive in directives), "")

    @property
    def expiry_asked_by(self) -> str:
        """The header line or meta with the date of `expires`: of several dates the earliest holds."""
        dated = ((date_of(wish.value), wish.source) for wish in self.wishes if wish.directive == UNAVAILABLE_AFTER)
        return next((source for date, source in dated if date == self.expires), "")


def page_controls(
    headers: Sequence[tuple[str, str]],
    html: bytes,
    *,
    agent: str,
    url: str,  # noqa: ARG001 - the signature promises it; no directive in use depends on the address
    now: datetime | None = None,
) -> PageControls:
    """Read the controls of a page that is not parsed yet. Metas count only if the Content-Type is HTML or missing."""
    declared = declared_type(first_header(headers, "content-type"))
    is_html = declared in HTML_TYPES or not declared  # a server that names no type may well mean HTML
    return controls_from(headers, metas_of(html) if is_html else (), agent=agent, now=now)


def declared_type(content_type: str) -> str:
    """Return the bare type in lower case: no parameters, and the first where a proxy joined two with a comma."""
    return content_type.split(";", 1)[0].split(",", 1)[0].strip()[:MAX_MEDIA_TYPE_CHARS].lower()


def controls_from(
    headers: Sequence[tuple[str, str]],
    metas: Sequence[tuple[str, str]],
    *,
    agent: str,
    now: datetime | None = None,
) -> PageControls:
    """Combine the directives for `agent` in `headers` and `metas`, which are pairs of name and content.

    `index` depends on the date of `expires` only if `now`, with a time zone, is given.
    """
    return controls_of(wishes_from(headers, metas, agent=agent), now=now)


def renewed_controls(stored: PageControls, of_header: Sequence[Wish]) -> PageControls:
    """Return the controls of an unchanged page (304) after new X-Robots-Tag lines, which replace the earlier ones.

    RFC 9111, 3.2: the fields of such a response replace the stored ones. The directives of the page itself stay.
    """
    return controls_of((*of_header, *(wish for wish in stored.wishes if not wish.of_header)))


def controls_of(wishes: Sequence[Wish], *, now: datetime | None = None) -> PageControls:
    """Combine the directives: the most restrictive one wins."""
    found = [(wish.directive, wish.value) for wish in wishes]
    names = {name for name, _ in found}
    noindex = bool(names & {"noindex", "none"})
    expires = _least(date_of(value) for name, value in found if name == UNAVAILABLE_AFTER)
    expired = now is not None and expires is not None and expires <= now
    preview = _least(_preview(value) for name, value in found if name == "max-image-preview")
    return PageControls(
        index=not noindex and not expired,
        follow=not names & {"nofollow", "none"},
        archive=not names & {"noarchive", "nocache"},
        snippet=0 if "nosnippet" in names else _least(_length(value) for name, value in found if name == "max-snippet"),
        expires=expires,
        image_preview=None if preview is None else PREVIEWS[preview],
        video_preview=_least(_length(value) for name, value in found if name == "max-video-preview"),
        indexifembedded=noindex and "indexifembedded" in names,
        wishes=tuple(wishes[:MAX_WISHES]),
    )


def _least(values: Iterable[_Limit | None]) -> _Limit | None:
    return min((value for value in values if value is not None), default=None)


def _length(value: str) -> int | None:
    if value == _NO_LIMIT or not (value.isascii() and value.isdigit()):
        return None
    return min(int(value.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_LENGTH)


def _preview(value: str) -> int | None:
    return PREVIEWS.index(value.lower()) if value.lower() in PREVIEWS else None
