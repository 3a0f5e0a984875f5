"""How do robots.txt files of others come into the collection? Imported: searched and counted, and never obeyed.

They stand in the crawl database beside those that were fetched, marked with the collection from which they come; no
crawl reads its rules there. Each is stored once, however often it is imported. What was stored before Ctrl-C stays.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.exits import DONE, MISUSED, NO
from commands.frame.terminal import hanging, json_line, pasteable, printable
from extensions.robots_files.collections import NotTaken, files_in
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.tables.robots_versions import ImportedFile

BATCH = 200  # files a transaction: a crawl that writes meanwhile waits for milliseconds
TOLD = 5  # things that can't be used are told of each collection; of more, how many


@dataclass(slots=True)
class Taken:
    """What came of one name on the command line."""

    given: str
    imported: int = 0
    known: int = 0  # were there already
    unusable: list[NotTaken] = field(default_factory=list)  # the first of them
    more: int = 0  # unusable ones that are not told one by one
    refused: int = 0

    def note(self, found: NotTaken) -> None:
        """Remember what could not be used."""
        self.refused += not found.cut
        if len(self.unusable) < TOLD:
            self.unusable.append(found)
        else:
            self.more += 1


def import_collections(arguments: Namespace, settings: CommandSettings) -> int:
    """Take collections into the data folder, and index them."""
    from commands.frame.data_folder import holds_a_crawl
    from crawldb.parts.parts import open_to_write
    from extensions.robots_files.index.collection import RobotsCollection

    began, versions = time.monotonic(), 0
    taken: list[Taken] = []
    with ExitStack() as stack:
        # Where nothing can be taken, no crawl is made.
        opened = cache(lambda: stack.enter_context(open_to_write(settings.data_dir, make=True)))
        try:
            for given in arguments.collections:
                taken.append(Taken(given))
                _take(opened, taken[-1])
        except KeyboardInterrupt:
            stored = counted(sum(one.imported for one in taken), "file")
            print(f"Interrupted: {stored} imported, and the same command goes on from there.", file=sys.stderr)
            raise
        if holds_a_crawl(settings.data_dir):
            with RobotsCollection.open(settings.data_dir, opened()) as collection:
                versions = len(collection)
    seconds = time.monotonic() - began
    if arguments.json:
        print(json_line({"collections": list(map(asdict, taken)), "versions": versions, "seconds": round(seconds, 3)}))
    else:
        print(*chain.from_iterable(map(_lines, taken)), sep="\n")
        if any(one.imported or one.known for one in taken):
            print(f"The index of robots.txt files has {counted(versions, 'version')}; {seconds:.1f} s.")
            print(pasteable("To search in them: ./breadcrumb search 'agent:Googlebot disallow:/' --in robots"))
    if not any(one.imported or one.known for one in taken):
        return MISUSED
    return NO if any(one.refused for one in taken) else DONE


def _take(opened: Callable[[], Sequence[CrawlDatabase]], taken: Taken) -> None:
    """Store what one name means, a batch a transaction."""
    from crawldb.parts.division import held_by
    from crawldb.tables.robots_versions import put_imported, site_of_version

    path = Path(taken.given)
    label = path.absolute().name or "/"
    files_left = _usable(path, taken)
    while batch := list(islice(files_left, BATCH)):
        databases = opened()
        part = held_by(databases[0])
        homes: dict[int, list[ImportedFile]] = {}
        for file in batch:
            site = site_of_version(file.origin, file.name)
            homes.setdefault(part.owner(site) - 1 if site else 0, []).append(file)
        for home, files in homes.items():
            with databases[home].transaction():
                new = sum(put_imported(databases[home], file, label) for file in files)
            taken.imported += new
            taken.known += len(files) - new


def _usable(path: Path, taken: Taken) -> Iterator[ImportedFile]:
    try:
        for found in files_in(path):
            if isinstance(found, NotTaken):
                taken.note(found)
            else:
                yield found
    except (OSError, ValueError) as error:
        taken.note(NotTaken(taken.given, f"{getattr(error, 'strerror', None) or error}"))


def _lines(taken: Taken) -> Iterator[str]:
    known = f", {counted(taken.known, 'file')} known already" if taken.known else ""
    yield from hanging("", printable(f"{taken.given}: {counted(taken.imported, 'file')} imported{known}."), 0)
    if not (taken.imported or taken.known or taken.unusable):
        yield "  Nothing is in it: give a robots.txt, a folder of them, or a collection in JSON lines."
    for one in taken.unusable:
        yield from hanging("", printable(f"{one.where}: {one.reason}."), 2)
    if taken.more:
        yield f"  and {counted(taken.more, 'more thing')} that can't be used"
