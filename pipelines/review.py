"""How is a stored page filtered again, without a fetch? When a rule has changed, or something was learnt of its site.

- **From its body**: `reparse` does so with every page that has one.
- **From its record**, in a fifth of the time: what the crawl learns of a site changes which lines count, and the record
  has the lines. So a crawl filters the pages that wait for it after each item.
- **After a template**: the first pages of a site are filtered before anything of it is known, and a site may change its
  template. So at the end of a run the crawl learns the templates of the sites whose sample has changed. Then it filters
  each page that has other main text by the new template. The next run continues what a stopped run leaves.

The result is written as a crawl writes it: pages, new links, journal and feed in one transaction. Nothing is written
for a page that has not changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.learnt import SiteTemplates
from crawldb.pages.pages import Pages, with_trait
from crawldb.tables.links import address_of
from frontier.outcomes.page import rule_of
from pages.content.site_template import mark_site_template
from pages.text.layout import text_lines
from urls.records import refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from frontier.outcomes.page_again import StoredAgain
    from frontier.writer import CrawlWriter
    from pages import FetchedBody
    from pipelines.filters import PageFilters
    from urls.records import CanonicalUrl, Page

SLICE = 50  # pages in one transaction: some 200 ms, for which everything else waits
_OF_THE_TEXT = frozenset({Rule.DUPLICATE, Rule.NEAR_DUPLICATE, Rule.SOFT_404})  # by the text of a page


@dataclass(frozen=True, slots=True)
class RefilteredPage:
    """A page that has changed: its record before and after, and what was stored."""

    before: Page
    after: Page
    stored: StoredAgain


class PageReview:
    """Filters stored pages again. `read` parses the stored body of a page, `begin` holds a transaction."""

    def __init__(
        self,
        writer: CrawlWriter,
        filters: PageFilters,
        read: Callable[[FetchedBody], Page],
        begin: Callable[[], AbstractContextManager[object]] | None = None,
    ) -> None:
        self._writer = writer
        self._database = writer.database
        self._filters = filters
        self._read = read
        self._begin = begin or writer.transaction
        self._findings = writer.followers.findings
        self._templates = SiteTemplates(writer.database)
        self._pages = Pages(writer.database)

    # -- One page, within the caller's transaction

    def refilter(self, page: Page) -> RefilteredPage | None:
        """Filter `page`, as parsed from its stored body, and store what is new.

        Return None where nothing is new, or where the page is no longer stored. A page with an expiry date is rejected
        after that date, whenever it was fetched.
        """
        before = self._pages.unread(page.url)
        if before is None:
            return None
        expired = refusal_of_controls(page.controls, datetime.now(UTC))
        if expired is not None and expired.rule is Rule.EXPIRED and not page.refusals:
            page = replace(page, refusals=(expired,))
        judged = self._filters.apply(page)
        if judged.duplicate_of and judged.duplicate_of == before().duplicate_of and rule_of(before()) is Rule.DUPLICATE:
            judged = replace(judged, refusals=before().refusals)  # they may name the one that a robots.txt prefers
        stored = self._writer.pages_again.store(judged, before)
        return RefilteredPage(before(), self._pages.get(page.url) or judged, stored) if stored.changed else None

    def refilter_record(self, url: int, before: Page) -> bool:
        """Filter a stored page after something was learnt of its site; return whether it has changed.

        `before` is its record, with the names of its links. The body is read only where the page was rejected for
        something other than its text, or is no longer rejected, so its links count.
        """
        page = self._filtered_record(url, before)
        if page is None or (before.refusals and not page.refusals):
            answer = self._pages.answer(before.url)
            if answer is not None:
                return self.refilter(self._read(answer)) is not None
        if page is None:
            return False  # its owner allows no stored copy
        return self._writer.pages_again.store_record(page, lambda: before)

    def _filtered_record(self, url: int, before: Page) -> Page | None:
        """Filter the record of a page; return None where the record is not enough."""
        page = with_trait(self._database.connection, url, before)
        if page is None or any(refusal.rule not in _OF_THE_TEXT for refusal in before.refusals):
            return None
        title = self._pages.title(url)
        return self._filters.apply(replace(page, title=title, refusals=(), duplicate_of=None, near_duplicate_of=None))

    # -- Many pages, a slice in each transaction; other work can happen in between

    def refilter_waiting(self) -> Iterator[None]:
        """Filter the stored pages that wait for it."""
        while self._findings.any_waits():
            with self._begin():
                for url, page in self._findings.pages_to_filter(SLICE):
                    self.refilter_record(url, page)
                if not self._findings.any_waits():
                    self._settle()
            yield

    def _settle(self) -> None:
        """Settle copies. One that comes into the index is filtered too, by what rejected the page before it."""
        while released := self._writer.pages_again.settle_copies():
            for url in released:
                address = address_of(self._database, url)
                page = self._findings.page(url, address) if address else None
                if page is not None:
                    self.refilter_record(url, page)

    def refilter_by_templates(self) -> Iterator[int]:
        """Learn the templates that need it, and filter by them; yield how many pages changed in each slice."""
        changed = self._templates.changed()
        for start in range(0, len(changed), SLICE):
            with self._begin():
                for site in changed[start : start + SLICE]:
                    self._templates.learn(site)
            yield 0
        for site, name in self._templates.pending():
            after = 0
            while rows := self._templates.filtered_otherwise(site, after, SLICE):
                with self._begin():
                    found = self._refilter_by_template(name, rows)
                after = rows[-1][0]
                yield found
            with self._begin():
                self._writer.pages_again.settle_copies()
                self._templates.settle(site)

    def _refilter_by_template(self, site: str, rows: Iterable[tuple[int, CanonicalUrl]]) -> int:
        """Filter the pages in which the present template of their site finds other lines; return how many changed."""
        template = self._templates.of(site)
        changed, unchanged = 0, []
        for url, address in rows:
            before = self._pages.get(address, url)
            if before is None:
                continue
            lines = text_lines(before)
            if mark_site_template(lines, template.marks) == lines:
                unchanged.append(url)
            else:
                changed += self.refilter_record(url, self._findings.with_link_names(url, before))
        self._templates.note_unchanged(unchanged, template)
        return changed
