"""How many URLs will a site bring in all? Judged by how often the trial's links still led to something new.

If 8 of 100 links lead to what nobody has met before, then about 8 in 100 of what can be met are unknown: so Good
(1953) reads Turing's rule. Links that stand on most pages say nothing and are left aside. A trial is small, so the
share itself is known only to an interval: that of Agresti and Coull (1998), whose upper end is taken.

Limits: links are no random draws, and a part of a site that nothing links to yet is in no estimate. A calendar brings
one new page a page for ever, so for each family of addresses that differ only in numbers the upper figure leaves
room up to its first budget, PATTERN_PAGES, which grows only with pages that say something new; and no site is put above
SITE_PAGES.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reports.wording import Span

# Agresti and Coull: as if two more draws had been new and two had not, then two standard errors: about 95 in 100.
_ADDED = 2
_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Links:
    """What the links of a trial's later half led to: of `seen`, each page and target once, `new` were unknown."""

    seen: int
    new: int

    @property
    def share(self) -> float:
        """The upper end of the share of links that lead to something new."""
        draws = self.seen + 2 * _ADDED
        middle = (self.new + _ADDED) / draws
        return middle + _ERRORS * math.sqrt(middle * (1 - middle) / draws)


def urls_in_all(known: int, queued: int, links: Links, limit: int, *, more: float = 0.0) -> Span:
    """Estimate the URLs of a site that a round will ask for.

    `known` are accepted already, `queued` of them not yet asked for; `more` may come by other ways than by links.
    `limit` is SITE_PAGES. Where nothing is queued the site has shown itself whole.
    """
    if not queued:
        return Span(known, known)
    share = links.share
    upper = known / (1 - share) + more if share < 1 else math.inf
    return Span(known, max(known, math.ceil(min(limit, upper))))
