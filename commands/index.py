"""How does the index learn what was crawled? It follows the change feed: until now, until Ctrl-C, or beside a crawl."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from commands.command import Command
from commands.exits import DONE, NO

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from commands.command_settings import CommandSettings
    from indexer.following import Followed, Until


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--follow", action="store_true", help="go on until Ctrl-C, as pages are crawled")
    how_long.add_argument(
        "--until-closed", action="store_true", help="go on until standard input closes: so a crawl runs it beside it"
    )
    parser.add_argument(
        "--rebuild", action="store_true", help="make the index anew; searches use the old one meanwhile"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with what was done")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Bring the index up to date with the crawl database."""
    from indexer.following import Until

    until = Until()
    if arguments.until_closed:
        _end_with_standard_input(until)
    elif arguments.follow:
        signal.signal(signal.SIGINT, _stop_once(until))
        signal.signal(signal.SIGTERM, until.stop)
    else:
        until.closed.set()
    began = time.monotonic()
    each = _update(settings.data_dir, until, rebuild=arguments.rebuild, patient=arguments.until_closed)
    seconds = time.monotonic() - began
    done = _together(list(each.values()))
    if arguments.json:
        numbers = {"put": done.put, "removed": done.removed, "commits": done.commits, "documents": done.documents}
        print(json.dumps(numbers | {"complete": done.complete, "seconds": round(seconds, 3)}))
    elif not arguments.until_closed:  # beside a crawl, the crawl speaks
        for folder, one in each.items() if len(each) > 1 else ():
            print(f"{folder.name}: {_sentence(one, seconds)}")
        print(_sentence(done, seconds))
    return DONE if done.complete else NO


def _update(data_dir: Path, until: Until, *, rebuild: bool, patient: bool) -> dict[Path, Followed]:
    """Bring the index of a folder up to date; of a divided crawl those of all parts, beside each other."""
    from concurrent.futures import ThreadPoolExecutor

    from crawldb.parts.division import folders_of
    from indexer.following import update

    folders = folders_of(data_dir)
    if len(folders) == 1:
        return {data_dir: update(data_dir, until, rebuild=rebuild, patient=patient)}

    def one(folder: Path) -> Followed:
        try:
            return update(folder, until, rebuild=rebuild, patient=patient)
        except BaseException:
            until.stop()  # or the others would follow on, and nobody would hear of it
            raise

    with ThreadPoolExecutor(len(folders)) as threads:
        return dict(zip(folders, threads.map(one, folders), strict=True))


def _together(each: Sequence[Followed]) -> Followed:
    from indexer.following import Followed

    return Followed(
        sum(one.put for one in each), sum(one.removed for one in each), sum(one.commits for one in each),
        sum(one.documents for one in each), all(one.complete for one in each),
    )  # fmt: skip


def _sentence(done: Followed, seconds: float) -> str:
    held = f"the index holds {done.documents:,} pages"
    if not done.put and not done.removed:
        return f"Nothing has changed: {held}."
    return f"{done.put:,} pages put, {done.removed:,} left out or taken out, in {seconds:.1f} s: {held}."


def _end_with_standard_input(until: Until) -> None:
    """Close the feed when standard input closes, however its other end came to that. Ctrl-C is for the crawl."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def read() -> None:
        while os.read(sys.stdin.fileno(), 4096):  # unbuffered: a lock on the buffer would outlive this thread
            pass
        until.closed.set()

    threading.Thread(target=read, daemon=True).start()


def _stop_once(until: Until) -> Callable[..., None]:
    """Return a handler that stops after a last commit; the second Ctrl-C ends at once, which harms nothing either."""

    def handle(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        until.stop()

    return handle


COMMAND = Command(
    name="index",
    summary="bring the index up to date with what was crawled",
    example="--follow",
    exits="0 everything crawled is indexed, 1 stopped before that, 2 it could not be done",
    add_arguments=add_arguments,
    run=run,
)
