"""How does another program read what was crawled? As an archive of WARC, made of what the crawl database holds.

It is for crawls that kept no archive while they ran. What is not stored is said in the records, and not made up. A page
that asks not to be kept, that a person has blocked, or that the crawl was made to forget has no copy here either.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, Trouble
from commands.frame.terminal import json_line
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.archives.files import WarcFiles
    from spiders.conduct import Conduct

SAID = {  # of the kinds of what is exported: of one answer, and of several
    "page": ("answer with its body", "answers with their bodies"),
    "robots.txt": ("answer for a robots.txt", "answers for robots.txt files"),
    "answer without a page": (
        "answer without a page: a redirect, what is gone, an error",
        "answers without a page: redirects, what is gone, errors",
    ),
    "visit": (
        "answer that a page is as it was: a revisit record",
        "answers that pages are as they were: revisit records",
    ),
    "without a body": (
        "answer whose body is not stored: told in a metadata record alone",
        "answers whose bodies are not stored: told in metadata records alone",
    ),
    "damaged": (
        "answer whose stored body is damaged: told in a metadata record alone",
        "answers whose stored bodies are damaged: told in metadata records alone",
    ),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--warc", required=True, metavar="FOLDER", help="write WARC files into this folder, which is empty or not there"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with what was written")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Export a crawl."""
    from commands.frame.data_folder import conduct_of, open_to_read
    from extensions.archives.files import WarcFiles

    conduct, folder = conduct_of(settings), Path(arguments.warc)
    began, written = time.monotonic(), Counter[str]()
    with open_to_read(settings.data_dir) as databases, _new_folder(folder):
        files = WarcFiles(folder, settings.getint("WARC_SIZE"), _info(conduct))
        for database in databases:
            written.update(_export(database, files))
        files.close()
    names = sorted(path.name for path in folder.iterdir())
    done = {"folder": str(folder), "files": names, "bytes": sum((folder / name).stat().st_size for name in names)}
    done |= {"written": dict(written.most_common()), "seconds": round(time.monotonic() - began, 3)}
    print(json_line(done) if arguments.json else "\n".join(_lines(done)))
    return DONE if written and not written["damaged"] else NO


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make a folder for what is written. What could not be written whole is taken away again."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Trouble(f"--warc {folder}: there is something already; give a folder that is empty or not there")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Trouble(
            f"--warc {folder}: no folder can be made there ({error.strerror}); give one where you may write"
        ) from None
    try:
        yield
    except BaseException:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        raise


def _info(conduct: Conduct) -> list[tuple[str, str]]:
    """Return the lines of the warcinfo record of each file."""
    from extensions.archives.stored_exchanges import MADE_AGAIN

    identity = conduct.identity
    lines = [("software", "Breadcrumb, export"), ("format", "WARC File Format 1.1"), ("robots", "obey")]
    lines += [("http-header-user-agent", identity.headers["User-Agent"]), ("description", MADE_AGAIN)]
    return lines + ([("http-header-from", identity.contact)] if identity.contact else [])


def _export(database: CrawlDatabase, files: WarcFiles) -> Counter[str]:
    """Write what one database holds; return how much of each kind."""
    from extensions.archives.records import Earlier, group
    from extensions.archives.stored_exchanges import stored_exchanges

    written = Counter[str]()
    with database.one_state():
        for stored in stored_exchanges(database, time.time()):
            exchange = stored.exchange
            records = group(exchange, stored.facts, warcinfo_id=files.room())
            files.append(records.data)
            written[stored.kind] += 1
            earlier = Earlier(exchange.url, exchange.at, records.record, records.payload)
            for visit in stored.visits:
                files.append(group(visit, (), earlier, warcinfo_id=files.room()).data)
                written["visit"] += 1
    return written


def _lines(done: dict[str, Any]) -> Iterator[str]:
    """Yield what a person reads."""
    files = counted(len(done["files"]), "file")
    yield f"{files} in {done['folder']}, {done['bytes'] / 1e6:.1f} MB:"
    for kind, number in done["written"].items():
        yield f"  {counted(number, *SAID[kind])}"
    if not done["written"]:
        yield "  nothing is stored that could be exported"


COMMAND = Command(
    name="export",
    example="--warc demo-archive --data demo",
    exits="0 all is written, 1 nothing could be, or some of it is damaged, 2 it could not be done",
    add_arguments=add_arguments,
    run=run,
)
