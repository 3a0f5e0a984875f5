"""Does a URL smell of a trap? Of a cycle that a server invents faster than any robot can walk it.

The rules are the plain ones of *HTTP: The Definitive Guide*, chapter 9: a limit on length, on depth, on repeated
path parts, and on how many pages one pattern or one site may take. Every one of them costs some good pages
somewhere: each refusal is therefore stored with its rule and can be reviewed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.page import Refusal

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

LONGEST_PERIOD = 4  # path parts: /a/b/c/d/a/b/c/d/ is the longest cycle that is looked for


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that end a trap; the settings of the same names say why each has its value."""

    max_url_length: int = 1024  # characters
    max_depth: int = 25  # links from a seed
    path_repeats: int = 3  # times that a run of path parts may not be repeated
    pattern_pages: int = 200  # URLs of a site that differ only in numbers or in the values of their query
    site_pages: int = 50_000  # URLs of a site
    skipped_endings: frozenset[str] = frozenset()  # of file names, without the dot, in lower case


def shape_refusal(url: CanonicalUrl, depth: int, limits: Limits) -> Refusal | None:
    """Return why the form of `url` alone is refused, or None; `depth` counts links from a seed."""
    if len(url) > limits.max_url_length:
        return Refusal("url-length", f"it is {len(url)} characters long; MAX_URL_LENGTH is {limits.max_url_length}")
    if depth > limits.max_depth:
        return Refusal("depth", f"it is {depth} links from a seed; MAX_DEPTH is {limits.max_depth}")
    cycle = repeated_parts(url, limits.path_repeats)
    if cycle:
        shown = "/".join(cycle)
        return Refusal("repeated-path", f"/{shown} stands {limits.path_repeats} times in a row in its path")
    ending = _ending(url)
    if ending in limits.skipped_endings:
        return Refusal("type", f"its name ends in .{ending}, and SKIPPED_ENDINGS has that: it holds no text to index")
    return None


def _ending(url: CanonicalUrl) -> str:
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def repeated_parts(url: CanonicalUrl, repeats: int) -> tuple[str, ...] | None:
    """Return the first run of one to four path parts that stands `repeats` times in a row, or None."""
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


_NUMBER = re.compile(r"[0-9]+")


def pattern_of(url: CanonicalUrl) -> str | None:
    """Return what `url` has in common with the pages that a counter would invent, or None if nothing counts in it.

    `/2026/07/?view=day&tz=utc` and `/2027/11/?tz=cet&view=week` share `/#/#/?tz&view`. A URL has a pattern when it
    has a query, or a path part that is a number as a whole: `/news-17.html` has none, because people name pages so.
    """
    start = url.index("/", url.index("//") + 2)
    path, mark, query = url[start:].partition("?")
    parts = path.split("/")
    if not mark and not any(part.isdecimal() for part in parts):
        return None
    if not mark:
        return "/".join("#" if part.isdecimal() else part for part in parts)
    # A key alone (`?4711`) counts like a value: gateways put their state there.
    names = sorted({_NUMBER.sub("#", key) for key in (pair.partition("=")[0] for pair in query.split("&"))})
    return f"{_NUMBER.sub('#', path)}?{'&'.join(names)}"
