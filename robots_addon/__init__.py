"""How does any Scrapy project come by Breadcrumb's manners? By one line in its settings.

    ADDONS = {"robots_addon.RobotsAddon": 100}

robots.txt then decides as in Breadcrumb, in the place of Scrapy's own middleware: by RFC 9309, with its redirects and
failures, asked again when it is due, and with the line that refuses a page in the log. Of a page that asks not to be
indexed no item is kept, and of one that asks not to be followed no request. What holds for a page stands in
`response.meta["page_controls"]`, which is a `robots.PageControls`.

Settings:

- ROBOTS_STATE: a file in which to keep what is known of each robots.txt; without it, a run begins knowing nothing.
- ROBOTS_DENIAL: `open` (RFC 9309) or `closed`: what a robots.txt means that answers 401 or 403.
- ROBOTS_UNREACHABLE: `rfc9309` or `google` (2019): what holds while a robots.txt fails.
- ROBOTS_MAX_DELAY: the longest Crawl-delay that is kept, in seconds.
- ROBOTSTXT_USER_AGENT: the name by which a robots.txt calls the robot; without it, the product token in the User-Agent.

As with Scrapy's own middleware, a request whose meta says `dont_obey_robotstxt` is not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

from robots_addon.gate import RobotsGate
from robots_addon.page_controls import PageControlsMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

GATE_PLACE = 100  # where Scrapy's own middleware for robots.txt stands
PAGE_PLACE = 10  # beside the engine, so that it sees what every other middleware has let through


class RobotsAddon:
    """Puts the gate in the place of Scrapy's, and the page controls behind every callback."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; a place that the project gave one of them itself is kept."""
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsTxtMiddleware, None)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsGate, GATE_PLACE)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", PageControlsMiddleware, PAGE_PLACE)
