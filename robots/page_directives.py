"""Reads what a page requests: the directives of X-Robots-Tag headers and of robots metas, as servers really write them.

Commas separate directives. In a header, a name before a colon is a directive or else the name of a robot. The rest of
that header line is for that robot. The date of `unavailable_after` may have a comma in it. Searching the text for words
instead would find `none` in `max-image-preview:none` and drop the page. Where no text defines a form, the stricter
reading holds. A semicolon, or a blank next to a directive, separates like a comma. A header for `*` or for our name
with a version is for us.

When does a page expire? The dates of `unavailable_after` are ISO 8601, RFC 822 or RFC 850, with or without a time. A
date without a time is the start of that day, and a time without a zone is UTC. Where two readings are possible, we take
the one that removes the page sooner, as everywhere in page controls.

Where does a directive come from? A `Wish` is one directive for us, with its header line or meta.
"""

from __future__ import annotations

import re
import string
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from robots.dialect import Naming
from robots.freshness import http_date
from robots.group import our_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
