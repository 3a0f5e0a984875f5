"""Which Whoosh folder is searched, what are the names of its fields, and is it safe to open?

Whoosh keeps its schema, its table of contents and its stored fields as pickles. Reading a pickle runs the code that its
author put in. So a folder is opened only if `crawl textbook` made it here, or if TRUST_PICKLES allows it.

`crawl textbook` leaves a mark in its folder: a file with the inode number of the folder. A copy or an unpacked archive
has another inode number, so the mark of a foreign folder does not count.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.faults import IndexFault
from indexer.remote import VARIABLE
from spiders.own_folders import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whoosh.index import FileIndex

SCHEME = "whoosh:"  # of INDEX, before the path of a folder
FOLDER = "whoosh"  # in the data folder of the textbook engine
MARK = "made-by-breadcrumb"
FIELDS_VARIABLE, TRUST_VARIABLE = "BREADCRUMB_WHOOSH_FIELDS", "BREADCRUMB_TRUST_PICKLES"
# Usual names of our fields, the likeliest first; Whoosh's own tutorial has title, path and content.
USUAL_NAMES = {"url": ("url", "path"), "title": ("title",), "text": ("text", "content", "body")}
_CONTENTS = re.compile(r"_(.+)_[0-9]+\.toc")
_MAIN = "MAIN"  # the default name of an index


class UnreadableWhoosh(IndexFault):
    """The Whoosh index in `folder` was not opened, or a setting for it is invalid; `remedy` says what to do."""

    def __init__(self, folder: Path | None, finding: str, remedy: str) -> None:
        super().__init__(
            f"{folder}: the Whoosh index is not opened: {finding}. {remedy}" if folder else f"{finding}: {remedy}"
        )


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The names of the fields in a schema; `title` and `text` may be missing ("")."""

    url: str
    title: str
    text: str

    @property
    def searched(self) -> list[str]:
        """The fields to search for words without a field."""
        return [name for name in (self.title, self.text) if name]


def use_whoosh_settings(fields: Sequence[str], *, trusted: bool) -> None:
    """Set WHOOSH_FIELDS and TRUST_PICKLES for this process and its children. Raises UnreadableWhoosh."""
    _read_fields(fields)
    os.environ[FIELDS_VARIABLE] = ",".join(fields)
    os.environ[TRUST_VARIABLE] = "yes" if trusted else "no"


def folder_at(address: str) -> Path:
    """Return the folder of a value of INDEX; a path is relative to the project's folder, as DATA_DIR is."""
    return ROOT / Path(address.removeprefix(SCHEME)).expanduser()


def whoosh_folder(data_dir: Path) -> Path | None:
    """Return the Whoosh folder to search: that of INDEX, or that of a textbook crawl; None for another index."""
    place = os.environ.get(VARIABLE, "")
    if place.startswith(SCHEME):
        return folder_at(place)
    folder = data_dir / FOLDER
    if place or not (folder / MARK).is_file():
        return None
    from crawldb.database import FILE_NAME

    return None if (data_dir / FILE_NAME).exists() else folder  # a crawl by `crawl site` takes precedence


def mark_as_ours(folder: Path) -> None:
    """Make a folder for an index that we write, with our mark. Raises UnreadableWhoosh for a foreign index."""
    folder.mkdir(parents=True, exist_ok=True)
    if _indexes_in(folder) and not _is_ours(folder):
        finding = "crawl textbook did not make this index here, so nothing is written into it"
        raise UnreadableWhoosh(folder, finding, "Give --data the name of another folder")
    (folder / MARK).write_text(f"{folder.stat().st_ino}\n")


def check_trusted(folder: Path) -> None:
    """Raise UnreadableWhoosh if the index in a folder was not made here, and TRUST_PICKLES does not allow it."""
    if os.environ.get(TRUST_VARIABLE) != "yes" and not _is_ours(folder):
        raise UnreadableWhoosh(
            folder,
            "crawl textbook did not make this index here, or it was copied since. Whoosh's files are pickles: reading "
            "them runs any code that their author put in",
            "If you trust the author, give -s TRUST_PICKLES=yes",
        )


def open_folder(folder: Path) -> FileIndex:
    """Open the index in a folder, read-only. Raises UnreadableWhoosh, which says what would work."""
    from whoosh.index import IndexVersionError, open_dir

    names = _indexes_in(folder)
    if _MAIN not in names:
        finding = f"its only index has the name {min(names)}" if names else "it has no Whoosh index"
        raise UnreadableWhoosh(
            folder,
            finding,
            "crawl textbook -a seeds=URL makes one in DATA_DIR/whoosh, and so does whoosh.index.create_in",
        )
    check_trusted(folder)
    try:
        return open_dir(str(folder), readonly=True)
    except IndexVersionError as error:
        raise UnreadableWhoosh(
            folder, f"it has another format ({error})", "Write it again with whoosh3, the fork that Breadcrumb uses"
        ) from error
    except Exception as error:  # a pickle that is damaged can raise anything
        raise UnreadableWhoosh(
            folder, f"its table of contents can't be read: {error!r}", "Write the index again, or restore a copy"
        ) from error


def field_names(index: FileIndex, folder: Path) -> FieldNames:
    """Return the names of our fields in the schema of an index. Raises UnreadableWhoosh if it lacks a necessary one."""
    chosen = _read_fields([each for each in os.environ.get(FIELDS_VARIABLE, "").split(",") if each])
    schema = index.schema
    there = ", ".join(schema.names())
    cure = "Name the fields with -s WHOOSH_FIELDS=url=NAME,title=NAME,text=NAME (docs/settings.md)"
    for ours, theirs in chosen.items():
        if theirs not in schema:
            raise UnreadableWhoosh(folder, f"WHOOSH_FIELDS has {ours}={theirs}, but its schema has only {there}", cure)
    found = {
        ours: chosen.get(ours) or next((name for name in usual if name in schema), "")
        for ours, usual in USUAL_NAMES.items()
    }
    names = FieldNames(**found)
    if not names.url or not schema[names.url].stored:
        raise UnreadableWhoosh(folder, f"no stored field has the URL of a page; its fields are {there}", cure)
    if not any(schema[name].indexed and schema[name].analyzer for name in names.searched):
        raise UnreadableWhoosh(folder, f"no field has the words of its pages; its fields are {there}", cure)
    return names


def _is_ours(folder: Path) -> bool:
    try:
        return (folder / MARK).read_text().strip() == str(folder.stat().st_ino)
    except (OSError, UnicodeDecodeError):
        return False


def _read_fields(assignments: Sequence[str]) -> dict[str, str]:
    chosen = {}
    for each in assignments:
        ours, _, theirs = (part.strip() for part in each.partition("="))
        if ours not in USUAL_NAMES or not theirs:
            raise UnreadableWhoosh(None, f"WHOOSH_FIELDS={each}", "Give url=NAME, title=NAME or text=NAME")
        chosen[ours] = theirs
    return chosen


def _indexes_in(folder: Path) -> set[str]:
    """Return the names of the indexes in a folder, from its file names: no pickle is read."""
    try:
        return {found[1] for path in folder.iterdir() if (found := _CONTENTS.fullmatch(path.name))}
    except OSError:
        return set()
