"""Does the page only say that the browser cannot show it? Then it answers no question.

The book (9.6) names the result lists full of "your browser does not support frames": the text of a frameset
for old browsers, indexed as if it were the page. The frames themselves are links, and are followed.
"""

from __future__ import annotations

import re

from crawldb.page import Page, Refusal

MAX_WORDS = 60  # beyond this the page has something else to say

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


def refusal(page: Page) -> Refusal | None:
    """Refuse a short page that speaks of frames which the browser lacks. Rule: frames."""
    if len(page.text.split(None, MAX_WORDS)) > MAX_WORDS:
        return None
    said = _UNSUPPORTED.search(page.text) if _BROWSER.search(page.text) else None
    return Refusal("frames", f"it only says “{said[0]}”: its frames are pages of their own") if said else None
