"""How many URLs will a site have in all? Estimated from the links of the pages that were read.

The lower figure is the URLs that are known. The upper figure is the larger of two estimates.

- By the links: if 8 of 100 links lead to a URL that was unknown, then about 8 in 100 URLs of the site are unknown.
  This is Turing's rule (Good, 1953). Links on most pages are menus and do not count. A trial is small, so the share
  is an interval: that of Agresti and Coull (1998), of which the upper end is taken.
- By the unread pages: each leads to 3 new URLs, and all together to no more than twice as many as are known.
  If fewer than 50 pages were read, they may lead to more, in proportion: with 25 to twice as many.

The first estimate alone is too low. It takes links for random draws, but the URLs of a real site come in bursts:
page 154 of Django's manual names 256 new URLs, when 436 are known. The figures of the second estimate come from the
link graphs of seven manuals (Apache, Debian handbook, Django, git, PostgreSQL, Python, SQLite). From the fifth page on,
their true numbers always lie within the span. This is experience and no proof: a last page can name a thousand others.

A calendar brings one new page a page for ever. So for each family of URLs that differ only in numbers the upper figure
leaves room up to its first budget, PATTERN_PAGES, which grows only with pages that have new content. No site is
estimated above SITE_PAGES.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reports.wording import Span

# Agresti and Coull: as if two more draws had been new and two had not, then two standard errors: about 95 in 100.
_ADDED = 2
_ERRORS = 2.0

NEW_URLS_A_PAGE = 3  # of a page that was not read; the last 158 pages of SQLite's manual had 426
NEW_URLS_A_KNOWN_URL = 2  # of all unread pages together; those of Apache's manual had 1.7 after 50 pages
ENOUGH_PAGES = 50  # read; PostgreSQL's manual had 4.5 times as many URLs as were known after 20 pages, 2 times after 50


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


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a site has been read: `known` URLs, of which `queued` wait and `unread` were never visited; pages."""

    known: int
    queued: int
    unread: int
    pages: int  # that were read

    @property
    def unseen(self) -> float:
        """How many more URLs the unread pages may lead to."""
        most = min(NEW_URLS_A_KNOWN_URL * self.known, NEW_URLS_A_PAGE * self.unread)
        return most * max(1.0, ENOUGH_PAGES / max(1, self.pages))


def urls_in_all(coverage: Coverage, links: Links, limit: int, *, more: float = 0.0) -> Span:
    """Estimate the URLs of a site that a round will fetch.

    `more` may come from elsewhere than links; `limit` is SITE_PAGES. If nothing is queued, all URLs are known.
    """
    known = coverage.known
    if not coverage.queued:
        return Span(known, known)
    share = links.share
    by_links = known / (1 - share) if share < 1 else math.inf
    upper = max(by_links, known + coverage.unseen) + more
    return Span(known, max(known, math.ceil(min(limit, upper))))
