"""`crawl census`: which servers, formats, sizes, languages and robots.txt files do the sites of a list have?

The engine crawls a sample of each site: so many requests to each, breadth first. It judges each page, so that copies
are counted apart, and then keeps figures alone: no text, title, link words or body of a page is written to the disk.
A run goes on where the last one ended, with the next URLs of each site. Where none is left, it counts afresh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from commands.crawling.report_crawl import ReportCrawl, found_in
from commands.frame.data_folder import base_folder
from crawldb.pages.census import keeps_pages
from extension_points import called
from reports.census import Census, census
from spiders.conduct import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy.settings import Settings

    from crawldb.database import CrawlDatabase

FOLDER = "census"
SAMPLE = 50  # requests to a site in a run, unless -a each says otherwise


class CensusCrawl(ReportCrawl):
    """A crawl that counts, and keeps nothing of a page."""

    name = "census"
    takes = ("seeds", "pages", "each")
    settings: ClassVar[Mapping[str, object]] = {
        "ITEM_PIPELINES": {"pipelines.item_pipelines.CensusStage": 900},
        "PROBE_AFTER": 0,  # what a probe teaches is learnt from stored texts
        "TRAP_PATIENCE": 0,  # whether a page says something new can't be told without the earlier ones
    }
    noun = "a census"
    needs_seeds = False

    def folder(self, first_seed: str) -> Path:  # noqa: ARG002 - a census has many sites
        """Return the folder of the census."""
        return base_folder() / FOLDER

    def read(self, database: CrawlDatabase) -> Census:
        """Read the figures."""
        return census(database)

    def set_up(self, settings: Settings, arguments: dict[str, str]) -> None:
        """Bound the sample, and ask for the header lines of every kind of file."""
        super().set_up(settings, arguments)
        arguments.setdefault("each", str(SAMPLE))
        if (settings.getpriority("LOOKED_AT_ENDINGS") or 0) <= PROJECT:
            settings.set("LOOKED_AT_ENDINGS", settings.getlist("SKIPPED_ENDINGS"), priority="cmdline")

    def mistake(self, settings: Settings, data_dir: Path) -> str:
        """Return what would keep pages, or that pages are kept already."""
        if settings.getdict("FEEDS"):
            return "-o writes pages, and a census keeps none of them: --json has its figures"
        for recorder in called("crawl_recorders", settings=settings):
            if (settings.getpriority(recorder.setting) or 0) > PROJECT:
                return f"{recorder.setting}=yes writes pages, and a census keeps none of them: leave it out"
        if found_in(data_dir, keeps_pages):
            return f"{data_dir} holds pages of a crawl: give the census another folder with --data NAME"
        return ""
