"""Is the form of a URL alone reason enough to refuse it? Length, depth, cycles, dates, queries, and endings.

The limits on length and depth are the plainest rules of *HTTP: The Definitive Guide*, 9.1.10. A refusal for length is
a signal too: an address of over a kilobyte often holds the state of a visitor, and no page is meant by it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.frontier.traps.cycle import repeated_parts
from crawldb.frontier.traps.dates import far_date
from crawldb.frontier.traps.query import overgrown_query
from crawldb.page import Refusal

if TYPE_CHECKING:
    from crawldb.frontier.traps.limits import Limits
    from crawldb.page import CanonicalUrl


def shape_refusal(url: CanonicalUrl, depth: int, limits: Limits, *, released: bool = False) -> Refusal | None:
    """Return why the form of `url` alone is refused, or None; `depth` counts links from a seed.

    For a URL that a person `released`, no rule about traps holds, and those about its type do.
    """
    refusal = None if released else trap_refusal(url, depth, limits)
    if refusal:
        return refusal
    ending = _ending(url)
    if ending in limits.skipped_endings:
        return Refusal("type", f"its name ends in .{ending}, and SKIPPED_ENDINGS has that: it holds no text to index")
    sign = dynamic_sign(url) if limits.skip_queries else ""
    if sign:
        return Refusal("dynamic", f"it has {sign}, so a program makes its page, and SKIP_QUERIES leaves those out")
    return None


def trap_refusal(url: CanonicalUrl, depth: int, limits: Limits) -> Refusal | None:
    """Return by which rule the form of `url` is that of a trap, or None."""
    if len(url) > limits.max_url_length:
        return Refusal("url-length", f"it is {len(url)} characters long; MAX_URL_LENGTH is {limits.max_url_length}")
    if depth > limits.max_depth:
        return Refusal("depth", f"it is {depth} links from a seed; MAX_DEPTH is {limits.max_depth}")
    cycle = repeated_parts(url, limits.path_repeats)
    if cycle:
        shown = "/".join(cycle)
        return Refusal("repeated-path", f"/{shown} stands {limits.path_repeats} times in a row in its path")
    year = far_date(url, time.gmtime().tm_year)
    if year is not None:
        return Refusal("far-date", f"it is dated {year}: only a calendar without an end goes so far")
    overgrown = overgrown_query(url, limits.query_parameters)
    return Refusal("query", overgrown) if overgrown else None


def dynamic_sign(url: CanonicalUrl) -> str:
    """Return by what a URL shows that a program answers it: a query, or the customary folder; "" for neither."""
    path, mark, _ = url.partition("?")
    if mark:
        return "a query"
    return "/cgi-bin/ in its path" if "/cgi-bin/" in path else ""


def _ending(url: CanonicalUrl) -> str:
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
