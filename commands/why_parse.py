"""Where do the two readers differ on a stored page? `why URL --parse` reads its body again, with both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.pages import Pages
from robots.page.controls import HTML_TYPES

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from pages.two_readings import TwoReadings
    from urls.records import Page


def read_twice(database: CrawlDatabase, url: str | None) -> TwoReadings | str:
    """Return both readings of the page with a canonical URL, or a sentence that says why there are none."""
    if url is None:
        return "It can't be read again: it is no address of a page."
    page, answer = Pages(database).get(url), Pages(database).answer(url)
    if page is None:
        return "It can't be read again: no page of it is stored."
    if answer is None:
        return f"It can't be read again: its body is not kept, because {_why_no_body(page)}."
    return _read(page, answer.body)


def _why_no_body(page: Page) -> str:
    refusal = next(iter(page.refusals), None)
    if not page.controls.archive or refusal is None:
        return "it says noarchive"
    return f"it is refused ({refusal.rule}): {refusal.reason}"


def _read(page: Page, body: bytes) -> TwoReadings | str:
    from pages.links import BaseUrl
    from pages.second_reader import burden, stored_markup
    from pages.two_readings import two_readings

    if page.content_type not in HTML_TYPES:
        return f"It is {page.content_type or 'of no type'}: only markup is read by two readers."
    markup = stored_markup(body, page.encoding)
    too_much = burden(markup)
    return f"It is not read twice: {too_much}." if too_much else two_readings(markup, BaseUrl.of(page.url))
