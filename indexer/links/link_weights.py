"""How much does a link count? Whole, unless there is a reason why it says less.

A link that says nofollow is not among them: its author vouches for nothing. The others weigh 1, but for

    TEMPLATE    what a site repeats on many of its pages (menus, footers) was decided once, and says what the site has
    NEAR_COPY   pages that say nearly the same are one page at several addresses, and nobody vouches for himself
    OWN_SITE    a link within a site is how one moves there, too; one from another site is a recommendation (Kleinberg,
                "Authoritative Sources in a Hyperlinked Environment", 1999, section 2: intrinsic and transverse links)

A link with several of these has their product. The file does without numpy: who shows a weight need not wait for it.
"""

from __future__ import annotations

from typing import Any

from pages.content.site_template import LEAST_PAGES, LINE_SHARE

Numbers = Any  # an int, or an array of them: what is said of a link holds for many at once

TEMPLATE, NEAR_COPY, OWN_SITE = 0.1, 0.1, 0.5


def link_weight(own_site: Numbers, near_copy: Numbers, times: Numbers, linking: Numbers) -> Numbers:
    """Return the weight of a link, a float for each; `own_site` and `near_copy` are 0 or 1."""
    return OWN_SITE**own_site * NEAR_COPY**near_copy * TEMPLATE ** is_template(times, linking)


def is_template(times: Numbers, linking: Numbers) -> Numbers:
    """Return whether a link is one that its site repeats, 0 or 1.

    `times` counts the pages of its site that have it, `linking` those that link anywhere.
    """
    return 1 * ((times >= LEAST_PAGES) & (times >= LINE_SHARE * linking))
