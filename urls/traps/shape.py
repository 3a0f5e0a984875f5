"""Is the form of a URL alone a reason to reject it? Length, depth, cycles, dates, queries, and file extensions.

The limits on length and depth are the plainest rules of *HTTP: The Definitive Guide*, 9.1.10. A rejection for length is
a signal too: a URL of over a kilobyte often contains the state of a visitor, and is not meant as a page.

A run of path parts that repeats is a folder that contains itself. A symbolic link to its own folder makes
`/subdir/subdir/subdir/…`. One to two folders up makes `/a/b/a/b/a/b/…` (9.1.10, pattern detection: periods of one part
and more). Twice is no proof: `/en/en/` exists.

A calendar program continues to the year 9999, and those days have no entries. Only certain dates are read: a parameter
with the name year, month, day or date, a `y` together with an `m`, or an ISO date. `/3021/5/` may be a message in a
forum, so a number in a path is none. An archive may be old: the limit in the past is the age of print. Between the two
limits the yield of the pages decides (`novelty.py`).

Links that add a parameter to the current query make a new URL at each step. A shop with six filters of six values has
over a hundred thousand URLs, and the same few goods. The yield decides whether a combination brings anything new.
Queries that no form sends are rejected at once: dozens of parameters, or one parameter over and over.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from urls.records import CanonicalUrl

MAX_URL_LENGTH = 1024  # characters: longer URLs nearly always come from a loop or a session
DOMAIN_SITES = 200  # sites of one registered domain, with SCOPE=domain: a name server can make up hosts without end
PATH_REPEATS = 3  # times in a row that a run of path parts makes a loop: /a/b/a/b/a/b/
QUERY_PARAMETERS = 12  # of one URL: a query that has more has grown by itself, each link added one
LONGEST_PERIOD = 4  # path parts: /a/b/c/d/a/b/c/d/ is the longest cycle that is looked for
YEARS_AHEAD = 10  # plans, bonds and eclipses are written about so far ahead, and seldom further
FIRST_YEAR = 1450  # of printing with movable type: what is older is described, not dated by its URL
SAME_PARAMETER = 5  # times that one name may stand: boxes to tick send their name once for each tick
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)  # its groups can look like dates

_ISO = re.compile(r"(?<![0-9])([0-9]{4,5})-(?:0[1-9]|1[0-2])(?:-[0-3][0-9])?(?![0-9])")
# A year that a month follows, in one number or in the next: 2003 alone may be the number of a topic.
DATE = re.compile(
    r"(?<![0-9])(?:19|20)[0-9]{2}(?=[-/&](?:[a-z]+=)?(?:0?[1-9]|1[0-2])(?![0-9])|(?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))"
)
_NAMED = re.compile(r"(?:year|yr|yyyy|date|month|day)\Z", re.IGNORECASE)
_YEAR = re.compile(r"([0-9]{4,5})(?:[-/.]?[0-9]{2}){0,2}\Z")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is too much? One number for each rule; docs/settings.md gives the reasons.

    A person can change those, and undo a single verdict with `release`.
    """

    max_url_length: int = MAX_URL_LENGTH
    max_depth: int = 25  # links from a seed
    pattern_pages: int = 200  # URLs of one pattern to begin with; each page that says something new adds more
    site_pages: int = 50_000  # URLs of a site, or of a registered domain where SCOPE is domain
    skipped_endings: frozenset[str] = frozenset()  # of file names, without the dot, in lower case
    skip_queries: bool = False  # refuse what a program makes: URLs with a query or with /cgi-bin/ in the path
    trap_patience: int = 20  # pages of one pattern in a row that say nothing new; 0: however many
    domain_sites: int = DOMAIN_SITES


@dataclass(frozen=True, slots=True)
class Released:
    """The URLs that a person has released (`frontier/budgets.py`): for these no rule about traps holds."""

    urls: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def covers(self, url: str) -> bool:
        """Return whether no rule about traps holds for `url`."""
        return url in self.urls or (bool(self.beginnings) and url.startswith(self.beginnings))


