"""Every extension point of Breadcrumb, in one file: what each gets, what it returns, and when it is called.

The built-in extensions stand in extensions/built_in.txt. An installed package names its extension under the entry point
`breadcrumb.extensions`. What is in neither is not imported. The plugin manager is pluggy, as in pytest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pluggy

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from flask import Blueprint
    from flask.typing import ResponseReturnValue
    from scrapy.crawler import Crawler
    from selectolax.lexbor import LexborHTMLParser

    from commands.frame.command import Command
    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.tables.open_work import OpenWork
    from frontier.followers.order import CrawlFollower
    from frontier.job import CrawlJob
    from frontier.url_orders import UrlOrder
    from gateway.search_request import SearchRequest
    from indexer.analysis.readings import WordReader
    from indexer.following import PageWork
    from indexer.ranking.contribution import ScoreContributor
    from indexer.ranking.score import AddedPart
    from indexer.remote import IndexEngine
    from pages.documents import DocumentReader
    from reports.wording import Row
    from spiders.setting_values import ReadableSettings
    from spiders.site import SiteSpider
    from urls.blacklist import Target
    from urls.records import CanonicalUrl

PROJECT = "breadcrumb"

_hook = pluggy.HookspecMarker(PROJECT)
extends = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class IndexedField:
    """A field of a page that an extension adds: read from its markup, indexed, ranked, explained and shown.

    `name` is a Python identifier in lower case: the query operator `name:value`, and the name in a score. `read` gets
    the parsed page before anything is removed from it, and returns the values of the field. `label` is shown before the
    values in a result. `weight` is what one occurrence counts in a score; in the text of a page it is 1. `length` is
    how much the length of the field lowers that, from 0 to 1 (`b` of BM25). With `is_name` the field counts like a
    title: it is a name of the page.
    """

    name: str
    read: Callable[[LexborHTMLParser], Iterable[str]]
    label: str = ""
    weight: float = 1.0
    length: float = 0.5
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class SearchableCollection:
    """Documents other than pages that are searched by `search --in NAME`, and at `/search?in=NAME` under a tab.

    `label` is the plural noun for the documents. `options` are flags that `search` gets for them, with their help.
    `search` prints the results of a query and returns the exit code; `show` gets the parameters of a request and
    returns the page.
    """

    name: str
    label: str
    search: Callable[[Namespace, SearchRequest, CommandSettings], int]
    show: Callable[[Mapping[str, str]], ResponseReturnValue]
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InsideView:
    """A view of the gateway that `/inside` lists: its path, its name there, and a sentence about what it shows.

    It follows the view with the path `after`, or comes last.
    """

    path: str
    name: str
    shows: str
    views: Blueprint
    after: str = ""


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """The views for programs, for `/api/openapi.json`: paths and schemas as OpenAPI 3.1 has them, by name."""

    paths: Mapping[str, Any]
    schemas: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """Options that a command gets. `run` returns the exit code, or None to let the command do its own work."""

    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, CommandSettings], int | None] = lambda *_: None


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """A report of its own, `report NAME`: its help, what stands above it, and how it is read from a data folder.

    `read` returns the object for `--json` and the rows for a person. It raises DatabaseError where there is no crawl.
    """

    name: str
    help: str
    heading: str
    read: Callable[[Path], tuple[Mapping[str, Any], Iterable[Row]]]


class ReportSection(Protocol):
    """A key of `report --json`, with its rows in `report`, which stand behind those of the requests."""

    key: str

    def read(self, database: CrawlDatabase) -> Any:
        """Return the value of the key, ready for JSON; None where a crawl has nothing of the kind."""

    def combine(self, values: Iterable[Any]) -> Any:
        """Return the value of a crawl in parts, from those of its parts."""

    def rows(self, value: Any) -> Iterable[Row]:
        """Return the rows of a value."""

    def closing_lines(self, value: Any) -> list[str]:
        """Return the lines that a crawl prints at its end, for a value."""


@dataclass(frozen=True, slots=True)
class SpiderArgument:
    """An argument of `crawl site`, given as -a NAME=VALUE; a crawl in parts takes it as an option, --NAME VALUE.

    `help` stands in `crawl --help`. `metavar` and `option_help` describe the option; if the value
    is the path of a file, other machines get its content.
    """

    name: str
    help: str
    metavar: str
    option_help: str


@dataclass(frozen=True, slots=True)
class AddedOrder:
    """An order in which the queued URLs of a site are fetched: a value of the setting PRIORITY.

    `choose` gets the value of PRIORITY and the arguments that extensions have added to the spider. Where they choose
    this order, it returns what makes the order over a crawl database; else None. It raises SettingError for arguments
    that can't be used. `frontier/url_orders.py` has the form of an order.
    """

    name: str
    choose: Callable[[str, Mapping[str, str]], Callable[[CrawlDatabase], UrlOrder] | None]


class CrawlRecorder(Protocol):
    """Keeps what a crawl sends and receives. A census, which keeps no page, refuses `setting` and has no recorder."""

    setting: str  # the name of the setting that switches it on

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:
        """Take part in a crawl that is about to begin: its folder is open, and Scrapy's settings can still be changed.

        What it notes in the crawl database goes into `spider.session.store.writer.recorded`. Raises StorageError.
        """


class RemovedCopies(NamedTuple):
    """What `forget` has removed from copies: how many, what `forget --json` has of it, and the same in a sentence."""

    number: int
    fields: dict[str, int]
    sentence: str


class StoredCopies:
    """Copies that an extension keeps in files of the data folder: `forget` and `block` remove what a person takes out.

    A subclass overrides what it needs. A removal is noted within the transaction that takes the pages out, and done
    after it. A kill in between repeats it, so `remove` also runs when a crawl begins and when it ends.
    """

    name = ""  # what `check` calls the copies when it has read them; "": it does not read them
    folder = ""  # below the data folder: these files stay with the part of a crawl that wrote them; "": there is none

    def count(self, databases: Sequence[CrawlDatabase], targets: Sequence[Target]) -> Callable[[], RemovedCopies]:  # noqa: ARG002 - the same for all
        """Count what is about to go; return a function that returns, after that, what was removed."""
        return lambda: RemovedCopies(0, {}, "")

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Note that all copies of a target are to go, within the transaction that takes its pages out."""

    def remove(self, database: CrawlDatabase) -> None:
        """Remove from the files of one part what was noted. Raises StorageError."""

    def remove_from_folder(
        self, data_dir: Path, databases: Sequence[CrawlDatabase], robots_versions: int | None
    ) -> None:
        """Remove from the files of the whole data folder what `forget` or `block` has taken out.

        `databases` are those of the crawl's parts, open for writing. `robots_versions` is how many stored versions of
        robots.txt files were taken out. It is None when a stopped command is finished, and nobody knows the number.
        """

    def faults(self, database: CrawlDatabase) -> Iterable[str]:  # noqa: ARG002 - the same
        """Read all files; yield a sentence for each fault, without a full stop. `check` adds what to do."""
        return ()


