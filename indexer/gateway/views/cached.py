"""What did the page say when it was fetched? Its text, as a page of ours: none of its markup, scripts or pictures.

So nothing that a stranger wrote runs or loads here, and looking at a copy tells the site's server nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Blueprint, Response, make_response, render_template

from crawldb import UnusableUrl, canonicalize
from crawldb.dossier import dossier
from crawldb.tables.pages import Pages
from indexer.gateway.holdings import holdings
from indexer.gateway.question import BadQuestion
from indexer.gateway.views.why import asked_url

if TYPE_CHECKING:
    from crawldb import Page

MAX_BLOCKS = 20_000  # paragraphs shown of one page

views = Blueprint("cached", __name__)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page's text: a heading or a paragraph."""

    text: str
    heading: bool


@views.get("/cached")
def cached() -> Response:
    """Show the copy of `url`. 404: none is kept, and why."""
    url = asked_url()
    if not url:
        raise BadQuestion("url is missing: give the address of a page, as in /cached?url=https://example.org/")
    try:
        canonical = canonicalize(url)
    except UnusableUrl as error:
        raise BadQuestion(error.refusal.reason) from None
    page = Pages(holdings().database(canonical)).get(canonical)
    reason = _unknown(canonical) if page is None else withheld(page, time.time())
    if page is None or reason:
        return make_response(render_template("no_copy.html", url=canonical, reason=reason), 404)
    return make_response(render_template("cached.html", page=page, blocks=blocks(page)))


def withheld(page: Page, now: float) -> str:
    """Return why no copy of a stored page may be shown, or nothing where it may."""
    if page.refusals:
        return f"The page is not in the index ({page.refusals[0].rule}): {page.refusals[0].reason}."
    if not page.controls.archive:
        return "The page says noarchive: its owner wants no copy of it to be shown."
    if page.controls.expires and page.controls.expires.timestamp() <= now:
        return "The page says unavailable_after, and that date has passed."
    return ""


def blocks(page: Page) -> list[Block]:
    """Return the text of a page in pieces; a line that is one of its headings is shown as one."""
    headings = set(page.headings)
    lines = [line.strip() for line in page.text.split("\n")]
    return [Block(line, line in headings) for line in lines if line][:MAX_BLOCKS]


def _unknown(url: str) -> str:
    held = holdings()
    found = dossier(held.database(url), url, held.product, policy=held.policy(url))
    if not found.discovered:
        return "The crawl has never met this URL."
    told = found.journal[-1].reason if found.journal else ""
    return f"The crawl knows this URL, and keeps no page of it: it is {found.state}{f' ({told})' if told else ''}."
