"""Which address is it, and may it be wanted? Pure: no database, no clock, no disk.

    canonicalize("HTTP://Bakery.example:80/a/../bread")     # http://bakery.example/bread
    Policy(Scope(frozenset({"bakery.example"}))).judge("http://bakery.example/x/x/x/")

The canonical form of a URL, its host and its site; the policy that judges it: scope, ports, blacklist, a site's options
and the shapes of traps; when a page is worth another look; and the records that travel from a fetch to the index.
"""

from urls.canonical import Step, UnusableUrl, canonical_steps, canonicalize
from urls.records import CanonicalUrl, Fate, Link, Outcome, Page, Refusal, Sitemap, SitemapEntry

__all__ = [
    "CanonicalUrl",
    "Fate",
    "Link",
    "Outcome",
    "Page",
    "Refusal",
    "Sitemap",
    "SitemapEntry",
    "Step",
    "UnusableUrl",
    "canonical_steps",
    "canonicalize",
]
