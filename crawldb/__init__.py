"""What do we know, and what is next? The crawl database: pages, links, robots files, journal, feed and frontier."""

from crawldb.database import CrawlDatabase, DatabaseError, OldSchemaError, StorageError
from crawldb.frontier.canonical import Step, UnusableUrl, canonical_steps, canonicalize
from crawldb.page import CanonicalUrl, Fate, Link, Outcome, Page, Refusal, Sitemap, SitemapEntry

__all__ = [
    "CanonicalUrl",
    "CrawlDatabase",
    "DatabaseError",
    "Fate",
    "Link",
    "OldSchemaError",
    "Outcome",
    "Page",
    "Refusal",
    "Sitemap",
    "SitemapEntry",
    "Step",
    "StorageError",
    "UnusableUrl",
    "canonical_steps",
    "canonicalize",
]
