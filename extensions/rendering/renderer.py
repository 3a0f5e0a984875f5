"""Which pages are rendered, and what is stored of them? The markup after the scripts, as if the server had sent it.

The stored body is that markup, so the cached copy, `reparse` and the index all show what a person sees. The links in
it enter the frontier like those of any page. Where a script leads the browser to another page, the markup gets a
refresh that says so. The validators are dropped: the next visit must see whether the data has changed, not the shell.
"""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import signals

from crawldb.clock import RUN_CLOCK
from crawldb.learnt import Purpose
from crawldb.tables.urls import Kind
from extensions.rendering import Render
from extensions.rendering.browser import BrowserError, NoBrowserError, RenderingBrowser
from extensions.rendering.gate import RequestGate, SharedFiles
from extensions.rendering.tables import Rendering, RenderingNotes, sites_of_shells
from pipelines.no_content import no_content_refusal
from robots.page_controls import HTML_TYPES
from spiders.downloader.handler import STOPPED, STOPPING
from urls.records import LeaseEnd, Outcome, revised
from urls.rules import Rule

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawldb.tables.queue import Lease
    from extensions.rendering import RenderingRecorder
    from extensions.rendering.browser import Shown
    from pages import FetchedBody
    from spiders.site import SiteSpider
    from urls.records import Page

MAX_BEFORE = 1000  # characters of the text before the scripts that are kept
MAX_STARTS = 3  # failures to start the browser in a row; then a run tries no more
HEAD = re.compile(r"<head\b", re.IGNORECASE)
OK = 200


class Renderer:
    """Renders pages of a crawl, one at a time, while the crawl goes on."""

    def __init__(self, crawler: Crawler, spider: SiteSpider, recorder: RenderingRecorder) -> None:
        self._crawler = crawler
        self._spider = spider
        self._recorder = recorder
        self._browser = RenderingBrowser(recorder.limits)
        self._shared = SharedFiles()
        self._notes = RenderingNotes(spider.session.database)
        self._shells = sites_of_shells(spider.session.database)
        self._failures = 0  # of the browser to start, in a row
        self._one_page = asyncio.Lock()
        self._stopping = asyncio.Event()
        spider.session.store.writer.recorded.append(self._notes)
        crawler.signals.connect(self._stop, STOPPING)
        crawler.signals.connect(self._close, signals.spider_closed)

    async def rendered(self, lease: Lease, fetched: FetchedBody, page: Page) -> Page | Outcome:
        """Return the page after its scripts have run, or as it is; an outcome if the crawl stops meanwhile."""
        is_shell = _says_nothing_without_scripts(page)
        if is_shell:
            self._shells.add(lease.site)
        if not _can_be_rendered(lease, page) or not self._is_wanted(lease, is_shell=is_shell):
            return page
        sites, seconds = self._recorder.sites, self._recorder.limits.seconds
        gate = RequestGate(self._crawler, self._spider, lease, sites, self._shared, seconds)
        try:
            async with self._one_page:
                if self._failures >= MAX_STARTS:
                    return page
                shown = await self._browser.render(fetched, gate, self._stopping)
        except BrowserError as error:
            self._failures = self._failures + 1 if isinstance(error, NoBrowserError) else 0
            return self._stopped(lease) or self._unrendered(lease, page, gate, str(error), is_shell=is_shell)
        self._failures = 0
        return self._stopped(lease) or self._read(lease, fetched, page, gate, shown, is_shell=is_shell)

    def _is_wanted(self, lease: Lease, *, is_shell: bool) -> bool:
        return self._recorder.render is Render.ALWAYS or is_shell or lease.site in self._shells

    def _stopped(self, lease: Lease) -> Outcome | None:
        if not self._stopping.is_set():
            return None
        now = RUN_CLOCK.now()
        return Outcome(lease.url, LeaseEnd.DEFERRED, STOPPED.rule, STOPPED.reason, fetched_at=now, requested=True)

    def _read(
        self, lease: Lease, fetched: FetchedBody, page: Page, gate: RequestGate, shown: Shown, *, is_shell: bool
    ) -> Page:
        """Read a page from its markup after the scripts."""
        markup = with_refresh(shown.html, gate.leads_to) if not page.refresh else shown.html
        headers = [(name, value) for name, value in fetched.headers if name != "content-type"]
        body = markup.encode("utf-8", "replace")
        as_html = [*headers, ("content-type", "text/html; charset=utf-8")]
        after = self._spider.read_page(replace(fetched, body=body, headers=as_html))
        after = replace(after, etag="", last_modified="", received=len(fetched.body))
        if is_shell and not gate.leads_to and not _says_more(after, page):
            trouble = shown.unsettled or "its scripts added no text"
            return self._unrendered(lease, page, gate, trouble, is_shell=is_shell)
        if shown.unsettled:
            after = revised(after, warnings=(*after.warnings, f"it was rendered, but {shown.unsettled}"))
        self._note(lease, page, after, gate, shown.unsettled, shown, is_shell=is_shell)
        return after

    def _unrendered(self, lease: Lease, page: Page, gate: RequestGate, trouble: str, *, is_shell: bool) -> Page:
        self._note(lease, page, None, gate, trouble, None, is_shell=is_shell)
        return revised(page, warnings=(*page.warnings, f"it was not rendered: {trouble}"))

    def _note(
        self,
        lease: Lease,
        before: Page,
        after: Page | None,
        gate: RequestGate,
        trouble: str,
        shown: Shown | None,
        *,
        is_shell: bool,
    ) -> None:
        if lease.probes in {Purpose.MISSING, Purpose.TRAP}:
            return  # no page is stored under a URL that a probe made up
        said = before.visible_text
        self._notes.note(
            Rendering(
                lease.url,
                RUN_CLOCK.now(),
                trouble,
                after is not None,
                is_shell,
                said[:MAX_BEFORE],
                len(said.split()),
                0 if after is None else len(after.visible_text.split()),
                0.0 if shown is None else shown.seconds,
                0.0 if shown is None else shown.cpu,
                gate.notes,
                gate.beyond,
            )
        )

    def _stop(self) -> None:
        self._stopping.set()

    async def _close(self) -> None:
        await self._browser.close()


