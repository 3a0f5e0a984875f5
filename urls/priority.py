"""Which page of a host first? Breadth first; or, as an option, the one that is probably worth most.

Cho, Garcia-Molina and Page, *Efficient Crawling Through URL Ordering* (WWW7, 1998): pages that many others link to, and
those near the front page, are the ones that people look for. What a sitemap lists is what its site wants to be found; a
page that changes often is out of date soonest. The weights are ours and stated: they add up to 1.
"""

from __future__ import annotations

import math
from enum import Enum

NEAR = 0.45  # weight of the distance from a seed, which halves with each link
LINKED = 0.30  # … of the pages that link to it, by their logarithm
LISTED = 0.15  # … of standing in a sitemap
LIVELY = 0.10  # … of changing once a day or more
MAX_INLINKS = 100  # pages that are counted: more tell no more
UNJUDGED = 1.0  # the worth of a URL that has not been judged, so that it is met first


class Priority(Enum):
    """The order within a host: setting `PRIORITY`."""

    BREADTH = "breadth"
    WORTH = "worth"


def worth(depth: int, inlinks: int, listed: int, changes: float) -> float:
    """Return what a page is probably worth: more than 0, less than 1.

    `depth` counts links from a seed, `listed` is 1 for what stands in a sitemap, `changes` is a rate a day.
    """
    near = 0.5**depth
    linked = math.log1p(min(inlinks, MAX_INLINKS)) / math.log1p(MAX_INLINKS)
    total = NEAR * near + LINKED * linked + LISTED * (listed > 0) + LIVELY * min(max(changes, 0.0), 1.0)
    return min(total, UNJUDGED - 1e-9)
