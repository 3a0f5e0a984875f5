"""Where can an extension plug in? Every extension point of Breadcrumb, in one file.

    from extension_points import IndexedField, extends

    @extends
    def index_fields():
        return [IndexedField("author", read_author, label="Author")]

An extension is a module with such functions, each named for the point that it uses; docs/extending.md builds one.
Those that Breadcrumb brings stand in extensions/built_in.txt. An installed package names its extension under the entry
point `breadcrumb.extensions`. What is in neither is not imported. The plugin manager is pluggy, as in pytest.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pluggy

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flask import Blueprint
    from flask.typing import ResponseReturnValue
    from scrapy.crawler import Crawler
    from selectolax.lexbor import LexborHTMLParser

    from commands.frame.command import Command
    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.tables.open_work import OpenWork
    from gateway.searching.question import Question
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
ENTRY_POINT = "breadcrumb.extensions"  # the group under which an installed package names its module
# Names that no added field can have: fields and exact values of the index, operators and kinds of clauses of queries.
RESERVED = frozenset({
    "after", "all", "anchors", "any", "before", "beginning", "body", "description", "field", "file_type", "filetype",
    "headings", "intitle", "inurl", "lang", "language", "phrase", "reading", "site", "template", "title", "url",
    "url_words", "words",
})  # fmt: skip
MAX_FIELD_VALUES = 20  # of one field of one page; further ones are dropped
MAX_VALUE_CHARS = 200  # of one value; the rest is cut off

_hook = pluggy.HookspecMarker(PROJECT)
extends = pluggy.HookimplMarker(PROJECT)


class ExtensionError(ValueError):
    """An installed extension can't be used; the message names it, and says what would work."""


@dataclass(frozen=True, slots=True)
class IndexedField:
    """A field of a page that an extension adds: read from its markup, indexed, ranked, explained and shown.

    `name` is a Python identifier of small letters: queries find a value with `name:value`, and a score names the field
    by it. `read` gets the parsed page before anything is removed from it, and returns the values of the field.
    `label` stands before the values in a result. `weight` is what one occurrence counts in a score; in the text of a
    page it is 1. `length` is how much the length of the field lowers that, from 0 to 1 (`b` of BM25). With `is_name`
    the field counts like a title: it says what a page is called.
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
    search: Callable[[Namespace, Question, CommandSettings], int]
    show: Callable[[Mapping[str, str]], ResponseReturnValue]
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InsideView:
    """A view of the gateway that `/inside` lists: its path, its name there, and a sentence about what it shows.

    It stands behind the view with the path `after`, or at the end.
    """

    path: str
    name: str
    shows: str
    views: Blueprint
    after: str = ""


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """What views answer programs, for `/api/openapi.json`: paths and schemas as OpenAPI 3.1 has them, by name."""

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

    `after` is the label of the rows behind which its own rows stand, such as "fetched". `values` are dataclasses;
    without them the key has an empty list.
    """

    after: str
    key: str
    values: tuple[Any, ...] = ()
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingWeight:
    """A number of the ranking that an extension adds: the setting RANKING and a slider of `/inside/ranking` change it.

    `name` is a Python identifier of small letters. `label` stands at the slider, which goes from 0 to `most`.
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
    """Return engines that keep an index elsewhere than in the data folder: `indexer/remote.py` has what each must do.

    They are asked for where the setting INDEX is not empty. The scheme of its address chooses one.
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
    """Return what can be searched beside the pages."""


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
def stored_copies() -> list[StoredCopies]:  # type: ignore[empty-body]  # as above
    """Return the copies that the extension keeps of pages and robots.txt files."""


@_hook
def abandoned_work(work: OpenWork) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return a sentence where nobody can go on with a command of the extension that was stopped: it is then dropped."""


@_hook
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:  # type: ignore[empty-body]  # as above
    """Return what is known of a canonical URL; None: the crawl does not know it, so that the sections are empty."""


@_hook
def folder_notices(data_dir: Path) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return what a folder holds that commands can't read as a crawl, and what makes one of it: a sentence each.

    It is asked where a command finds no crawl in its data folder.
    """


@_hook
def why_rows(database: CrawlDatabase, url: str) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return what is known of a canonical URL, a row a sentence: `why` and the page `/why` show them."""


@_hook
def report_rows(database: CrawlDatabase) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return rows of `report`, after those of Breadcrumb. Of a divided crawl, each part is asked."""