def with_refresh(markup: str, leads_to: str) -> str:
    """Return markup that says by a refresh where a script has led the browser; as it is if to nowhere."""
    if not leads_to:
        return markup
    refresh = f'<meta http-equiv="refresh" content="0; url={html.escape(leads_to)}">'
    head = HEAD.search(markup)
    at = markup.find(">", head.end()) + 1 if head else 0  # not in the pattern: it would look for the end of each <head
    return f"{markup[:at]}{refresh}{markup[at:]}" if at else markup


def _can_be_rendered(lease: Lease, page: Page) -> bool:
    """Return whether a page has scripts that could add text to the index: whole, of HTML, and without noindex."""
    if lease.kind is not Kind.PAGE or page.content_type not in HTML_TYPES or page.status != OK:
        return False
    return not page.cut_off and not page.refusals and page.controls.index and b"<script" in page.body.lower()


def _says_nothing_without_scripts(page: Page) -> bool:
    """Return whether the filter would reject a page as a shell, or it has scripts and no word but its title.

    The filter needs another sign: the page may be a picture.
    """
    refusal = no_content_refusal(page)
    if refusal is not None:
        return refusal.rule is Rule.SCRIPT_SHELL
    return not page.visible_text.strip() and b"<script" in page.body.lower()


def _says_more(after: Page, before: Page) -> bool:
    """Return whether a page has more words or links after its scripts. Else it is judged as it came, as a shell."""
    words = len(after.visible_text.split()), len(before.visible_text.split())
    return words[0] > words[1] or len(after.links) > len(before.links)
