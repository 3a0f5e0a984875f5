"""What does an extension return? The records and interfaces that the extension points name (points.py)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from flask import Blueprint
    from flask.typing import ResponseReturnValue
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings
    from selectolax.lexbor import LexborHTMLParser

    from commands.crawling.report_crawl import ReportCrawl
    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from frontier.url_orders import UrlOrder
    from gateway.search_request import SearchRequest
    from indexer.following import PageWork
    from indexer.query.deadline import Deadline
    from indexer.ranking.score import AddedPart
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher
    from reports.wording import Row
    from spiders.site import SiteSpider
    from urls.blacklist import Target
    from urls.records import CanonicalUrl
    from urls.site_options import ChosenOption

NotedRow = TypeVar("NotedRow")


@dataclass(frozen=True, slots=True)
class IndexedField:
    """A field of a page that an extension adds: read from its markup, indexed, ranked, explained and shown.

    `name` is a Python identifier in lower case. It is the query operator `name:value`, and the name in a score. `read`
    gets the parsed page before anything is removed from it, and returns the values. A result shows `label` before the
    values. `weight` is the weight of one occurrence; in the text of a page it is 1. `length` is how much a long field
    lowers that, from 0 to 1 (`b` of BM25). With `is_name` the field counts like a title: it is a name of the page.
    """

    name: str
    read: Callable[[LexborHTMLParser], Iterable[str]]
    label: str = ""
    weight: float = 1.0
    length: float = 0.5
    is_name: bool = False


class ForeignIndex(Protocol):
    """An index that another program wrote. `search`, `serve` and `why` read it; no crawl belongs to it."""

    name: str  # what it is, for a sentence: a Whoosh index
    note: str  # what is unknown without a crawl, as sentences without the last full stop

    @property
    def folder(self) -> Path:
        """The folder of the index."""

    def check_trusted(self) -> None:
        """Raise IndexFault if reading it could run code of somebody else."""

    def open_searcher(self) -> Searcher:
        """Open it for searching. Raises IndexFault."""

    def page(self, url: str, query: str, deadline: Deadline | None = None) -> ForeignPage:
        """Look for a URL, and for its rank for a query, or for its own title. Raises IndexFault."""


class ForeignPage(Protocol):
    """A URL as an index of another program has it."""

    @property
    def url(self) -> str:
        """The URL as it was given."""

    @property
    def query(self) -> str:
        """The query of its rank."""

    @property
    def hit(self) -> Hit | None:
        """The result; None if it is none."""

    @property
    def is_known(self) -> bool:
        """Whether the index has it."""

    def rows(self) -> Sequence[Row]:
        """Return it as lines of a report."""

    def as_dict(self) -> Mapping[str, Any]:
        """Return it for JSON, under the names that `why` has for pages of a crawl."""


@dataclass(frozen=True, slots=True)
class SearchableCollection:
    """Documents other than pages. `search --in NAME` searches them, and so does `/search?in=NAME`, under a tab.

    `label` is the plural noun for the documents. `options` are flags that `search` gets for them, with their help.
    `search` prints the results of a query and returns the exit code. `show` gets the parameters of a request and
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

    It follows the view with the path `after`, or comes last. `station` is the step of the picture on `/inside` that it
    shows (extensions/course/inside/picture.py): "Seeds", "Fetch".
    """

    path: str
    name: str
    shows: str
    views: Blueprint
    after: str = ""
    station: str = ""


@dataclass(frozen=True, slots=True)
class OperatorView:
    """A page of the operator: its path below `/admin/`, its name, and a sentence about what it shows.

    `/admin` lists it. It opens after a login. Its forms send `flask.g.form_token` as `token`; a POST without it gets
    403. With `of_query` the search page links to it with its own parameters, if the admin page is on.
    """

    path: str
    name: str
    shows: str
    views: Blueprint
    of_query: bool = False


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """The views for programs in `/api/openapi.json`: paths, schemas and security schemes, as in OpenAPI 3.1."""

    paths: Mapping[str, Any]
    schemas: Mapping[str, Any]
    security: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """Options that a command gets. `run` returns the exit code, or None to let the command do its own work."""

    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, CommandSettings], int | None] = lambda *_: None


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of `export`: its option and what that takes, its help, and a function that writes it.

    `metavar` names the value of the option, or `choices` lists its values. `options` are further options that go with
    this format, each with the keyword arguments of argparse. `write` returns the exit code; `arguments.json` asks for
    one JSON object.
    """

    option: str  # "--warc"
    help: str
    write: Callable[[Namespace, CommandSettings], int]
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """A separate report, `report NAME`: its help, its heading, and a function that reads it from a data folder.

    `read` returns the object for `--json` and the rows for a person. It raises DatabaseError where there is no crawl.
    """

    name: str
    help: str
    heading: str
    read: Callable[[Path], tuple[Mapping[str, Any], Iterable[Row]]]


