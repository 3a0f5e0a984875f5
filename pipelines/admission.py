"""Is this a page that an index can hold and may hold? Its type, its size, its text and its owner's wish decide.

The order is from the cheapest certainty to the owner's wish; the first refusal is the one that is told. Links of a
refused page are followed all the same, unless its controls say nofollow: noindex is not nofollow (Google).

A page that only says that the browser cannot show it answers no question. The book (9.6) names the result lists full of
"your browser does not support frames": the text of a frameset for old browsers, indexed as if it were the page. The
frames themselves are links, and are followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urls.records import Page, Refusal

if TYPE_CHECKING:
    from datetime import datetime


MAX_PAGE_BYTES = 10 * 1024 * 1024  # larger ones are archives and dumps; the longest real manual pages have 6 MB
INDEXED_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})


def admission_refusal(page: Page, *, now: datetime, max_bytes: int = MAX_PAGE_BYTES) -> Refusal | None:
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


MAX_FRAMES_WORDS = 60  # beyond this the page has something else to say

_BROWSER = re.compile("browser|navigateur|navegador|браузер|ブラウザ|브라우저|浏览器", re.IGNORECASE)
_UNSUPPORTED = re.compile(
    r"(?:browser|page|site)\b[^.\n]{0,60}(?:\bnot\b|n't\b|\bcannot\b|\brequires?\b)[^.\n]{0,60}\bi?frames?\b"
    r"|\bi?frames?\b[^.\n]{0,60}(?:\bnot\b|n't\b|\bcannot\b|\brequired\b|\bdisabled\b)"
    r"|browser[^.\n]{0,60}\bframes\b[^.\n]{0,40}\bnicht\b|browser[^.\n]{0,60}\bkeine frames\b"  # de
    r"|navigateur[^.\n]{0,60}\bpas\b[^.\n]{0,40}\bcadres\b|navegador[^.\n]{0,20}\bno\b[^.\n]{0,40}\bmarcos\b"  # fr es
    r"|браузер[^.\n]{0,40}не поддерживает[^.\n]{0,20}(?:фрейм|кадр)"
    r"|フレーム[^\n。]{0,30}(?:未対応|対応していません|表示できません)|프레임[^\n.]{0,30}(?:지원하지|없습니다)"
    r"|不支持框架",
    re.IGNORECASE,
)


def frames_refusal(page: Page) -> Refusal | None:
    """Refuse a short page that speaks of frames which the browser lacks. Rule: frames."""
    if len(page.text.split(None, MAX_FRAMES_WORDS)) > MAX_FRAMES_WORDS:
        return None
    said = _UNSUPPORTED.search(page.text) if _BROWSER.search(page.text) else None
    return Refusal("frames", f"it only says “{said[0]}”: its frames are pages of their own") if said else None
