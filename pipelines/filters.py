"""Which filters does a page pass, and in which order? Each adds its result to the page; the first rejection counts.

`PageFilters` applies them: a crawl to each page that it fetches, `reparse` to each stored page. A filter calls a pure
function of this room, and reads the crawl database where the result depends on other pages. It writes nothing.

Some results take long and depend on the page alone. A filter can `measure` them beforehand, in another process. A
filter that changes what was measured has to empty it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from crawldb.learnt import SiteTemplates
from crawldb.pages.copies import same_content
from crawldb.pages.pages import Pages
from crawldb.pages.probe_findings import ProbeFindings
from crawldb.tables.links import led_to
from extension_points import call_extensions
from pages.content.similarity import THRESHOLD
from pages.content.site_template import mark_site_template
from pages.http_headers import DOCUMENT_TYPES
from pages.text.layout import text_lines, with_lines
from pipelines.duplicates import fingerprint, same_template, signature
from pipelines.no_content import (
    WELL_KNOWN_TYPES,
    frames_refusal,
    no_content_refusal,
    redirect_refusal,
    refusal_by_probe,
    soft404_refusal,
    well_known_refusal,
    well_known_urls,
)
from robots.page_controls import HTML_TYPES
from urls.canonical import site_of
from urls.records import Page, Refusal, refusal_of_controls, revised
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase


class NumberSettings(Protocol):
    """The settings that this module reads."""

    def getfloat(self, name: str) -> float:
        """Return a number."""


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """The settings of all filters.

    Settings: NEAR_DUPLICATE_THRESHOLD, the share of word groups; 1 switches that filter off.
    """

    near_duplicate_threshold: float = THRESHOLD

    @classmethod
    def read(cls, settings: NumberSettings) -> FilterSettings:
        """Read the settings."""
        return cls(settings.getfloat("NEAR_DUPLICATE_THRESHOLD"))


class PageFilter:
    """One of the filters, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, criteria: FilterSettings) -> None:
        self._database = database
        self._criteria = criteria

    @classmethod
    def is_needed(cls, criteria: FilterSettings) -> bool:  # noqa: ARG003 - most filters always are
        """Return whether these settings need the filter."""
        return True

    def measure(self, page: Page) -> Page:
        """Add to a page what takes long and depends on the page alone."""
        return page

    def apply(self, page: Page) -> Page:
        """Return the page with the result; a page that was rejected before is not rejected again."""
        raise NotImplementedError

    @staticmethod
    def reject(page: Page, reason: str) -> Page:
        """Return the page as a filter of an extension rejects it, with a clause that says why."""
        return _rejected(page, Refusal(Rule.EXTENSION, reason))


def _rejected(page: Page, refusal: Refusal | None) -> Page:
    return page if refusal is None else revised(page, refusals=(refusal,))


class WellKnownFiles(PageFilter):
    """Rejects humans.txt, ads.txt, security.txt and similar files: they are stored and not indexed."""

    def apply(self, page: Page) -> Page:
        """Filter by the URL of a page, and by the URLs that redirect to it."""
        if page.content_type not in WELL_KNOWN_TYPES:
            return page  # nearly all pages are HTML, so the redirects need no lookup
        redirecting = led_to(self._database, page.url, well_known_urls(page.url))
        return _rejected(page, well_known_refusal(page, redirecting))


MAX_PAGE_BYTES = 10 * 1024 * 1024  # larger ones are archives and dumps; the longest real manual pages have 6 MB
INDEXED_TYPES = HTML_TYPES | DOCUMENT_TYPES | {"text/plain"}


def admission_refusal(page: Page, *, now: datetime) -> Refusal | None:
    """Say why a page is not indexed, or None: it is admitted. `now` has a time zone.

    The cheapest checks come first and the owner's wish last. The links of a rejected page are followed unless its
    controls say nofollow: noindex is not nofollow (Google).

    Rules: binary (found by the parse), type, size, empty, noindex, expired.
    """
    if page.refusals:
        return page.refusals[0]
    if page.content_type not in INDEXED_TYPES:
        return Refusal(
            Rule.TYPE, f"{page.content_type or 'no type'}: only HTML, plain text, PDF and office files are indexed"
        )
    if len(page.body) > MAX_PAGE_BYTES:
        return Refusal(Rule.SIZE, f"{len(page.body)} bytes: more than the {MAX_PAGE_BYTES} that a page may have")
    if not page.text and not page.title:
        return Refusal(Rule.EMPTY, "there is no text and no title")
    return refusal_of_controls(page.controls, now)