class ReportSection(Protocol):
    """A key of `report --json`, with its rows in `report`, which follow the rows about requests."""

    key: str

    def read(self, database: CrawlDatabase) -> Any:
        """Return the value of the key, ready for JSON, or None if the crawl has no such data."""

    def combine(self, values: Iterable[Any]) -> Any:
        """Return the value of a crawl in several parts, from the values of its parts."""

    def rows(self, value: Any) -> Iterable[Row]:
        """Return the rows of a value."""

    def closing_lines(self, value: Any) -> list[str]:
        """Return the lines for a value that a crawl prints at its end."""


@dataclass(frozen=True, slots=True)
class SpiderArgument:
    """An argument of `crawl site`, given as -a NAME=VALUE; a crawl in parts takes it as an option, --NAME VALUE.

    `crawl --help` shows `help`. `metavar` and `option_help` describe the option. If the value is the path of a file,
    other machines get its content.
    """

    name: str
    help: str
    metavar: str
    option_help: str


@dataclass(frozen=True, slots=True)
class AddedCrawl:
    """A crawl that ends with a report instead of an index, or one by another engine: `crawl NAME`.

    `crawl --help` shows `help`, and `exits`: its exit codes where they differ. `make` returns a crawl with a report; it
    is called when the crawl begins. `commands/crawling/report_crawl.py` has its interface. `run` runs another engine
    instead: it gets Scrapy's settings, the arguments of -a and the words of -s, and returns the exit code.
    """

    name: str
    help: str
    exits: str = ""
    make: Callable[[], ReportCrawl] | None = None
    run: Callable[[Settings, Mapping[str, str], Sequence[str]], int] | None = None


@dataclass(frozen=True, slots=True)
class AddedOrder:
    """An order in which the queued URLs of a site are fetched: a value of the setting PRIORITY.

    `choose` gets the value of PRIORITY and the arguments that extensions have added to the spider. If they choose this
    order, it returns a function that makes the order over a crawl database, else None. It raises SettingError for
    invalid arguments. `frontier/url_orders.py` has the interface of an order.
    """

    name: str
    choose: Callable[[str, Mapping[str, str]], Callable[[CrawlDatabase], UrlOrder] | None]


class OptionProposal(Protocol):
    """An option of a site that the stored pages speak for, and that an operator may switch on."""

    @property
    def site(self) -> str:
        """The name of the site."""

    @property
    def choice(self) -> ChosenOption:
        """The option, with its names."""

    @property
    def reason(self) -> str:
        """What speaks for it, as the end of a sentence."""

    def as_dict(self) -> dict[str, Any]:
        """Return the proposal for `report --json`: `site`, `option` and `reason`, and further keys."""


class CrawlRecorder(Protocol):
    """Takes part in a crawl: keeps what it sends and receives, logs it in, or runs the scripts of its pages.

    A census keeps no page, so it rejects `setting`. A subclass may leave out `prepare`.
    """

    setting: str  # the name of the setting that switches it on; "": it is always on

    def prepare(self) -> None:
        """Read what the crawl needs, before its folder is opened. Raises SettingError."""
        return  # without it mypy takes the method for abstract

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:
        """Take part in a crawl that is about to begin: its folder is open, and Scrapy's settings can still be changed.

        The recorder's notes in the crawl database go into `spider.session.store.writer.recorded`. Raises StorageError.
        """


