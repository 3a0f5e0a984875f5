"""A crawl for a report: how does it get a folder of its own, and how is its report printed?

`crawl links` and `crawl census` crawl with the manners of `crawl site`, but into a folder that no search uses: they
make no index, and their settings would not suit one. Each says which settings it needs, which folder it uses where none
is named, and how its report is read from the crawl database.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from commands.frame.command_settings import read_conduct
from commands.frame.data_folder import base_folder, open_to_report
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, Trouble
from commands.frame.terminal import json_line, pasteable, print_as_last, printable
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, NoCrawlError
from crawldb.folders import holds_a_crawl
from frontier.rounds import BY_ITSELF
from indexer.segments.generation import index_folder
from reports.numbers import report
from reports.run_summary import fetched_and_unchanged, owners_mistakes, reasons_to_wait
from spiders.arguments import SpiderArguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import ClassVar, TextIO

    from scrapy.settings import Settings

    from frontier.session import Session


class CrawlReport(Protocol):
    """What such a crawl found."""

    @property
    def is_fine(self) -> bool:
        """Whether the exit code is 0."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""

    def lines(self) -> Iterator[str]:
        """Yield it for a person."""

    def hindrance(self, *, answered: bool) -> str:
        """Return why the exit code can't tell; "": it can. `answered`: a page came in this run."""


class ReportCrawl(ABC):
    """A crawl for a report, into a folder of its own."""

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]  # arguments (-a)
    settings: ClassVar[Mapping[str, object]]  # beside those that hold for all such crawls
    noun: ClassVar[str]  # such as "a check"
    needs_seeds: ClassVar[bool] = True  # unless a folder is named that remembers some

    @abstractmethod
    def folder(self, first_seed: str) -> Path:
        """Return the data folder where no other is named."""

    @abstractmethod
    def read(self, database: CrawlDatabase) -> CrawlReport:
        """Read the report from the crawl database."""

    def mistake(self, settings: Settings, data_dir: Path) -> str:  # noqa: ARG002 - most crawls take any
        """Return why the settings or the folder do not suit this crawl; "": they do."""
        return ""

    def set_up(self, settings: Settings, arguments: dict[str, str]) -> None:
        """Make the settings those of this crawl. Raises `Trouble`, and what else `read_conduct` raises."""
        for name in arguments:
            if name not in self.takes:
                raise Trouble(f"-a {name}: crawl {self.name} takes {', '.join(self.takes)}; crawl site takes more")
        conduct = read_conduct(settings, SpiderArguments.of(arguments))
        data_dir = conduct.data_dir
        if data_dir == base_folder():
            if not conduct.seeds and self.needs_seeds:
                raise Trouble(f"crawl {self.name} needs to know which site: give -a seeds=URL")
            data_dir = self.folder(next(iter(conduct.seeds), ""))
        if index_folder(data_dir).exists():
            raise Trouble(
                f"{data_dir} has a search index, which {self.noun} would not keep up: give --data another name"
            )
        if not conduct.seeds and not holds_a_crawl(data_dir):
            raise Trouble(f"{data_dir} remembers no site: give -a seeds=URL")
        if mistake := self.mistake(settings, data_dir):
            raise Trouble(mistake)
        for name, value in {"DATA_DIR": str(data_dir), "INDEX_FOLLOW": False, **self.settings}.items():
            settings.set(name, value, priority="cmdline")

    def finish(self, session: Session, out: TextIO, *, as_json: bool, hurried: bool) -> int:
        """Print the report, and return the exit code: 0 it is fine, 1 it is not, 2 it is not whole."""
        try:
            session.database.check_place()
            with CrawlDatabase(session.database.path.parent, readonly=True) as database:
                found = self.read(database)
                last = report(database, session.run.id)["last_run"] or {}
                told = [*reasons_to_wait(database), *owners_mistakes(database, session.run.id)]
        except DatabaseError as error:
            return _stopped(session.trouble or str(error))
        stopped = hurried or (last.get("ending") != BY_ITSELF and not session.trouble)
        answered = sum(fetched_and_unchanged(last))
        text = json_line(found.as_dict()) if as_json else pasteable("\n".join(found.lines()))
        print_as_last(text, out)
        for each in told:
            print(f"crawl: {printable(pasteable(each))}", file=sys.stderr)
        if stopped:
            return INTERRUPTED
        if hindrance := session.trouble or found.hindrance(answered=bool(answered)):
            return _stopped(hindrance)
        return DONE if found.is_fine else NO


def found_in(data_dir: Path, ask: Callable[[CrawlDatabase], bool]) -> bool:
    """Return what a question to the crawl database of a folder brings; False where there is none."""
    if not (data_dir / FILE_NAME).exists():
        return False
    try:
        with open_to_report(data_dir) as database:
            return ask(database)
    except NoCrawlError:  # killed before it had tables
        return False


def _stopped(reason: str) -> int:
    print(f"crawl: {printable(pasteable(reason))}", file=sys.stderr)
    return MISUSED
