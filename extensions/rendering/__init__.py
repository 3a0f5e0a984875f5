"""How does a page read that its scripts write? A browser without a network runs them, and the page is read again.

RENDER=auto renders a page that the filter `script-shell` rejects, and pages of a site that has had such a page. The
browser gets every file from the crawl, which requests it like a page or refuses it (gate.py). The browser is a process
that may die (browser.py). renderer.py chooses the pages and reads the result; tables.py keeps what was requested and
refused, and why.py shows it. With RENDER=never nothing of this is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from extension_points import AddedTables, CrawlRecorder, extends

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawldb.database import CrawlDatabase
    from extension_points import WhySection
    from extensions.rendering.browser import RenderingLimits
    from spiders.setting_values import ReadableSettings
    from spiders.site import SiteSpider
    from urls.records import CanonicalUrl


class Render(Enum):
    """Which pages are rendered, as the setting RENDER says."""

    NEVER = "never"
    AUTO = "auto"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class RenderingRecorder(CrawlRecorder):
    """Lets a crawl render pages. `sites` may be asked for files of a page, in addition to its own site."""

    render: Render
    sites: frozenset[str]
    limits: RenderingLimits
    setting: str = "RENDER"

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:
        """Give the spider its renderer."""
        from extensions.rendering.renderer import Renderer

        spider.renderer = Renderer(crawler, spider, self)


@extends
def settings() -> dict[str, object]:
    """Add the settings of rendering."""
    return {
        "RENDER": "never",  # pages whose scripts are run: "never", "auto" (pages that are empty without), "always"
        "RENDER_SITES": [],  # sites from which a page's scripts and data may come, in addition to its own
        "RENDER_SECONDS": 20.0,  # for a page, without the waits for its host's pace; then it is read as it is
        "RENDER_SANDBOX": True,  # whether the browser runs in a sandbox of the system, which root can't have
    }


@extends
def crawl_recorders(settings: ReadableSettings) -> list[RenderingRecorder]:
    """Render pages with RENDER=auto or RENDER=always."""
    from spiders.setting_values import one_of

    render = one_of(Render, "RENDER", settings["RENDER"])
    if render is Render.NEVER:
        return []
    from extensions.rendering.browser import read_limits
    from extensions.rendering.gate import read_render_sites

    return [RenderingRecorder(render, read_render_sites(settings.getlist("RENDER_SITES")), read_limits(settings))]


@extends
def tables() -> list[AddedTables]:
    """Keep how pages were rendered, and the requests of their scripts."""
    from extensions.rendering.tables import MAKE_TABLES

    return [AddedTables("rendering", (MAKE_TABLES,))]


@extends
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:
    """Return whether and how a page was rendered."""
    from extensions.rendering.why import rendering_section

    return [rendering_section(database, url)]
