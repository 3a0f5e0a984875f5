"""The canonical form of URLs and all rules about them. Pure: no database, no clock, no disk.

    canonicalize("HTTP://Bakery.example:80/a/../bread")     # http://bakery.example/bread
    Policy(Scope(frozenset({"bakery.example"}))).check("http://bakery.example/x/x/x/")

The room has the canonical form of a URL, its host and its site; the policy that accepts or rejects it by scope, ports,
blacklist, site options and trap shapes; the time of the next visit; and the records that travel from a fetch to the
index.
"""

from urls.canonical import Step, UnusableUrl, canonical_steps, canonicalize
from urls.records import CanonicalUrl, LeaseEnd, Link, Outcome, Page, Refusal, Sitemap, SitemapEntry

__all__ = [
    "CanonicalUrl",
    "LeaseEnd",
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