@dataclass(frozen=True, slots=True)
class WhySection:
    """Something that an extension knows of a URL: rows of `why`, and a key of `why --json`.

    `after` is the label of the rows behind which its own rows stand: "found", "fetched" or "moved". `value` is ready
    for JSON.
    """

    after: str
    key: str
    value: Any
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingWeight:
    """A number of the ranking that an extension adds: the setting RANKING and a slider of `/inside/ranking` change it.

    `name` is a Python identifier in lower case. `label` is the text of the slider, which goes from 0 to `most`.
    """

    name: str
    default: float
    label: str
    most: float = 5


@dataclass(frozen=True, slots=True)
class SearchSchema:
    """What an extension adds to the response of `/api/search`, for `/api/openapi.json`.

    `results` and `hit` are properties that it may have, each as JSON Schema; `parts` are kinds of parts of a score.
    """

    results: Mapping[str, Any]
    hit: Mapping[str, Any]
    parts: tuple[type[AddedPart], ...] = ()


@dataclass(frozen=True, slots=True)
class IndexWork:
    """Work on the pages of an index that the index writer does while there is no news, and before it ends.

    `name` says what was done to a page, as `index --json` names the number of such pages: "read_by_meaning". `begin`
    gets a data folder, whose index is locked for writing, and returns the work; `indexer/following.py` has its form.
    """

    name: str
    begin: Callable[[Path], PageWork]


@_hook
def index_fields() -> list[IndexedField]:  # type: ignore[empty-body]  # pluggy asks for the signature alone
    """Return fields that pages are indexed by. An index that has other fields is made again."""


@_hook
def index_engines() -> list[IndexEngine]:  # type: ignore[empty-body]  # as above
    """Return engines that keep an index elsewhere than in the data folder: `indexer/remote.py` has their interface.

    Called if the setting INDEX is not empty. The scheme of its address chooses one.
    """


@_hook
def document_readers(settings: ReadableSettings) -> list[DocumentReader]:  # type: ignore[empty-body]  # as above
    """Return readers of files that are no markup: `pages/documents.py` has what each must do.

    Called when a crawl, or a command that reads pages, begins. Raise SettingError for a setting that can't be used.
    """


@_hook
def commands() -> list[Command]:  # type: ignore[empty-body]  # as above
    """Return commands of the launcher. Each has a name of its own, and a `summary`."""