class RecorderNotes(ABC, Generic[NotedRow]):
    """Rows that a recorder of a crawl writes into the crawl database, within the transactions that end leases."""

    def __init__(self, database: CrawlDatabase) -> None:
        self.database = database
        self.waiting: list[NotedRow] = []
        self._written: list[NotedRow] = []  # in the open transaction, or in the last one

    def note(self, row: NotedRow) -> None:
        """Take a row. The next transaction that ends a lease writes it."""
        self.waiting.append(row)

    def write(self) -> None:
        """Write the rows that wait, within the caller's transaction."""
        self._written, self.waiting = self.waiting, []
        if self._written:
            self.write_rows(self._written)

    def rolled_back(self) -> None:
        """Write the last rows with the next transaction: this one was rolled back."""
        self._written, self.waiting = [], self._written + self.waiting

    @abstractmethod
    def write_rows(self, rows: Sequence[NotedRow]) -> None:
        """Write rows, within the caller's transaction."""

    @abstractmethod
    def not_kept(self, url: CanonicalUrl) -> None:
        """Remove the records of a URL: its response is not stored."""


class RemovedCopies(NamedTuple):
    """The copies that `forget` has removed: the number, the fields for `forget --json`, and the same in a sentence."""

    number: int
    fields: dict[str, int]
    sentence: str


class StoredCopies:
    """Copies that an extension keeps in files of the data folder. `forget` and `block` remove copies from them.

    A subclass overrides what it needs. The transaction that removes the pages notes the removal; it is done after that.
    A kill in between repeats it, so `remove` also runs when a crawl begins and when it ends.
    """

    name = ""  # the name that `check` gives to the copies that it has read; "": it does not read them
    folder = ""  # below the data folder: these files stay with the part of a crawl that wrote them; "": there is none

    def count(self, databases: Sequence[CrawlDatabase], targets: Sequence[Target]) -> Callable[[], RemovedCopies]:  # noqa: ARG002 - the same for all
        """Count the copies that are about to go. Return a function that returns the removed copies afterwards."""
        return lambda: RemovedCopies(0, {}, "")

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Note that all copies of a target must go, within the transaction that removes its pages."""

    def remove(self, database: CrawlDatabase) -> None:
        """Remove the noted copies from the files of one part. Raises StorageError."""

    def remove_from_folder(
        self, data_dir: Path, databases: Sequence[CrawlDatabase], robots_versions: int | None
    ) -> None:
        """Remove from the files of the whole data folder what `forget` or `block` has removed.

        `databases` are those of the crawl's parts, open for writing. `robots_versions` is the number of removed
        robots.txt versions. It is None when a stopped command is finished: the number is then unknown.
        """

    def faults(self, database: CrawlDatabase) -> Iterable[str]:  # noqa: ARG002 - the same
        """Read all files; yield a sentence for each fault, without a full stop. `check` adds what to do."""
        return ()


@dataclass(frozen=True, slots=True)
class WhySection:
    """Data of an extension about a URL: rows of `why`, and a key of `why --json`.

    `after` is the label of the rows that its own rows follow: "found", "fetched" or "moved". `value` is ready for JSON.
    """

    after: str
    key: str
    value: Any
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingWeight:
    """A number of the ranking that an extension adds. RANKING and a slider of `/inside/ranking` change it."""

    name: str
    default: float
    label: str
    most: float = 5


@dataclass(frozen=True, slots=True)
class SearchSchema:
    """Additions of an extension to the response of `/api/search`, for `/api/openapi.json`.

    `results` and `hit` are properties that it may have, each as JSON Schema. `parts` are classes of score parts.
    """

    results: Mapping[str, Any]
    hit: Mapping[str, Any]
    parts: tuple[type[AddedPart], ...] = ()


@dataclass(frozen=True, slots=True)
class AddedTables:
    """Tables of an extension in the crawl database. `name` names the extension; its tables and triggers begin with it.

    Each of `steps` is an SQL script. The first one makes the tables, and each further one changes what those before it
    have made. So a new version of the extension appends a step. A table that keeps something of a page also has a
    trigger that removes it with the page: `forget` then takes it out even where the extension is not installed.
    """

    name: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexWork:
    """Work on the pages of an index. The index writer does it while no page has changed, and before it ends.

    `name` names the work, and its count of pages in `index --json`: "read_by_meaning". `begin` gets a data folder,
    whose index is locked for writing, and returns the work. `indexer/following.py` has its interface.
    """

    name: str
    begin: Callable[[Path], PageWork]
