"""The crawl that counts the servers, formats, languages and robots.txt files of a list of sites: `crawl census`.

It requests a sample of each site, breadth first. It keeps only figures: no text, title, link text or body of a page
reaches the disk. The next run continues with the next URLs of each site; if none is left, it starts again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from commands.crawling.report_crawl import ReportCrawl
from commands.frame.data_folder import base_folder
from crawldb.database import FILE_NAME, NoCrawlError
from crawldb.databases import open_up_to_date
from extension_points import call_extensions
from extensions.census.report import Census, census
from extensions.census.tables import keeps_pages
from spiders.crawl_settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy.settings import Settings

    from crawldb.database import CrawlDatabase

SAMPLE = 50  # requests to each site in one run of a census, unless -a each gives another number


class CensusCrawl(ReportCrawl):
    """A crawl that counts pages and stores none."""

    name = "census"
    settings: ClassVar[Mapping[str, object]] = {
        "ITEM_PIPELINES": {"extensions.census.stage.CensusStage": 900},
        "PROBE_AFTER": 0,  # probes are evaluated with stored texts
        "TRAP_PATIENCE": 0,  # without earlier pages, no page can be recognised as new
    }
    noun = "a census"
    needs_seeds = False
    stores_texts = False

    def folder(self, first_seed: str) -> Path:  # noqa: ARG002 - a census has many sites
        """Return the folder of the census."""
        return base_folder() / "census"

    def read(self, database: CrawlDatabase) -> Census:
        """Read the figures."""
        return census(database)

    def set_up(self, settings: Settings, arguments: dict[str, str]) -> None:
        """Limit the sample, and request the headers of every kind of file."""
        super().set_up(settings, arguments)
        arguments.setdefault("each", str(SAMPLE))
        if (settings.getpriority("LOOKED_AT_ENDINGS") or 0) <= PROJECT:
            settings.set("LOOKED_AT_ENDINGS", settings.getlist("SKIPPED_ENDINGS"), priority="cmdline")

    def mistake(self, settings: Settings, data_dir: Path) -> str:
        """Return which option would store pages, or that the folder already stores some; "" if neither."""
        if settings.getdict("FEEDS"):
            return "-o writes pages, but a census stores none: leave it out; --json prints the figures"
        for recorder in call_extensions("crawl_recorders", settings=settings):
            if (settings.getpriority(recorder.setting) or 0) > PROJECT:
                return f"{recorder.setting}=yes writes pages, but a census stores none: leave it out"
        if _stores_pages(data_dir):
            return f"{data_dir} stores pages of a crawl: name another folder with --data"
        return ""


def _stores_pages(data_dir: Path) -> bool:
    if not (data_dir / FILE_NAME).exists():
        return False
    try:
        with open_up_to_date(data_dir) as database:
            return keeps_pages(database)
    except NoCrawlError:  # killed before it had tables
        return False
