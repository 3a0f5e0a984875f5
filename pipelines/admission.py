"""Is this a page that an index can hold and may hold? What it is, how much it is, and what its owner asks.

The order is from the cheapest certainty to the owner's wish; the first refusal is the one that is told. Links of
a refused page are followed all the same, unless its controls say nofollow: noindex is not nofollow (Google).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.page import Page, Refusal

if TYPE_CHECKING:
    from datetime import datetime

MAX_PAGE_BYTES = 10 * 1024 * 1024  # larger ones are archives and dumps; the longest real manual pages have 6 MB
INDEXED_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})


def refusal(page: Page, *, now: datetime, max_bytes: int = MAX_PAGE_BYTES) -> Refusal | None:
    """Say why a page is not indexed, or None: it is admitted. `now` has a time zone.

    Rules: binary (found by the parse), type, size, empty, noindex, expired.
    """
    if page.refusals:
        return page.refusals[0]
    return _by_content(page, max_bytes) or _by_wish(page, now)


def _by_content(page: Page, max_bytes: int) -> Refusal | None:
    if page.content_type not in INDEXED_TYPES:
        return Refusal("type", f"{page.content_type or 'no type'}: only HTML and plain text are indexed")
    if len(page.body) > max_bytes:
        return Refusal("size", f"{len(page.body)} bytes: more than the {max_bytes} that a page may have")
    if not page.text and not page.title:
        return Refusal("empty", "there is no text and no title")
    return None


def _by_wish(page: Page, now: datetime) -> Refusal | None:
    if not page.controls.index:
        asked_by = page.controls.asked_by("noindex", "none") or "a robots meta element or an X-Robots-Tag header"
        return Refusal("noindex", f"{asked_by} says noindex")
    expires = page.controls.expires
    if expires is not None and expires <= now:
        return Refusal("expired", f"unavailable_after {expires:%Y-%m-%d %H:%M} has passed")
    return None
