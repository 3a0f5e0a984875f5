"""Can an index hold this page, and may it? Its type, its size, its text and its owner's wish decide.

The cheapest checks come first and the owner's wish last; the first rejection counts. The links of a rejected page are
followed unless its controls say nofollow: noindex is not nofollow (Google).

A page that only says that the browser can't show it has no content. The book (9.6) describes result lists full of "your
browser does not support frames": an index had taken the text for old browsers as the page. The frames themselves are
links, and are followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from robots.page_controls import HTML_TYPES
from urls.document_types import DOCUMENT_TYPES
from urls.records import Page, Refusal, refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from datetime import datetime


MAX_PAGE_BYTES = 10 * 1024 * 1024  # larger ones are archives and dumps; the longest real manual pages have 6 MB
INDEXED_TYPES = HTML_TYPES | DOCUMENT_TYPES | {"text/plain"}


def admission_refusal(page: Page, *, now: datetime, max_bytes: int = MAX_PAGE_BYTES) -> Refusal | None:
    """Say why a page is not indexed, or None: it is admitted. `now` has a time zone.

    Rules: binary (found by the parse), type, size, empty, noindex, expired.
    """
    if page.refusals:
        return page.refusals[0]
    return _by_content(page, max_bytes) or refusal_of_controls(page.controls, now)


def _by_content(page: Page, max_bytes: int) -> Refusal | None:
    if page.content_type not in INDEXED_TYPES:
        return Refusal(
            Rule.TYPE, f"{page.content_type or 'no type'}: only HTML, plain text, PDF and office files are indexed"
        )
    if len(page.body) > max_bytes:
        return Refusal(Rule.SIZE, f"{len(page.body)} bytes: more than the {max_bytes} that a page may have")
    if not page.text and not page.title:
        return Refusal(Rule.EMPTY, "there is no text and no title")
    return None


MAX_FRAMES_WORDS = 60  # a page with more words says something else as well

_FRAME = re.compile(rb"<i?frame[\s/>]", re.IGNORECASE)
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
    if said is None:
        return None
    more = ": its frames are pages of their own" if _FRAME.search(page.body) else ", and it has no frames"
    return Refusal(Rule.FRAMES, f"it only says “{said[0]}”{more}")