@_hook
def report_subjects() -> list[ReportSubject]:  # type: ignore[empty-body]  # as above
    """Return reports of their own, which `report NAME` prints."""


@_hook
def ranking_weights() -> list[RankingWeight]:  # type: ignore[empty-body]  # as above
    """Return numbers of the ranking. A contributor of that name gets its number with each query."""


@_hook
def score_contributors(settings: CommandSettings) -> list[ScoreContributor]:  # type: ignore[empty-body]  # as above
    """Return what adds to scores under these settings, beside the words: `indexer/ranking/contribution.py`.

    Called when a command that searches begins. What is returned is asked for each query, by several threads.
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


def built_in() -> list[str]:
    """Return the names of the extensions that Breadcrumb brings, in the order in which they are asked."""
    loader: Any = __spec__.loader  # reads files out of an egg, too
    text: bytes = loader.get_data(str(Path(__file__).parents[1] / "extensions" / "built_in.txt"))
    return text.decode().split()


def _names_an_extension(folder: str) -> bool:
    """Return whether a package that is installed in a folder names an extension."""
    group = f"[{ENTRY_POINT}]"
    return any(group in named.read_text("utf-8") for named in Path(folder).glob("*.*-info/entry_points.txt"))


@cache
def manager() -> pluggy.PluginManager:
    """Return the plugin manager, with every extension that is installed. Raises ExtensionError."""
    found = pluggy.PluginManager(PROJECT)
    found.add_hookspecs(sys.modules[__name__])
    try:
        for name in built_in():
            found.register(import_module(f"extensions.{name}"), name)
        if any(map(_names_an_extension, sys.path)):
            from importlib.metadata import entry_points  # noqa: PLC0415 - it takes longer to load than all of this

            for point in entry_points(group=ENTRY_POINT):
                found.register(point.load(), point.name)
        found.check_pending()
    except Exception as error:
        raise ExtensionError(
            f"an extension can't be loaded: {type(error).__name__}: {error}. Correct it, or uninstall its package; "
            f"`pip list` shows what is installed, and packages name their extensions under {ENTRY_POINT}"
        ) from error
    return found


def called(point: str, **arguments: Any) -> list[Any]:
    """Call an extension point, and return what all extensions return, one after the other."""
    return list(chain.from_iterable(getattr(manager().hook, point)(**arguments)))


@cache
def added_settings() -> dict[str, object]:
    """Return the settings that extensions add, with their defaults. Raises ExtensionError for a name that is none."""
    found: dict[str, object] = {}
    for added in manager().hook.settings():
        for name, default in added.items():
            if not (name.isidentifier() and name.isascii() and name.isupper()) or name in found:
                raise ExtensionError(f"setting {name!r}: give a name in capitals that no other extension uses")
            found[name] = default
    return found


def added_weights() -> tuple[RankingWeight, ...]:
    """Return the numbers of the ranking that extensions add."""
    return tuple(called("ranking_weights"))


@cache
def added_fields() -> tuple[IndexedField, ...]:
    """Return the fields that extensions add, by name. Raises ExtensionError for a name that can't be one."""
    fields = {}
    for field in called("index_fields"):
        if not (field.name.isidentifier() and field.name.isascii() and field.name.islower()):
            raise ExtensionError(f"IndexedField {field.name!r}: give a name of small letters, such as author")
        if field.name in RESERVED:
            raise ExtensionError(f"IndexedField {field.name!r}: Breadcrumb uses this name already, choose another")
        if field.name in fields:
            raise ExtensionError(f"IndexedField {field.name!r} is added twice: uninstall one of the two extensions")
        fields[field.name] = field
    return tuple(fields[name] for name in sorted(fields))


def read_added_fields(page: LexborHTMLParser) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    """Return each added field that a page has with its values, bounded and none twice; and warnings, a sentence each.

    A field that can't be read is a warning of the page, never the loss of it.
    """
    found, warnings = [], []
    for field in added_fields():
        try:
            values = dict.fromkeys(" ".join(value.split())[:MAX_VALUE_CHARS] for value in field.read(page))
        except Exception as error:  # noqa: BLE001 - of code that is not ours, on markup of strangers
            warnings.append(f"the extension that adds {field.name} could not read it: {type(error).__name__}: {error}")
            continue
        if kept := tuple(filter(None, values))[:MAX_FIELD_VALUES]:
            found.append((field.name, kept))
    return tuple(found), tuple(warnings)
