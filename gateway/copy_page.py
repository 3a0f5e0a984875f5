"""What did a page look like when it was fetched? Its copy: dated, named as one, with the words that were asked for.

The copy is made of the stored bytes (`cached_copy`), decoded as the crawl decoded them. Where that would take too long,
and of plain text, the words that the index has are shown in paragraphs. The document is sandboxed, so that a browser
gives it no origin, no script, no form and nothing from anywhere (`browser_guard`).
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
from gateway.why_page import asked_url
from indexer.snippets.highlighter import QueryHighlighter
from reports.wording import sentence
from robots.page_controls import HTML_TYPES
from urls.canonical import UnusableUrl, canonicalize
from urls.records import reason_hidden

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.why import UrlRecord
    from urls.records import Page

MAX_BLOCKS = 20_000  # paragraphs shown of one page

_NOARCHIVE_HELP = "Only its owner can change that. The page itself is at its address, for whoever can reach it."

copy_views = Blueprint("copy", __name__)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of a page's text: a heading or a paragraph."""

    text: Markup
    heading: bool


@copy_views.get("/cached")
def cached() -> Response:
    """Show the copy of `url`, with the words of `q` highlighted. 404: none is kept, and why."""
    url = asked_url()
    if not url:
        raise InvalidParameter("url is missing: give the address of a page, as in /cached?url=https://example.org/")
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
    # lxml and the parser: 0.2 s of imports, and most gateways answer questions long before they show a copy
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
    told = make_response(render_template("cached.html", blocks=paragraphs, style=Markup(stylesheet()), **shown))  # noqa: S704 - our own file
    told.headers["Content-Security-Policy"] = copy_security_policy()
    return told


def with_marks(piece: str, marker: QueryHighlighter) -> Markup:
    """Return a piece of text, escaped, with the words of the question in `<mark>`."""
    return highlight(piece, marker.spans(piece))


def reason_withheld(page: Page, now: datetime) -> str:
    """Return why no copy of a stored page may be shown, or nothing where it may."""
    hidden = reason_hidden(page.refusals, page.controls, now)
    if hidden is not None:
        return sentence(f"The page is no result ({hidden.rule}): {hidden.reason}")
    return "" if page.controls.archive else "The page says noarchive: its owner wants no copy of it to be shown."


def blocks(page: Page, highlighted: Callable[[str], Markup]) -> list[TextBlock]:
    """Return the text of a page in pieces; a line that is one of its headings is shown as one."""
    headings = set(page.headings)
    lines = [line.strip() for line in page.text.split("\n")]
    return [TextBlock(highlighted(line), line in headings) for line in lines if line][:MAX_BLOCKS]


def _reason_unknown(found: UrlRecord) -> str:
    if not found.discovered:
        return "The crawl has never met this URL."
    told = f"it leads to {found.moved_to}" if found.moved_to else ""
    told = told or next((entry.reason for entry in reversed(found.journal) if entry.rule == found.rule), "")
    return sentence(f"The crawl knows this URL, and keeps no page of it: {told or f'it is {found.state}'}")
