"""How do robots.txt files from other sources come into the collection? Imported: searched, counted, and never obeyed.

The crawl database keeps them next to fetched ones, marked with the name of their collection. No crawl reads its rules
there. A second import stores no file twice. Files stored before Ctrl-C stay.

    example.com.txt, example.com/robots.txt     A file. Its name, or that of its folder, is the host.
    FOLDER                                      The files in it.
    files.jsonl, files.jsonl.gz                 A line each: {"origin": "https://example.com", "body": "User-agent: …"}.

A file that begins with `{`, packed or not, is JSON lines; blank lines are skipped. `origin` or `url`, `host`, `site` or
`domain`, or `id` or `name` is the name. The body is `body`, `text`, `robots` or `body_base64`. The date of the fetch is
`fetched_at` or `date` (ISO 8601, or seconds since the epoch). A file named by an invalid host has no known host. A file
with an invalid origin is reported and skipped, and so is an unreadable one. No input takes more memory than its longest
line, which has a bound.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import sys
import time
import zlib
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.exits import DONE, MISUSED, NO
from commands.frame.terminal import hanging, json_line, pasteable, printable
from crawldb.tables.robots_files import MAX_STORED, ImportedFile, put_imported, site_of_version
from reports.wording import counted
from robots import MAX_ROBOTS_BYTES, origin_of, to_utf8

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence
    from io import BufferedReader

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase

BATCH = 200  # files a transaction: a crawl that writes meanwhile waits for milliseconds
TOLD = 5  # unusable inputs reported for each collection; more are only counted
MAX_LINE = 4 * 1024 * 1024  # bytes of a line in JSON: escapes may take six times the 500 KiB of a file
MAX_NAME = 255  # characters
BLANKS = b" \t\r\n\xef\xbb\xbf"  # skipped before JSON, with a byte order mark
LOOKED_AT = 1024  # bytes that decide between a collection and a robots.txt
GZIP = b"\x1f\x8b"
ORIGINS, HOSTS, NAMES = ("origin", "url"), ("host", "site", "domain"), ("id", "name")
BODIES, DATES = ("body", "text", "robots"), ("fetched_at", "date")


@dataclass(slots=True)
class Taken:
    """The result for one name on the command line."""

    given: str
    imported: int = 0
    known: int = 0  # already stored
    unusable: list[NotTaken] = field(default_factory=list)  # the first of them
    more: int = 0  # unusable ones that are only counted
    refused: int = 0

    def note(self, found: NotTaken) -> None:
        """Remember an unusable input."""
        self.refused += not found.cut
        if len(self.unusable) < TOLD:
            self.unusable.append(found)
        else:
            self.more += 1


def import_collections(arguments: Namespace, settings: CommandSettings) -> int:
    """Import collections into the data folder, and index them."""
    from crawldb.databases import open_to_write
    from crawldb.folders import holds_a_crawl
    from extensions.robots_files.index.collection import RobotsCollection

    began, versions = time.monotonic(), 0
    taken: list[Taken] = []
    with ExitStack() as stack:
        # If there is nothing to import, make no crawl.
        opened = cache(lambda: stack.enter_context(open_to_write(settings.data_dir, make=True)))
        try:
            for given in arguments.collections:
                taken.append(Taken(given))
                _take(opened, taken[-1])
        except KeyboardInterrupt:
            stored = counted(sum(one.imported for one in taken), "file")
            print(f"Interrupted: {stored} imported, and the same command continues from there.", file=sys.stderr)
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
    """Store the files of one name, a batch a transaction."""
    from crawldb.databases import held_by

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


@dataclass(frozen=True, slots=True)
class NotTaken:
    """An unusable part of a collection, and the reason; `cut`: it was imported, but changed."""

    where: str
    reason: str
    cut: bool = False


def files_in(path: Path) -> Iterator[ImportedFile | NotTaken]:
    """Yield the robots.txt files that `path` names, and its unreadable parts. Raises OSError."""
    if not path.is_dir():
        yield from _files_of(path)
        return
    for inner in sorted(path.iterdir()):
        try:
            if inner.is_dir():
                yield NotTaken(inner.name, "a folder within a folder is not looked into; give it by itself")
            else:
                yield from _files_of(inner)
        except OSError as error:
            yield NotTaken(inner.name, error.strerror or str(error))


def _files_of(path: Path) -> Iterator[ImportedFile | NotTaken]:
    with ExitStack() as stack:
        file: BufferedReader | gzip.GzipFile = stack.enter_context(path.open("rb"))
        if file.peek(len(GZIP)).startswith(GZIP):
            file = stack.enter_context(gzip.GzipFile(fileobj=file))
        number = 0
        try:
            match file.peek(LOOKED_AT).lstrip(BLANKS)[:1]:
                case b"{":
                    for number, line in enumerate(_json_lines(file), start=1):
                        if line is None or line.strip():
                            yield from _of_line(f"{path.name}, line {number}", line, number)
                case b"[":
                    yield NotTaken(path.name, "one JSON array is not read; write its objects a line each")
                case _:
                    yield from _plain(path, file.read(MAX_STORED))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            where = f"{path.name}, after line {number}" if number else path.name
            yield NotTaken(where, f"the gzip file is damaged here ({error}); what came before is taken")


def _json_lines(file: BufferedReader | gzip.GzipFile) -> Iterator[bytes | None]:
    """Yield the lines of a file; None for a line that is too long, which is skipped in pieces."""
    while line := file.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
        else:
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
            yield None


def _plain(path: Path, raw: bytes) -> Iterator[ImportedFile | NotTaken]:
    if not raw:
        yield NotTaken(path.name, "the file is empty")
        return
    body = to_utf8(raw)
    if b"\0" in body:
        yield NotTaken(path.name, "this is no text, and so no robots.txt")
        return
    if len(raw) >= MAX_STORED:
        yield NotTaken(
            path.name, f"longer than {MAX_ROBOTS_BYTES:,} bytes: the rest is not read by robots either", cut=True
        )
    own = path.name.removesuffix(".gz")
    name = path.absolute().parent.name if own == "robots.txt" else own.removesuffix(".txt").removesuffix(".robots")
    yield ImportedFile(_named(name).lower() or own, "", time.time(), body[:MAX_STORED])


def _of_line(where: str, line: bytes | None, number: int) -> Iterator[ImportedFile | NotTaken]:
    """Read a line of a collection; None: a line that is too long."""
    try:
        said = json.loads(line) if line is not None else {}
    except (ValueError, RecursionError):
        said = None
    now = time.time()
    dates = [said[key] for key in DATES if key in said] if isinstance(said, dict) else []
    at = _moment(dates[0]) if dates else now
    body = _body(said) if isinstance(said, dict) else None
    if line is None:
        reason = f"longer than {MAX_LINE:,} bytes"
    elif not isinstance(said, dict):
        reason = "this is no JSON object"
    elif body is None:
        reason = f"it has no {', '.join(BODIES)} or body_base64 that can be read"
    elif at is None:
        reason = "its date is neither ISO 8601 nor seconds since the epoch"
    else:
        try:
            yield _named_file(said, number, min(at, now), to_utf8(body)[:MAX_STORED])
        except ValueError:
            reason = "its origin is no http or https address of a host"
        else:
            if at <= now:
                return
            yield NotTaken(where, "its date is to come: it is taken as of now", cut=True)
            return
    yield NotTaken(where, reason)


def _named_file(said: dict[str, object], number: int, at: float, body: bytes) -> ImportedFile:
    """Return a file under its origin or, without one, its name. Raises ValueError for an invalid origin."""
    if address := _text(said, ORIGINS):
        origin = origin_of(address)
        if not site_of_version(origin, ""):
            raise ValueError(
                f"_named_file(): {origin} has a host that there can't be; one that works: https://a.example"
            )
        return ImportedFile("", origin, at, body)
    name = _named(_text(said, HOSTS)).lower() or _named(_text(said, NAMES)) or f"line {number}"
    return ImportedFile(name, "", at, body)


def _body(said: dict[str, object]) -> bytes | None:
    for key in BODIES:
        if isinstance(text := said.get(key), str):
            return text.encode("utf-8", "surrogatepass")
    packed = said.get("body_base64")
    try:
        return base64.b64decode(packed, validate=True) if isinstance(packed, str) else None
    except (binascii.Error, ValueError):
        return None


def _text(said: dict[str, object], keys: tuple[str, ...]) -> str:
    found = next((said[key] for key in keys if said.get(key)), "")
    return str(found) if isinstance(found, str | int) else ""


def _named(text: str) -> str:
    """Return a name of a file, cut to MAX_NAME characters, without surrogates."""
    return text.encode("utf-8", "replace").decode()[:MAX_NAME].strip()


def _moment(said: object) -> float | None:
    """Return seconds since the epoch for a time within the calendar; else None."""
    try:
        if isinstance(said, str):
            read = datetime.fromisoformat(said)
            said = (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
        if isinstance(said, int | float) and not isinstance(said, bool):
            return datetime.fromtimestamp(said, UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    return None