def page_refusal(page: Page, *, now: datetime) -> Refusal | None:
    """Say why a page by itself is not indexed: it is not admitted, or it has no content of its own."""
    refusal = redirect_refusal(page) or admission_refusal(page, now=now)
    if refusal is None or refusal.rule is Rule.EMPTY:
        return frames_refusal(page) or no_content_refusal(page) or refusal
    return refusal


class Admission(PageFilter):
    """Rejects what an index can't or may not hold: by type, size, noindex, or because there is no text."""

    def apply(self, page: Page) -> Page:
        """Filter a page by itself, as of the time of its fetch."""
        return _rejected(page, page_refusal(page, now=datetime.fromtimestamp(page.fetched_at, UTC)))


class RepeatedLines(PageFilter):
    """Removes from the main text the lines that other pages of the site have too: the site's template."""

    def __init__(self, database: CrawlDatabase, criteria: FilterSettings) -> None:
        super().__init__(database, criteria)
        self._templates = SiteTemplates(database)

    def measure(self, page: Page) -> Page:
        """Remove the lines before anything is measured. To apply the filter again changes nothing."""
        return self.apply(page)

    def apply(self, page: Page) -> Page:
        """Remove the lines that the template of the site has."""
        template = self._templates.of(site_of(page.url))
        before = text_lines(page)
        lines = mark_site_template(before, template.marks)
        page = revised(page, site_template=template.version)
        if lines == before:
            return page
        return revised(with_lines(page, lines), fingerprint=b"", signature=b"")  # what they measured is gone


class Fingerprint(PageFilter):
    """Rejects an exact copy of another page, apart from dates and counters that a program writes."""

    def measure(self, page: Page) -> Page:
        """Add the fingerprint to a page."""
        return revised(page, fingerprint=fingerprint(page))

    def apply(self, page: Page) -> Page:
        """Add to a page its fingerprint, and the page of which it is a copy."""
        if page.refusals:
            return revised(page, fingerprint=b"")
        learnt = ProbeFindings(self._database).learnt_lines(site_of(page.url))
        digest = fingerprint(page, learnt) if learnt else page.fingerprint or fingerprint(page)
        known = same_content(self._database, page, digest)
        refusal = None if known is None else Refusal(Rule.DUPLICATE, f"it says the same as {known}")
        return _rejected(
            revised(page, fingerprint=digest, duplicate_of=known, own_menu=self._has_own_menu(page, known)), refusal
        )

    def _has_own_menu(self, page: Page, known: str | None) -> bool:
        """Return whether a copy has another template: a version to print, or one with the menu that it lacks."""
        original = None if known is None else Pages(self._database).get(known)
        return original is not None and not same_template(page, original)


class NearDuplicates(PageFilter):
    """Adds a signature, by which the store finds near duplicates (crawldb/pages/clusters.py)."""

    @classmethod
    def is_needed(cls, criteria: FilterSettings) -> bool:
        """Return False for a threshold of 1, which no near duplicate reaches."""
        return criteria.near_duplicate_threshold < 1

    def measure(self, page: Page) -> Page:
        """Add the MinHash signature to a page."""
        return revised(page, signature=signature(page.text))

    def apply(self, page: Page) -> Page:
        """Add to a page the MinHash signature of its main text; a rejected page has none."""
        return revised(page, signature=b"" if page.refusals else page.signature or signature(page.text))


class SoftNotFound(PageFilter):
    """Rejects a page with a success status that says "not found", and what its site sends for a missing page."""

    def apply(self, page: Page) -> Page:
        """Filter a page by its words, and by what probes found out about its site."""
        return (
            page if page.refusals else _rejected(page, soft404_refusal(page) or refusal_by_probe(page, self._database))
        )


# The filters of extensions follow.
ORDER = (WellKnownFiles, Admission, RepeatedLines, Fingerprint, NearDuplicates, SoftNotFound)


class PageFilters:
    """All filters that the settings need, in their order; those of extensions come last."""

    def __init__(self, database: CrawlDatabase, criteria: FilterSettings) -> None:
        kinds: Sequence[type[PageFilter]] = (*ORDER, *call_extensions("page_filters", database=database))
        self._filters = [kind(database, criteria) for kind in kinds if kind.is_needed(criteria)]

    def measure(self, page: Page) -> Page:
        """Add to a page what takes long and depends on the page alone, so `apply` need not find it out."""
        for each in self._filters:
            page = each.measure(page)
        return page

    def apply(self, page: Page) -> Page:
        """Return `page` with the results of all filters. Nothing is written."""
        for each in self._filters:
            page = each.apply(page)
        return page
