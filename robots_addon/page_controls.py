"""What does a page ask of those who fetched it? Its X-Robots-Tag and robots metas hold behind every callback."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from robots import PageControls, page_controls
from robots_addon.gate import agent_of, header_lines

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

logger = logging.getLogger(__name__)

CONTROLS = "page_controls"  # key of Response.meta


class PageControlsMiddleware(BaseSpiderMiddleware):
    """Drops the items of a page that says noindex, and the requests of a page that says nofollow.

    Stats: robotstxt/noindex and robotstxt/nofollow, the items and the requests that were left out.
    """

    def process_spider_input(self, response: Response) -> None:
        """Read the controls of the page into `response.meta`, for its callback too."""
        sent = response.request
        if sent is None:
            return
        agent = agent_of(sent, self.crawler.settings)
        lines, now = header_lines(response), datetime.now(UTC)
        response.meta[CONTROLS] = page_controls(lines, response.body, agent=agent, url=response.url, now=now)

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Drop a request from a page that says nofollow."""
        controls = _controls(response)
        if controls.follow:
            return request
        self._left_out("nofollow", request.url, controls.asked_by("nofollow", "none"), response)
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Drop an item from a page that says noindex, or that has expired."""
        controls = _controls(response)
        if controls.index:
            return item
        asked = controls.asked_by("noindex", "none", "unavailable_after")
        self._left_out("noindex", "an item", asked, response)
        return None

    def _left_out(self, wish: str, what: str, asked: str, response: Response | None) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"robotstxt/{wish}")
        logger.info("%s is left out: %s says %s", what, response and response.url, asked)


def _controls(response: Response | None) -> PageControls:
    """Return the controls of the page; what comes from no page, such as the first requests, may do everything."""
    found = response.meta.get(CONTROLS) if response is not None and response.request is not None else None
    return found if isinstance(found, PageControls) else PageControls()
