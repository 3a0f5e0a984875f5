"""Which directives are for us? The grammar of X-Robots-Tag and of robots metas, as servers really write it.

Directives stand between commas. In a header, a name before a colon that is no directive is a robot's, and all that
follows on that header line is for that robot. The date of `unavailable_after` may have a comma in it. Searching for
words instead would find `none` in `max-image-preview:none` and drop the page.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final

from robots.page.dates import date_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_DIRECTIVES: Final = 8192  # characters of one header or meta that are read; real ones have under 300

UNAVAILABLE_AFTER: Final = "unavailable_after"
EVERY_ROBOT: Final = "robots"  # "robots: noindex" in a header is no robot's name
_OBEYED: Final = frozenset(
    {"all", "index", "follow", "none", "noindex", "nofollow", "noarchive", "nocache", "nosnippet", "indexifembedded"}
)
_WITHOUT_EFFECT: Final = frozenset(  # on a search engine such as this; known, so that none is taken for a robot
    {"notranslate", "noimageindex", "noodp", "noydir", "noyaca", "nositelinkssearchbox"}
)
_VALUED: Final = frozenset({"max-snippet", "max-image-preview", "max-video-preview", UNAVAILABLE_AFTER})
_KNOWN: Final = _OBEYED | _WITHOUT_EFFECT | _VALUED
_NAME: Final = frozenset(string.ascii_letters + string.digits + "-_.")
_MAX_DATE_PARTS: Final = 3  # "Friday, June 25, 2010": no date has more than two commas


def directives_for(text: str, ours: str, *, scoped: bool) -> Iterator[tuple[str, str]]:
    """Yield name and value of the known directives in `text` that are for us.

    `ours` is our product token in lower case; `scoped` says that robots may be named, as in a header.
    """
    parts = text[:MAX_DIRECTIVES].split(",")
    for_us = True
    taken = 0
    for at, part in enumerate(parts):
        if at < taken:
            continue  # it was the second half of a date
        words = part.split(":")
        start = 0
        while scoped and start + 1 < len(words) and _names_a_robot(words[start]):
            for_us = words[start].strip().lower() in {ours, EVERY_ROBOT}
            start += 1
        name, value = words[start].strip().lower(), ":".join(words[start + 1 :]).strip()
        if name == UNAVAILABLE_AFTER:
            value, more = _whole_date(value, parts[at + 1 : at + _MAX_DATE_PARTS])
            taken = at + 1 + more
        if for_us and name in _KNOWN:
            yield name, value


def _names_a_robot(word: str) -> bool:
    word = word.strip().lower()
    return word not in _KNOWN and _NAME.issuperset(word) and any(letter.isalpha() for letter in word)


def _whole_date(value: str, following: Sequence[str]) -> tuple[str, int]:
    """Add the parts of a date that commas have cut off, and say how many; none where it is no date all the same."""
    date = value
    for count, part in enumerate(following):
        if date_of(date):
            return date, count
        name, colon, _ = part.partition(":")
        if name.strip().lower() in _KNOWN or (colon and _names_a_robot(name)):
            return value, 0
        date = f"{date},{part}"
    return (date, len(following)) if date_of(date) else (value, 0)
