"""Crawls that end with a report instead of an index: extensions add them, such as `crawl links`.

They crawl as politely as `crawl site`, into a data folder of their own that no search uses.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from commands.frame.command_settings import read_crawl_settings
from commands.frame.data_folder import base_folder
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, CommandError
from commands.frame.terminal import json_line, pasteable, print_last, printable
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.folders import holds_a_crawl
from crawldb.tables.runs import BY_ITSELF
from indexer.segments.generation import index_folder
from reports.numbers import report
from reports.summary import fetched_and_unchanged, owners_mistakes, reasons_to_wait
from spiders.arguments import SpiderArguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

    from scrapy.settings import Settings

    from frontier.session import Session

ARGUMENTS = ("seeds", "pages", "each")  # of -a


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
    stores_texts: ClassVar[bool] = True  # of pages; without them, the folder holds a census

    @abstractmethod
    def folder(self, first_seed: str) -> Path:
        """Return the data folder used if no other is named."""

    @abstractmethod
    def read(self, database: CrawlDatabase) -> CrawlReport:
        """Read the report from the crawl database."""

    def mistake(self, settings: Settings, data_dir: Path) -> str:  # noqa: ARG002 - some accept all
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
                numbers = report(database, session.run.id)
                notices = [*reasons_to_wait(numbers), *owners_mistakes(database, session.run.id)]
        except DatabaseError as error:
            return _stopped(session.trouble or str(error))
        last = numbers["last_run"] or {}
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
