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
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flask import Blueprint
    from flask.typing import ResponseReturnValue
    from selectolax.lexbor import LexborHTMLParser

    from commands.frame.command import Command
    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from gateway.searching.question import Question
    from indexer.remote import IndexEngine
    from pages.documents import DocumentReader
    from reports.wording import Row
    from spiders.setting_values import ReadableSettings

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
    run: Callable[[Namespace, CommandSettings], int | None]


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """A report of its own, `report NAME`: its help, what stands above it, and how it is read from a data folder.

    `read` returns the object for `--json` and the rows for a person. It raises DatabaseError where there is no crawl.
    """

    name: str
    help: str
    heading: str
    read: Callable[[Path], tuple[Mapping[str, Any], Iterable[Row]]]


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
    """Return options for a command, by its name. So far `robots` asks for them."""


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
def why_rows(database: CrawlDatabase, url: str) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return what is known of a canonical URL, a row a sentence: `why` and the page `/why` show them."""


@_hook
def report_rows(database: CrawlDatabase) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return rows of `report`, after those of Breadcrumb. Of a divided crawl, each part is asked."""


@_hook
def report_subjects() -> list[ReportSubject]:  # type: ignore[empty-body]  # as above
    """Return reports of their own, which `report NAME` prints."""


@_hook
def taken_down(data_dir: Path, databases: Sequence[CrawlDatabase], robots_versions: int | None) -> None:
    """Erase what an extension keeps in files of its own of what `forget` or `block` has just taken out of the crawl.

    `databases` are those of the crawl's parts, open to write. `robots_versions` is how many stored versions of
    robots.txt files were among it; None where a command that was stopped is finished, and nobody knows.
    """


def built_in() -> list[str]:
    """Return the names of the extensions that Breadcrumb brings, in the order in which they are asked."""
    return _text_of("built_in.txt").split()


def _text_of(path: str) -> str:
    loader: Any = __spec__.loader  # reads files out of an egg, too
    text: bytes = loader.get_data(str(Path(__file__).parents[1] / "extensions" / path))
    return text.decode()


def added_settings() -> dict[str, Any]:
    """Return the settings of built-in extensions with their defaults, which stand in the `settings.toml` of each.

    No extension is imported for that, and no plugin manager made: it takes longer than the rest of a short command.
    """
    found: dict[str, Any] = {}
    for name in built_in():
        with suppress(OSError):  # it has none
            found |= tomllib.loads(_text_of(f"{name}/settings.toml"))
    return found


@cache
def manager() -> pluggy.PluginManager:
    """Return the plugin manager, with every extension that is installed. Raises ExtensionError."""
    found = pluggy.PluginManager(PROJECT)
    found.add_hookspecs(sys.modules[__name__])
    try:
        for name in built_in():
            found.register(import_module(f"extensions.{name}"), name)
        found.load_setuptools_entrypoints(ENTRY_POINT)
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
