"""How does another Scrapy project drop pages that spoof? By one more item pipeline of `filters_addon`.

    ITEM_PIPELINES = {"filters_addon.Spoofing": 600}

It judges one page at a time, so it misses doorways, link farms and anchor bombs, which need several pages.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from extensions.spoofing.page_signals import SpoofThresholds, with_spoofing_signals
from filters_addon.filters import Filter, Sign
from urls.signals import signal_names

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from urls.records import Page
    from urls.signals import SignalName

ONE_PAGE_SIGNALS = ("hidden-text", "stuffing", "cloaking")  # the others need several pages of several sites


class Spoofing(Filter):
    """Drops a page that shows a search engine something else than its readers.

    The engine keeps such pages and lowers their score. Order: 600. Settings: SPOOF_HIDDEN_WORDS (20) and
    SPOOF_STUFFED_SHARE (0.15), from when on something is a sign; SPOOF_SIGNALS, the signs that drop a page:
    hidden-text, stuffing and cloaking unless given. Rules: the names of the signs.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings, usual = crawler.settings, SpoofThresholds()
        self._thresholds = SpoofThresholds(
            settings.getfloat("SPOOF_HIDDEN_WORDS", usual.hidden_words),
            settings.getfloat("SPOOF_STUFFED_SHARE", usual.stuffed_share),
        )
        self._names: frozenset[SignalName] = signal_names(settings.getlist("SPOOF_SIGNALS", list(ONE_PAGE_SIGNALS)))

    def sign(self, page: Page) -> Sign | None:
        """Return the strongest sign."""
        signs = [each for each in with_spoofing_signals(page, self._thresholds).signals if each.name in self._names]
        if not signs:
            return None
        strongest = max(signs, key=attrgetter("value"))
        return Sign(strongest.name, strongest.evidence)
