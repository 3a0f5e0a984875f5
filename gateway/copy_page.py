"""What did a page look like when it was fetched? `/cached` shows its dated copy, with the query highlighted.

`cached_copy` makes the copy from the stored bytes, decoded as in the crawl. Where that would take too long, and for
plain text, the page shows the text of the index in paragraphs. The document is sandboxed: it has no origin, script or
form, and loads nothing (`browser_guard`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, Response, make_response, render_template, request
from markupsafe import Markup

from gateway.browser_guard import copy_security_policy, stylesheet
from gateway.search_request import InvalidParameter, read_search_request
from gateway.served_crawl import served_crawl
from gateway.template_filters import highlight, without_direction_marks
from gateway.why_page import read_url
from indexer.snippets.highlighter import QueryHighlighter
from reports.wording import sentence
from robots.page_controls import HTML_TYPES
from urls.canonical import UnusableUrl, canonicalize
from urls.records import reason_hidden

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.why import UrlRecord
    from urls.records import Page

MAX_BLOCKS = 20_000  # paragraphs of one page

_NOARCHIVE_HELP = "Only the owner of the page can change that. Open the page itself to read it."

copy_views = Blueprint("copy", __name__)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of a page's text: a heading or a paragraph."""

    text: Markup
    heading: bool


@copy_views.get("/cached")
def cached() -> Response:
    """Show the copy of `url`, with the words of `q` highlighted. 404: no copy is stored; the page says why."""
    url = read_url()
    if not url:
        raise InvalidParameter("url is missing: add the URL of a page, as in /cached?url=https://example.org/")
    try:
        canonical = canonicalize(url)
    except UnusableUrl as error:
        raise InvalidParameter(error.refusal.reason) from None
    question = read_search_request(request.args).query
    page = served_crawl().page(canonical)
    reason = "" if page is None else reason_withheld(page, datetime.now(UTC))
    if page is None or reason:
        found = served_crawl().url_record(canonical)
        reason = reason or _reason_unknown(found)
        help_ = _NOARCHIVE_HELP if page is not None and not page.controls.archive else found.advice
        shown = {"url": canonical, "reason": reason, "help": help_, "candidates": found.candidates, "asked": question}
        return make_response(render_template("no_copy.html", **shown), 404)
    return _shown(page, served_crawl().body(canonical), question)


def _shown(page: Page, body: bytes | None, question: str) -> Response:
    # lxml and the parser: 0.2 s of imports, and a gateway shows results long before a copy
    from gateway.cached_copy import copy_of  # noqa: PLC0415
    from pages.links import BaseUrl  # noqa: PLC0415
    from pages.tolerant_parser import burden, stored_markup  # noqa: PLC0415

    markup = stored_markup(body, page.encoding) if body and page.content_type in HTML_TYPES else ""
    too_much = burden(markup)
    text = markup if markup and not too_much else page.text
    marker = QueryHighlighter(question, page.language, text)

    def highlighted(piece: str) -> Markup:
        return with_marks(str(without_direction_marks(piece)), marker)

    whole = copy_of(markup, BaseUrl.of(page.url), highlighted) if text is markup and markup else None
    shown = {"page": page, "too_much": too_much, "copy": whole, "question": question, "marks": marker.finds_any}
    paragraphs = [] if whole else blocks(page, highlighted)
    response = make_response(render_template("cached.html", blocks=paragraphs, style=Markup(stylesheet()), **shown))  # noqa: S704 - our own file
    response.headers["Content-Security-Policy"] = copy_security_policy()
    return response


def with_marks(piece: str, marker: QueryHighlighter) -> Markup:
    """Return a piece of text, escaped, with the words of the query in `<mark>`."""
    return highlight(piece, marker.spans(piece))


def reason_withheld(page: Page, now: datetime) -> str:
    """Return why the copy of a stored page may not be shown, or "" where it may."""
    hidden = reason_hidden(page.refusals, page.controls, now)
    if hidden is not None:
        return sentence(f"The page is hidden ({hidden.rule}): {hidden.reason}")
    return "" if page.controls.archive else "The page says noarchive: its owner wants no copy."


def blocks(page: Page, highlighted: Callable[[str], Markup]) -> list[TextBlock]:
    """Return the text of a page in paragraphs and headings."""
    headings = set(page.headings)
    lines = [line.strip() for line in page.text.split("\n")]
    return [TextBlock(highlighted(line), line in headings) for line in lines if line][:MAX_BLOCKS]


def _reason_unknown(found: UrlRecord) -> str:
    if not found.discovered:
        return "The crawl has not discovered this URL."
    reason = f"it redirects to {found.moved_to}" if found.moved_to else ""
    reason = reason or next((entry.reason for entry in reversed(found.journal) if entry.rule == found.rule), "")
    return sentence(f"The crawl has no page for this URL: {reason or f'it is {found.state}'}")
