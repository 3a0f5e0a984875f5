"""Which Whoosh folder is served, what are its fields called, and may it be opened?

Whoosh keeps its schema, its table of contents and its stored fields as pickles, and reading a pickle runs the code that
its maker put in. So a folder is opened only if `crawl textbook` made it here, or where TRUST_PICKLES says so.

`crawl textbook` leaves a mark in its folder: the inode number of the folder, in a file of its own. An unpacked archive
or a copy has another inode number, so a mark that comes along with foreign files does not count.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.faults import UnreadableWhoosh
from indexer.remote import VARIABLE, WHOOSH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whoosh.index import FileIndex

FOLDER = "whoosh"  # of the textbook engine's index, in its data folder
MARK = "made-by-breadcrumb"
FIELDS_VARIABLE, TRUST_VARIABLE = "BREADCRUMB_WHOOSH_FIELDS", "BREADCRUMB_TRUST_PICKLES"
# What programs call these fields, the likeliest name first; Whoosh's own tutorial has title, path and content.
USUAL_NAMES = {"url": ("url", "path"), "title": ("title",), "text": ("text", "content", "body")}
_CONTENTS = re.compile(r"_(.+)_[0-9]+\.toc")
_MAIN = "MAIN"  # the name of an index to which its program gave none


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The names of the fields in a schema; `title` and `text` may be missing ("")."""

    url: str
    title: str
    text: str

    @property
    def searched(self) -> list[str]:
        """The fields in which words are looked for."""
        return [name for name in (self.title, self.text) if name]


def use_whoosh_settings(fields: Sequence[str], *, trusted: bool) -> None:
    """Let this process, and all that it starts, read Whoosh folders by WHOOSH_FIELDS and TRUST_PICKLES."""
    _read_fields(fields)
    os.environ[FIELDS_VARIABLE] = ",".join(fields)
    os.environ[TRUST_VARIABLE] = "yes" if trusted else "no"


def whoosh_folder(data_dir: Path) -> Path | None:
    """Return the Whoosh folder that is searched: the one that INDEX names, or that of a textbook crawl.

    None: the index is of another kind.
    """
    place = os.environ.get(VARIABLE, "")
    if place.startswith(WHOOSH):
        return Path(place.removeprefix(WHOOSH))
    folder = data_dir / FOLDER
    if place or not (folder / MARK).is_file():
        return None
    from crawldb.database import FILE_NAME  # noqa: PLC0415 - most folders have no such index, and need not wait

    return None if (data_dir / FILE_NAME).exists() else folder  # a crawl by crawl site goes before it


def mark_as_ours(folder: Path) -> None:
    """Make a folder for an index that we write, and leave our mark. Raises UnreadableWhoosh for somebody's index."""
    folder.mkdir(parents=True, exist_ok=True)
    if _indexes_in(folder) and not _is_ours(folder):
        finding = "crawl textbook did not make it at this place, so nothing is written into it"
        raise UnreadableWhoosh(folder, finding, "Give --data the name of another folder")
    (folder / MARK).write_text(f"{folder.stat().st_ino}\n")


def check_trusted(folder: Path) -> None:
    """Raise UnreadableWhoosh where the index in a folder was not made here, and nobody said to trust it."""
    if os.environ.get(TRUST_VARIABLE) != "yes" and not _is_ours(folder):
        raise UnreadableWhoosh(
            folder,
            "crawl textbook did not make it at this place, or it was copied since. Whoosh's files are "
            "pickles: whoever made them can run any program on this machine when they are read",
            "If you trust whoever made it, give -s TRUST_PICKLES=yes",
        )


def open_folder(folder: Path) -> FileIndex:
    """Open the index in a folder, read-only. Raises UnreadableWhoosh, which says what would work."""
    from whoosh.index import IndexVersionError, open_dir  # noqa: PLC0415 - whoever only asks for the folder need not wait

    names = _indexes_in(folder)
    if _MAIN not in names:
        held = f"it holds only an index of the name {min(names)}" if names else "there is no Whoosh index in it"
        raise UnreadableWhoosh(
            folder, held, "crawl textbook -a seeds=URL makes one in DATA_DIR/whoosh, and so does whoosh.index.create_in"
        )
    check_trusted(folder)
    try:
        return open_dir(str(folder), readonly=True)
    except IndexVersionError as error:
        raise UnreadableWhoosh(
            folder, f"it has another format ({error})", "Write it again with whoosh3, the fork that is used here"
        ) from error
    except Exception as error:  # a pickle that is damaged can raise anything
        raise UnreadableWhoosh(
            folder, f"its table of contents can't be read: {error!r}", "Write the index again, or bring back a copy"
        ) from error


def field_names(index: FileIndex, folder: Path) -> FieldNames:
    """Return how the schema of an index names our fields. Raises UnreadableWhoosh where it lacks one that is needed."""
    chosen = _read_fields([each for each in os.environ.get(FIELDS_VARIABLE, "").split(",") if each])
    schema = index.schema
    there = ", ".join(schema.names())
    cure = "Name the fields with -s WHOOSH_FIELDS=url=NAME,title=NAME,text=NAME (docs/settings.md)"
    for ours, theirs in chosen.items():
        if theirs not in schema:
            raise UnreadableWhoosh(folder, f"WHOOSH_FIELDS says {ours}={theirs}, and its schema has only {there}", cure)
    found = {
        ours: chosen.get(ours) or next((name for name in usual if name in schema), "")
        for ours, usual in USUAL_NAMES.items()
    }
    names = FieldNames(**found)
    if not names.url or not schema[names.url].stored:
        raise UnreadableWhoosh(folder, f"no field is stored that has the address of a page; it has {there}", cure)
    if not any(schema[name].indexed and schema[name].analyzer for name in names.searched):
        raise UnreadableWhoosh(folder, f"no field has the words of its pages; it has {there}", cure)
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
    """Return the names of the indexes in a folder, by its files alone: no pickle is read."""
    try:
        return {found[1] for path in folder.iterdir() if (found := _CONTENTS.fullmatch(path.name))}
    except OSError:
        return set()
