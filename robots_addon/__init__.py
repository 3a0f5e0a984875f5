"""How does any Scrapy project get Breadcrumb's robots.txt rules? By one line in its settings.

    ADDONS = {"robots_addon.RobotsAddon": 100}

It replaces Scrapy's own middleware. robots.txt then decides as in Breadcrumb, by RFC 9309. The add-on handles its
redirects and failures, and fetches it again when it is due. The log shows the line that disallows a page. The add-on
drops the items of a page that says noindex, and the requests of a page that says nofollow.
`response.meta["page_controls"]` has the controls of a page, a `robots.PageControls`.

Settings:

- ROBOTS_STATE: a file that keeps the state of each robots.txt; without it, each run begins without any.
- ROBOTS_DENIAL: `open` (RFC 9309) or `closed`: the meaning of a robots.txt with status 401 or 403.
- ROBOTS_UNREACHABLE: `rfc9309` or `google` (2019): the rule while a robots.txt fails.
- ROBOTS_MAX_DELAY: the longest Crawl-delay that is obeyed, in seconds.
- ROBOTSTXT_USER_AGENT: the robot's name in a robots.txt; without it, the product token in the User-Agent.

As with Scrapy's own middleware, requests with `dont_obey_robotstxt` in their meta are not checked.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import SETTINGS_PRIORITIES

from robots_addon.gate import RobotsGate
from robots_addon.page_controls import PageControlsMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

GATE_PLACE = 100  # the place of Scrapy's own middleware for robots.txt
PAGE_PLACE = 10  # next to the engine: it sees what every other middleware has let through


class RobotsAddon:
    """Puts the gate in the place of Scrapy's, and the page controls behind every callback."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; a place that the project gave one of them itself is kept."""
        chosen = (settings.getpriority("ROBOTSTXT_OBEY") or 0) > SETTINGS_PRIORITIES["default"]
        if chosen and not settings.getbool("ROBOTSTXT_OBEY"):
            logger.warning("ROBOTSTXT_OBEY=False has no effect: without robots.txt, take RobotsAddon out of ADDONS")
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsTxtMiddleware, None)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsGate, GATE_PLACE)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", PageControlsMiddleware, PAGE_PLACE)