@_hook
def command_options(command: str) -> list[CommandOptions]:  # type: ignore[empty-body]  # as above
    """Return options for a command, by its name. So far `robots` asks for them, and `index` for those alone."""


@_hook
def searchable_collections() -> list[SearchableCollection]:  # type: ignore[empty-body]  # as above
    """Return further collections of documents, next to the pages."""


@_hook
def views() -> list[Blueprint]:  # type: ignore[empty-body]  # as above
    """Return views of the gateway, as blueprints of Flask. They are read-only, and see what any visitor sees."""


@_hook
def inside_views() -> list[InsideView]:  # type: ignore[empty-body]  # as above
    """Return views that `/inside` lists. They are registered as those of `views` are."""


@_hook
def api_descriptions() -> list[ApiDescription]:  # type: ignore[empty-body]  # as above
    """Return what `/api/openapi.json` says of the views that answer programs."""


@_hook
def settings() -> dict[str, object]:  # type: ignore[empty-body]  # as above
    """Return settings with their defaults. A name is in capitals, and a value has the type of its default."""


@_hook
def crawl_recorders(settings: ReadableSettings) -> list[CrawlRecorder]:  # type: ignore[empty-body]  # as above
    """Return what records a crawl with these settings; raise SettingError for a value that can't be used."""


@_hook
def spider_arguments() -> list[SpiderArgument]:  # type: ignore[empty-body]  # as above
    """Return arguments of `crawl site`."""


@_hook
def url_orders() -> list[AddedOrder]:  # type: ignore[empty-body]  # as above
    """Return orders in which the queued URLs of a site are fetched."""


@_hook
def crawl_begins(database: CrawlDatabase, job: CrawlJob) -> None:
    """Take part in the start of a run: its folder is open, its seeds are queued, and no URL is leased yet."""


@_hook
def crawl_followers(database: CrawlDatabase, job: CrawlJob) -> list[CrawlFollower]:  # type: ignore[empty-body]  # as above
    """Return what follows from each stored page and each request: `frontier/followers/order.py` has its form.

    Followers are called within the transaction that ends the lease. Called when a crawl, `reparse` or `import` begins.
    """


@_hook
def stored_copies() -> list[StoredCopies]:  # type: ignore[empty-body]  # as above
    """Return the copies that the extension keeps of pages and robots.txt files."""


@_hook
def abandoned_work(work: OpenWork) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return a sentence if a stopped command of the extension can never be continued: it is then dropped."""


@_hook
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:  # type: ignore[empty-body]  # as above
    """Return what is known of a canonical URL; None: the crawl does not know it, so the sections are empty."""


@_hook
def folder_notices(data_dir: Path) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return what a folder holds that commands can't read as a crawl, and what makes one of it: a sentence each.

    Called if a command finds no crawl in its data folder.
    """


@_hook
def why_rows(database: CrawlDatabase, url: str) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return what is known of a canonical URL, a row a sentence: `why` and the page `/why` show them."""


@_hook
def report_rows(database: CrawlDatabase) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return rows of `report`, after those of Breadcrumb. For a crawl in parts, it is called for each part."""


@_hook
def report_sections() -> list[ReportSection]:  # type: ignore[empty-body]  # as above
    """Return keys of `report --json`, with their rows."""


@_hook
def report_subjects() -> list[ReportSubject]:  # type: ignore[empty-body]  # as above
    """Return reports of their own, which `report NAME` prints."""


@_hook
def ranking_weights() -> list[RankingWeight]:  # type: ignore[empty-body]  # as above
    """Return numbers of the ranking. A contributor of that name gets its number with each query."""


@_hook
def score_contributors(settings: CommandSettings) -> list[ScoreContributor]:  # type: ignore[empty-body]  # as above
    """Return further parts of a score under these settings: `indexer/ranking/contribution.py` has their interface.

    Called when a command that searches begins. Each contributor is called for each query, by several threads.
    """


@_hook
def search_schemas() -> list[SearchSchema]:  # type: ignore[empty-body]  # as above
    """Return what `/api/openapi.json` says of added parts of the response of `/api/search`."""


@_hook
def settings_chosen(settings: ReadableSettings) -> None:
    """Learn the settings of a command that begins, `crawl` among them; they hold for all that this process does."""


@_hook
def word_readers() -> list[WordReader]:  # type: ignore[empty-body]  # as above
    """Return what reads words of a language aloud, in this process: `indexer/analysis/readings.py` has its form.

    Called for each page that is indexed and for each query. What can't read yet says so.
    """


@_hook
def index_work(arguments: Namespace, settings: CommandSettings) -> list[IndexWork]:  # type: ignore[empty-body]  # as above
    """Return the work that `index` is to do under its options and these settings, called when it begins."""
