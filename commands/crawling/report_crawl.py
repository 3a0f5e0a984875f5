"""Crawls that end with a report instead of an index: `crawl links` and `crawl census`.

Both crawl as politely as `crawl site`, into a data folder of their own that no search uses.

`crawl links` reads a site and reports broken and redirected links (`reports/link_check.py`).

`crawl census` counts the servers, formats, languages and robots.txt files of a list of sites (`reports/census.py`). It
requests a sample of each site, breadth first. It keeps only figures: no text, title, link text or body of a page
reaches the disk. The next run continues with the next URLs of each site; if none is left, it starts again.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from urllib.parse import urlsplit

from commands.frame.command_settings import read_crawl_settings
from commands.frame.data_folder import base_folder, open_to_report
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, CommandError
from commands.frame.terminal import json_line, pasteable, print_last, printable
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, NoCrawlError
from crawldb.folders import holds_a_crawl
from crawldb.pages.census import keeps_pages
from extension_points import call_extensions
from frontier.rounds import BY_ITSELF
from indexer.segments.generation import index_folder
from reports.census import Census, census
from reports.link_check import LinkCheck, link_check
from reports.numbers import report
from reports.summary import fetched_and_unchanged, owners_mistakes, reasons_to_wait
from spiders.arguments import SpiderArguments
from spiders.crawl_settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

    from scrapy.settings import Settings

    from frontier.session import Session

ARGUMENTS = ("seeds", "pages", "each")  # of -a
SAMPLE = 50  # requests to each site in one run of a census, unless -a each gives another number
NEVER = 1_000_000_000  # failures after which a URL is dropped: a link check requests broken links in each run


class CrawlReport(Protocol):
    """The result of a reporting crawl."""

    @property
    def is_fine(self) -> bool:
        """Whether the exit code is 0."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""

    def lines(self) -> Iterator[str]:
        """Yield it as text."""

    def hindrance(self, *, answered: bool) -> str:
        """Return why the report is not complete; "" if it is. `answered`: a page arrived in this run."""


class ReportCrawl(ABC):
    """A crawl that fills a data folder of its own and prints a report."""

    name: ClassVar[str]
    settings: ClassVar[Mapping[str, object]]  # besides those of all such crawls
    noun: ClassVar[str]  # such as "a check"
    needs_seeds: ClassVar[bool] = True  # unless the named folder stores some

    @abstractmethod
    def folder(self, first_seed: str) -> Path:
        """Return the data folder used if no other is named."""

    @abstractmethod
    def read(self, database: CrawlDatabase) -> CrawlReport:
        """Read the report from the crawl database."""

    def mistake(self, settings: Settings, data_dir: Path) -> str:  # noqa: ARG002 - a link check accepts all
        """Return why the settings or the folder do not suit this crawl; "" if they do."""
        return ""

    def set_up(self, settings: Settings, arguments: dict[str, str]) -> None:
        """Change the settings to those of this crawl. Raises `CommandError`, and what `read_crawl_settings` raises."""
        for name in arguments:
            if name not in ARGUMENTS:
                raise CommandError(f"-a {name}: crawl {self.name} takes {', '.join(ARGUMENTS)}; crawl site takes more")
        crawl_settings = read_crawl_settings(settings, SpiderArguments.of(arguments))
        data_dir = crawl_settings.data_dir
        if data_dir == base_folder():
            if not crawl_settings.seeds and self.needs_seeds:
                raise CommandError(f"crawl {self.name} needs a site: give -a seeds=URL")
            data_dir = self.folder(next(iter(crawl_settings.seeds), ""))
        if index_folder(data_dir).exists():
            raise CommandError(
                f"{data_dir} has a search index, which {self.noun} does not update: name another folder with --data"
            )
        if not crawl_settings.seeds and not holds_a_crawl(data_dir):
            raise CommandError(f"{data_dir} stores no seeds: give -a seeds=URL")
        if mistake := self.mistake(settings, data_dir):
            raise CommandError(mistake)
        for name, value in {"DATA_DIR": str(data_dir), "INDEX_FOLLOW": False, **self.settings}.items():
            settings.set(name, value, priority="cmdline")

    def finish(self, session: Session, out: TextIO, *, as_json: bool, hurried: bool) -> int:
        """Print the report. Return the exit code: 0 fine, 1 not fine, 2 not complete."""
        try:
            session.database.check_place()
            with CrawlDatabase(session.database.path.parent, readonly=True) as database:
                found = self.read(database)
                last = report(database, session.run.id)["last_run"] or {}
                notices = [*reasons_to_wait(database), *owners_mistakes(database, session.run.id)]
        except DatabaseError as error:
            return _stopped(session.trouble or str(error))
        stopped = hurried or (last.get("ending") != BY_ITSELF and not session.trouble)
        answered = sum(fetched_and_unchanged(last))
        print_last(json_line(found.as_dict()) if as_json else pasteable("\n".join(map(printable, found.lines()))), out)
        for notice in notices:
            print(f"crawl: {printable(pasteable(notice))}", file=sys.stderr)
        if stopped:
            return INTERRUPTED
        if hindrance := session.trouble or found.hindrance(answered=bool(answered)):
            return _stopped(hindrance)
        return DONE if found.is_fine else NO


def _stopped(reason: str) -> int:
    print(f"crawl: {printable(pasteable(reason))}", file=sys.stderr)
    return MISUSED


class LinkCheckCrawl(ReportCrawl):
    """A crawl that checks the links of a site."""

    name = "links"
    settings: ClassVar[Mapping[str, object]] = {"STALE_AFTER": NEVER}
    noun = "a link check"

    def folder(self, first_seed: str) -> Path:
        """Return the folder for the site of a seed."""
        return base_folder() / f"links-{re.sub(r'[^a-z0-9.]+', '-', urlsplit(first_seed).netloc.lower()).strip('-.')}"

    def read(self, database: CrawlDatabase) -> LinkCheck:
        """Check the links that the crawl found."""
        return link_check(database)


class CensusCrawl(ReportCrawl):
    """A crawl that counts pages and stores none."""

    name = "census"
    settings: ClassVar[Mapping[str, object]] = {
        "ITEM_PIPELINES": {"pipelines.item_pipelines.CensusStage": 900},
        "PROBE_AFTER": 0,  # probes are evaluated with stored texts
        "TRAP_PATIENCE": 0,  # without earlier pages, no page can be recognised as new
    }
    noun = "a census"
    needs_seeds = False

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
        with open_to_report(data_dir) as database:
            return keeps_pages(database)
    except NoCrawlError:  # killed before it had tables
        return False
