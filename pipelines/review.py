"""What if a rule has changed, or something was learnt, since a page was stored? It is judged again, without a fetch.

- **From its body**: `reparse` does so with every page that has one.
- **From its record**, in a fifth of the time: what a site teaches changes what the lines of its pages mean, and the
  lines are in the record. So while a crawl runs, the pages that wait for it are judged again after each item.
- **After a template**: the first pages of a site are judged before anything of it is known, and a site may change its
  template. So at the end of a run the templates of the sites whose sample has changed are learnt once more, and each
  page of which other lines are main text now is judged again. What a run leaves, as it was stopped, the next one does.

What comes out is written like a crawl's: pages, links that are new, journal and feed together in one transaction, and
nothing at all for a page that says what it said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.learnt.site_templates import SiteTemplates
from crawldb.pages.pages import Pages
from crawldb.pages.signals import with_trait
from frontier.outcomes.page import rule_of
from pages.content.site_template import judged_by_site
from pages.text.layout import text_lines
from urls.records import refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from frontier.outcomes.page_again import StoredAgain
    from frontier.writer import CrawlWriter
    from pages import FetchedBody
    from pipelines.judges import Judges
    from urls.records import CanonicalUrl, Page

SLICE = 50  # pages of a transaction: some 200 ms, for which everything else waits
_OF_THE_TEXT = frozenset({Rule.DUPLICATE, Rule.NEAR_DUPLICATE, Rule.SOFT_404})  # what a page is refused for by its text


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A page that is another one since: its record before and after, and what it leads to."""

    before: Page
    after: Page
    stored: StoredAgain


class PageReview:
    """Judges stored pages again. `read` reads the stored body of a page, `begin` holds a transaction."""

    def __init__(
        self,
        writer: CrawlWriter,
        judges: Judges,
        read: Callable[[FetchedBody], Page],
        begin: Callable[[], AbstractContextManager[object]] | None = None,
    ) -> None:
        self._writer = writer
        self._database = writer.database
        self._judges = judges
        self._read = read
        self._begin = begin or writer.transaction
        self._lessons = writer.followers.lessons
        self._templates = SiteTemplates(writer.database)
        self._pages = Pages(writer.database)

    # -- One page, within the caller's transaction

    def judge(self, page: Page) -> JudgedAgain | None:
        """Judge `page`, as it was read in its stored body, and store what is new.

        None where nothing is, or where the page is stored no longer. A page that its owner has given a date is refused
        once that has passed, whenever it was fetched.
        """
        before = self._pages.unread(page.url)
        if before is None:
            return None
        expired = refusal_of_controls(page.controls, datetime.now(UTC))
        if expired is not None and expired.rule is Rule.EXPIRED and not page.refusals:
            page = replace(page, refusals=(expired,))
        judged = self._judges.judge(page)
        if judged.duplicate_of and judged.duplicate_of == before().duplicate_of and rule_of(before()) is Rule.DUPLICATE:
            judged = replace(judged, refusals=before().refusals)  # they may say which of the two a robots.txt prefers
        stored = self._writer.pages_again.store(judged, before)
        return JudgedAgain(before(), self._pages.get(page.url) or judged, stored) if stored.changed else None

    def judge_record(self, url: int, before: Page) -> bool:
        """Judge a stored page after something was learnt of its site; return whether it is another one now.

        `before` is its record, with the names of its links. The body is read only where more follows: where the page
        was refused for something else than its text, or is a page of its own now, whose links count.
        """
        page = self._judged_by_record(url, before)
        if page is None or (before.refusals and not page.refusals):
            answer = self._pages.answer(before.url)
            if answer is not None:
                return self.judge(self._read(answer)) is not None
        if page is None:
            return False  # its owner wants no copy of it kept
        return self._writer.pages_again.store_record(page, lambda: before)

    def _judged_by_record(self, url: int, before: Page) -> Page | None:
        """Judge the record of a page; None where that is not enough to judge by."""
        page = with_trait(self._database.connection, url, before)
        if page is None or any(refusal.rule not in _OF_THE_TEXT for refusal in before.refusals):
            return None
        title = self._pages.whole_title(url)
        return self._judges.judge(replace(page, title=title, refusals=(), duplicate_of=None, near_duplicate_of=None))

    # -- Many pages, a slice a transaction; after each, other work may be done

    def judge_waiting(self) -> Iterator[None]:
        """Judge the stored pages that wait for it since something was learnt of their site."""
        while self._lessons.any_waits():
            with self._begin():
                for url, page in self._lessons.pages_to_judge(SLICE):
                    self.judge_record(url, page)
                if not self._lessons.any_waits():
                    self._writer.pages_again.settle_copies()
            yield

    def judge_by_templates(self) -> Iterator[int]:
        """Learn the templates that are to be learnt and judge by them; yield how many pages changed in each slice."""
        changed = self._templates.changed()
        for start in range(0, len(changed), SLICE):
            with self._begin():
                for site in changed[start : start + SLICE]:
                    self._templates.learn(site)
            yield 0
        for site, name in self._templates.pending():
            after = 0
            while rows := self._templates.judged_otherwise(site, after, SLICE):
                with self._begin():
                    found = self._judge_by_template(name, rows)
                after = rows[-1][0]
                yield found
            with self._begin():
                self._writer.pages_again.settle_copies()
                self._templates.settle(site)

    def _judge_by_template(self, site: str, rows: Iterable[tuple[int, CanonicalUrl]]) -> int:
        """Judge those pages again in which the present template of their site finds other lines; count the changed."""
        template = self._templates.of(site)
        changed, unchanged = 0, []
        for url, address in rows:
            before = self._pages.get(address, url)
            if before is None:
                continue
            lines = text_lines(before)
            if judged_by_site(lines, template.marks) == lines:
                unchanged.append(url)
            else:
                changed += self.judge_record(url, self._lessons.with_link_names(url, before))
        self._templates.note_unchanged(unchanged, template)
        return changed