def shape_refusal(
    url: CanonicalUrl, depth: int, limits: Limits, *, year: int, released: bool = False
) -> Refusal | None:
    """Return why the form of `url` alone is refused, or None; `depth` counts links from a seed, `year` is now.

    For a URL that a person `released`, no rule about traps holds, and those about its type do.
    """
    refusal = None if released else _trap_refusal(url, depth, limits, year)
    if refusal:
        return refusal
    ending = file_extension(url)
    if ending in limits.skipped_endings:
        return Refusal(
            Rule.TYPE, f"its name ends in .{ending}, and SKIPPED_ENDINGS has that: it holds no text to index"
        )
    sign = dynamic_sign(url) if limits.skip_queries else ""
    if sign:
        return Refusal(Rule.DYNAMIC, f"it has {sign}, so a program makes its page, and SKIP_QUERIES leaves those out")
    return None


def _trap_refusal(url: CanonicalUrl, depth: int, limits: Limits, now: int) -> Refusal | None:
    """Return by which rule the form of `url` is that of a trap, or None."""
    if len(url) > limits.max_url_length:
        return Refusal(Rule.URL_LENGTH, f"it is {len(url)} characters long; the limit is {limits.max_url_length}")
    if depth > limits.max_depth:
        return Refusal(Rule.DEPTH, f"it is {depth} links from a seed; MAX_DEPTH is {limits.max_depth}")
    cycle = repeated_parts(url, PATH_REPEATS)
    if cycle:
        shown = "/".join(cycle)
        return Refusal(Rule.REPEATED_PATH, f"/{shown} stands {PATH_REPEATS} times in a row in its path")
    year = far_date(url, now)
    if year is not None:
        return Refusal(Rule.FAR_DATE, f"it is dated {year}: only a calendar without an end goes so far")
    overgrown = overgrown_query(url, QUERY_PARAMETERS)
    return Refusal(Rule.QUERY, overgrown) if overgrown else None


def repeated_parts(url: CanonicalUrl, repeats: int) -> tuple[str, ...] | None:
    """Return the first run of one to four path parts that repeats `repeats` times in a row, or None."""
    path = url.partition("?")[0]
    parts = path.split("/")[3:]
    if parts and not parts[-1]:
        parts.pop()
    for period in range(1, LONGEST_PERIOD + 1):
        matches = 0  # how many parts in a row equal the one a period before them
        for here in range(period, len(parts)):
            matches = matches + 1 if parts[here] == parts[here - period] else 0
            if matches == period * (repeats - 1):
                return tuple(parts[here - period + 1 : here + 1])
    return None


def far_date(url: CanonicalUrl, year: int) -> int | None:
    """Return the year in `url` that is too far from `year`, the present one, to be meant; None for any other URL."""
    path, _, query = url[url.index("/", url.index("//") + 2) :].partition("?")
    years = [int(found) for found in _ISO.findall(_UUID.sub("", path))]
    pairs = [pair.partition("=")[::2] for pair in query.split("&")] if query else []
    names = {name for name, _ in pairs}
    for name, value in pairs:
        if _NAMED.search(name) or (name == "y" and "m" in names):
            years += [int(found) for found in _YEAR.findall(value) or _ISO.findall(_UUID.sub("", value))]
    return next((found for found in years if not FIRST_YEAR <= found <= year + YEARS_AHEAD), None)


def is_dated(url: CanonicalUrl) -> bool:
    """Return whether `url` has a year followed by a month: probably a page of a calendar."""
    return bool(DATE.search(url, url.index("/", url.index("//") + 2)))


def overgrown_query(url: CanonicalUrl, most: int) -> str:
    """Return what is wrong with the query of `url`, as a sentence's end, where it has more than `most` parameters."""
    query = url.partition("?")[2]
    if not query:
        return ""
    names = Counter(pair.partition("=")[0] for pair in query.split("&"))
    if names.total() > most:
        return f"its query has {names.total()} parameters; {most} are allowed"
    name, times = names.most_common(1)[0]
    if times > SAME_PARAMETER:
        return f"its query has the parameter {name[:50]} {times} times; {SAME_PARAMETER} times is the most"
    return ""


def dynamic_sign(url: CanonicalUrl) -> str:
    """Return what in a URL shows that a program makes its page: a query, or the customary folder; "" for neither."""
    path, mark, _ = url.partition("?")
    if mark:
        return "a query"
    return "/cgi-bin/ in its path" if "/cgi-bin/" in path else ""


def file_extension(url: str) -> str:
    """Return the extension of the file name in a URL, in lower case without its dot, or an empty string."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
