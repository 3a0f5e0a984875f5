"""Has a query grown by itself? Links that add a parameter to the query they stand on make a new URL at each step.

A shop with six filters of six values has over a hundred thousand addresses, and the same few goods. Whether a
combination brings anything new is for the yield to say (`patience.py`); what no form ever sends is refused at once:
dozens of parameters, or one parameter over and over.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

SAME_PARAMETER = 5  # times that one name may stand: boxes to tick send their name once for each tick


def overgrown_query(url: CanonicalUrl, most: int) -> str:
    """Return what is wrong with the query of `url`, as a sentence's end, where it has more than `most` parameters."""
    query = url.partition("?")[2]
    if not query:
        return ""
    names = Counter(pair.partition("=")[0] for pair in query.split("&"))
    if names.total() > most:
        return f"its query has {names.total()} parameters; QUERY_PARAMETERS is {most}"
    name, times = names.most_common(1)[0]
    if times > SAME_PARAMETER:
        return f"its query has the parameter {name[:50]} {times} times; {SAME_PARAMETER} times is the most"
    return ""
