"""Is this a date that nobody has written about? A calendar that a program makes goes on to the year 9999.

Only what is surely a date is read: a parameter that is called year, month, day or date, a `y` beside an `m`, or an ISO
date. `/3021/5/` may be a message in a forum, so a number in a path is none. An archive may be old, so that the limit in
the past is the age of print; between the two limits the yield of the pages decides (`patience.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)  # its groups can look like dates
YEARS_AHEAD = 10  # plans, bonds and eclipses are written about so far ahead, and seldom further
FIRST_YEAR = 1450  # of printing with movable type: what is older is described, not dated by its URL

_ISO = re.compile(r"(?<![0-9])([0-9]{4,5})-(?:0[1-9]|1[0-2])(?:-[0-3][0-9])?(?![0-9])")
# A year that a month follows, in one number or in the next: 2003 alone may be the number of a topic.
DATE = re.compile(
    r"(?<![0-9])(?:19|20)[0-9]{2}(?=[-/&](?:[a-z]+=)?(?:0?[1-9]|1[0-2])(?![0-9])|(?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))"
)
_NAMED = re.compile(r"(?:year|yr|yyyy|date|month|day)\Z", re.IGNORECASE)
_YEAR = re.compile(r"([0-9]{4,5})(?:[-/.]?[0-9]{2}){0,2}\Z")


def far_date(url: CanonicalUrl, year: int) -> int | None:
    """Return the year in `url` that is too far from `year`, the present one, to be meant; None for any other URL."""
    path, _, query = url[url.index("/", url.index("//") + 2) :].partition("?")
    years = [int(found) for found in _ISO.findall(UUID.sub("", path))]
    pairs = [pair.partition("=")[::2] for pair in query.split("&")] if query else []
    names = {name for name, _ in pairs}
    for name, value in pairs:
        if _NAMED.search(name) or (name == "y" and "m" in names):
            years += [int(found) for found in _YEAR.findall(value) or _ISO.findall(UUID.sub("", value))]
    return next((found for found in years if not FIRST_YEAR <= found <= year + YEARS_AHEAD), None)


def is_dated(url: CanonicalUrl) -> bool:
    """Return whether `url` has a year that a month follows: as far as one can see, a page of a calendar."""
    return bool(DATE.search(url, url.index("/", url.index("//") + 2)))
