"""How does a census store a page? Without its words, and with the figures of its response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals

from extensions.census.tables import CensusHead, note_response
from pipelines.item_pipelines import StoreStage
from robots import PageControls
from robots.page_controls import declared_type
from urls.records import Link, Page, Refusal

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.session import Session
    from pipelines.filters import PageFilters
    from pipelines.item_pipelines import Item, Written


MAX_HEADER_CHARS = 200  # of a Server line or a type that are kept: longer ones name no product


class CensusStage(StoreStage):
    """Stores the figures of each page and of its answer in place of the page.

    Settings: those of `FilterSettings`.
    """

    def __init__(self, filters: PageFilters, session: Session, crawler: Crawler) -> None:
        super().__init__(filters, session, crawler)
        self._heads: dict[str, CensusHead] = {}  # of answers whose lease has not ended yet, by URL
        crawler.signals.connect(self._answered, signals.response_received)

    async def process_item(self, item: Item) -> Item:
        """Write how a lease ended, and hand on what was kept of it."""
        try:
            await super().process_item(item)
        finally:
            self._heads.pop(item.url, None)
        return without_words(item) if isinstance(item, Page) else item

    def _answered(self, response: Response) -> None:
        lease = response.meta.get("lease")
        if lease is not None:  # else it is a robots.txt, of which its own table tells
            self._heads[lease.url] = head_of(response)

    def _end(self, item: Written) -> None:
        super()._end(item)
        if (head := self._heads.get(item.url)) is not None:
            note_response(self._session.database, self._session.run.round, item.url, head)

    def _kept(self, page: Page) -> Page:
        return without_words(page)


def head_of(response: Response) -> CensusHead:
    """Return what the status line and the header lines of an answer say."""
    length = _line(response, "Content-Length")
    size = len(response.body) or (int(length) if length.isdecimal() and length.isascii() else 0)
    declared = declared_type(_line(response, "Content-Type"))
    return CensusHead(response.status, _line(response, "Server"), response.protocol or "", declared, size)


def _line(response: Response, name: str) -> str:
    value: Any = response.headers.get(name)
    return (value or b"").decode("latin-1").strip()[:MAX_HEADER_CHARS]


def without_words(page: Page) -> Page:
    """Return what a census keeps of a page that was judged.

    The body has as many zero bytes, so its size is right everywhere, and is not stored: `archive` is off. Without
    an ETag the next census asks for all of it again.
    """
    return Page(
        url=page.url,
        title="",
        text="",
        language=page.language,
        links=tuple(Link(link.url, nofollow=link.nofollow) for link in page.links),
        links_cut=page.links_cut,
        canonical=page.canonical,
        refresh=page.refresh,
        controls=PageControls(index=page.controls.index, follow=page.controls.follow, archive=False),
        fetched_at=page.fetched_at,
        status=page.status,
        content_type=page.content_type,
        encoding=page.encoding,
        body=bytes(page.size),
        seconds=page.seconds,
        cut_off=page.cut_off,
        fingerprint=page.fingerprint,
        signature=page.signature,
        duplicate_of=page.duplicate_of,
        own_menu=page.own_menu,
        refusals=tuple(Refusal(refusal.rule, refusal.rule.meaning) for refusal in page.refusals),
    )
