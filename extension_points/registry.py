"""Which extensions are there, and what do they add? They are the built-in ones, and those of installed packages."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from extension_points import points
from extension_points.points import PROJECT

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from crawldb.database import CrawlDatabase
    from extension_points.additions import AddedTables, IndexedField, RankingWeight

ENTRY_POINT = "breadcrumb.extensions"  # the group under which an installed package names its module
# An added field can't have these names: fields and exact values of the index, operators and kinds of query clauses.
RESERVED = frozenset({
    "after", "all", "anchors", "any", "before", "body", "description", "field", "file_type", "filetype",
    "headings", "intitle", "inurl", "lang", "language", "phrase", "prefix", "reading", "site", "template", "title",
    "url", "url_words", "words",
})  # fmt: skip
MAX_FIELD_VALUES = 20  # of one field of one page; further ones are dropped
MAX_VALUE_CHARS = 200  # of one value; the rest is cut off


class ExtensionError(ValueError):
    """An unusable extension. The message names the problem and the remedy."""


def built_in() -> list[str]:
    """Return the names of the built-in extensions, in the order in which they are called."""
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
    found.add_hookspecs(points)
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


def call_extensions(point: str, **arguments: Any) -> list[Any]:
    """Call an extension point, and return the results of all extensions, one after the other."""
    return list(chain.from_iterable(getattr(manager().hook, point)(**arguments)))


@cache
def added_settings() -> dict[str, object]:
    """Return the settings that extensions add, with their defaults. Raises ExtensionError for an invalid name."""
    found: dict[str, object] = {}
    for added in manager().hook.settings():
        for name, default in added.items():
            if not (name.isidentifier() and name.isascii() and name.isupper()) or name in found:
                raise ExtensionError(f"setting {name!r}: give a name in capitals that no other extension uses")
            found[name] = default
    return found


@cache
def added_tables() -> tuple[AddedTables, ...]:
    """Return the tables that extensions add. Raises ExtensionError for a script that is cut off."""
    from sqlite3 import complete_statement  # noqa: PLC0415 - a search has no use for a database

    found = tuple(call_extensions("tables"))
    for added in found:
        if not all(map(complete_statement, added.steps)):
            raise ExtensionError(f"AddedTables {added.name!r}: end the last statement of each step with a semicolon")
    return found


def areas_apart(database: CrawlDatabase) -> frozenset[str]:
    """Return the areas whose pages are kept apart in the index of a crawl."""
    return frozenset(call_extensions("areas_apart", database=database))


def added_weights() -> tuple[RankingWeight, ...]:
    """Return the numbers of the ranking that extensions add."""
    return tuple(call_extensions("ranking_weights"))


@cache
def added_fields() -> tuple[IndexedField, ...]:
    """Return the fields that extensions add, by name. Raises ExtensionError for an invalid name."""
    fields = {}
    for field in call_extensions("index_fields"):
        if not (field.name.isidentifier() and field.name.isascii() and field.name.islower()):
            raise ExtensionError(f"IndexedField {field.name!r}: give a name of small letters, such as author")
        if field.name in RESERVED:
            raise ExtensionError(f"IndexedField {field.name!r}: Breadcrumb uses this name already, choose another")
        if field.name in fields:
            raise ExtensionError(f"IndexedField {field.name!r} is added twice: uninstall one of the two extensions")
        fields[field.name] = field
    return tuple(fields[name] for name in sorted(fields))


def read_added_fields(page: LexborHTMLParser) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    """Return each added field of a page with its values, bounded and without repeats, and warnings, a sentence each.

    A field that can't be read gives the page a warning. The page is never lost.
    """
    found, warnings = [], []
    for field in added_fields():
        try:
            values = dict.fromkeys(" ".join(value.split())[:MAX_VALUE_CHARS] for value in field.read(page))
        except Exception as error:  # noqa: BLE001 - code that is not ours, on markup of strangers
            warnings.append(f"the extension that adds {field.name} could not read it: {type(error).__name__}: {error}")
            continue
        if kept := tuple(filter(None, values))[:MAX_FIELD_VALUES]:
            found.append((field.name, kept))
    return tuple(found), tuple(warnings)
