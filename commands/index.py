"""`index`: brings the index up to date with the change feed, once, until Ctrl-C, or next to a crawl.

Next to a crawl it is a process of its own, which ends after the crawl with a complete index. Commands that remove pages
update the index themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from commands.frame.command import Command, command_line
from commands.frame.data_folder import damping_under
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.follow_up import finish_stopped_work, recorded_rebuild
from commands.frame.stopping import AGAIN, handle_stops, write_at_once
from crawldb.tables.open_work import REBUILD
from extension_points import call_extensions
from indexer.faults import UPDATE
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from indexer.following import IndexUpdate, StopSignal


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--follow", action="store_true", help="continue until Ctrl-C while pages are crawled")
    how_long.add_argument(
        "--until-closed", action="store_true", help="continue until standard input closes; used by a crawl"
    )
    parser.add_argument("--rebuild", action="store_true", help="rebuild the index; searches use the old one until then")
    for added in call_extensions("command_options", command="index"):
        added.add_arguments(parser)
    parser.add_argument(
        "--snapshot",
        metavar="REPOSITORY",
        help="then save the index in this snapshot repository of the cluster that INDEX names",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Bring the index up to date with the crawl database."""
    from indexer.following import StopSignal
    from indexer.links import PageRankSchedule

    until = StopSignal()
    if arguments.until_closed:
        _end_with_standard_input(until)
    elif arguments.follow:
        signal.signal(signal.SIGINT, _stop_once(until, "after a last commit"))
        signal.signal(signal.SIGTERM, until.stop)
    else:
        until.closed.set()
        signal.signal(signal.SIGINT, _stop_once(until, "committed changes stay", raises=True))
    began = time.monotonic()
    by_itself = not arguments.until_closed and not arguments.follow
    left = finish_stopped_work(settings, settings.data_dir, follow=False) if by_itself else []
    rebuild = arguments.rebuild or any(work.command == REBUILD for work in left)
    work = call_extensions("index_work", arguments=arguments, settings=settings)
    options = {"rebuild": rebuild, "wait_for_lock": arguments.until_closed}
    options |= {"upkeep": PageRankSchedule(damping_under(settings)), "work": work}
    with recorded_rebuild(settings.data_dir) if rebuild and by_itself else nullcontext():
        each = _update(settings.data_dir, until, options)
    if unread := _unread_in(settings.data_dir):
        print(f"index: {unread}", file=sys.stderr)
    kept = _snapshot(arguments.snapshot) if arguments.snapshot else ""
    seconds = time.monotonic() - began
    done = _together(list(each.values()))
    if done.fallback:
        print(f"index: the second process {done.fallback}; the first one did its half", file=sys.stderr)
    if arguments.json:
        numbers: dict[str, Any] = {"put": done.put, "removed": done.removed, "commits": done.commits}
        numbers |= {"documents": done.documents} | {each.name: done.worked.get(each.name, 0) for each in work}
        numbers |= {"snapshot": kept} if kept else {}
        print(json.dumps(numbers | {"complete": done.complete, "seconds": round(seconds, 3)}))
    elif not arguments.until_closed:  # beside a crawl, the crawl speaks
        for folder, one in each.items() if len(each) > 1 else ():
            print(f"{folder.name}: {_sentence(one, seconds)}")
        print(_sentence(done, seconds) + (f" Saved as snapshot {kept}." if kept else ""))
    return DONE if done.complete else NO


def _unread_in(data_dir: Path) -> str:
    """Return a notice on pages without readings; "" if there are none, or in a cluster."""
    from indexer import NoIndex, open_index
    from indexer.analysis.readings import configured_readers, missing_readings
    from indexer.remote import configured_index

    if not configured_readers() or configured_index():
        return ""
    try:
        return missing_readings(open_index(data_dir).snapshot)
    except NoIndex:
        return ""


def _snapshot(repository: str) -> str:
    """Keep the index of a cluster in a repository, and return the name of the snapshot."""
    from indexer.remote import configured_index

    address = configured_index()
    if address is None:
        raise CommandError(
            f"--snapshot {repository}: only a cluster makes snapshots, and INDEX names none. Back up the data folder "
            "instead"
        )
    return address.snapshot(repository)


def _update(data_dir: Path, until: StopSignal, options: dict[str, Any]) -> dict[Path, IndexUpdate]:
    """Update the index of a folder, or the indexes of all parts in parallel."""
    from concurrent.futures import ThreadPoolExecutor

    from crawldb.databases import folders_of
    from indexer.following import update
    from indexer.remote import configured_index
    from indexer.segments.generation import is_outdated

    folders = folders_of(data_dir)
    for folder in filter(is_outdated, folders):
        place = configured_index() or folder / "index"
        print(f"index: {place} has an earlier format and is rebuilt", file=sys.stderr)
    if len(folders) == 1:
        return {data_dir: update(data_dir, until, **options)}

    def one(folder: Path) -> IndexUpdate:
        try:
            return update(folder, until, **options)
        except BaseException:
            until.stop()  # or the others would follow on, and nobody would hear of it
            raise

    with ThreadPoolExecutor(len(folders)) as threads:
        return dict(zip(folders, threads.map(one, folders), strict=True))


def _together(each: Sequence[IndexUpdate]) -> IndexUpdate:
    from indexer.following import IndexUpdate

    return IndexUpdate(
        put=sum(one.put for one in each),
        removed=sum(one.removed for one in each),
        commits=sum(one.commits for one in each),
        documents=sum(one.documents for one in each),
        complete=all(one.complete for one in each),
        fallback=next((one.fallback for one in each if one.fallback), ""),
        worked=sum((Counter(one.worked) for one in each), Counter()),
    )


def _sentence(done: IndexUpdate, seconds: float) -> str:
    held = f"the index holds {counted(done.documents, 'document')}"
    worked = "".join(
        f" {counted(pages, 'page')} {name.replace('_', ' ')}." for name, pages in done.worked.items() if pages
    )
    if not done.complete and not done.commits:
        return "Stopped before the first commit: the index is unchanged."
    if not done.put and not done.removed:
        return f"No changes: {held}.{worked}"
    took = f"in {seconds:.1f} s"
    return f"{counted(done.put, 'document')} added, {done.removed:,} removed, {took}: {held}.{worked}"


def _end_with_standard_input(until: StopSignal) -> None:
    """Finish when standard input closes. Only the crawl handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def read() -> None:
        while os.read(sys.stdin.fileno(), 4096):  # unbuffered: a lock on the buffer would outlive this thread
            pass
        until.closed.set()

    threading.Thread(target=read, daemon=True).start()


def _stop_once(until: StopSignal, how: str, *, raises: bool = False) -> Callable[..., None]:
    """Return a handler that prints how it stops; the second Ctrl-C stops at once, without harm.

    With `raises`, it waits only for other threads, which write the indexes of parts.
    """

    def handle(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        write_at_once(f"index: stopping, {how}; {AGAIN}")
        until.stop()
        if raises:
            raise KeyboardInterrupt

    return handle


class IndexProcess:
    """`index --until-closed` as a child process. It finishes when its standard input closes.

    So it also finishes when the crawl is killed. Ctrl-C does not reach it.
    """

    def __init__(self, data_dir: Path, *, rebuild: bool = False, place: Iterable[str] = ()) -> None:
        words = ["index", "--until-closed", *["--rebuild"] * rebuild]
        command = command_line(words, [f"DATA_DIR={data_dir}", *place])
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

    def finish(self, *, at_once: bool = False) -> bool:
        """Let the index writer catch up and end, or end it now; return whether the index is complete.

        Ctrl-C and SIGTERM end it now, too, and raise KeyboardInterrupt. What it had not committed waits in the feed.
        """
        handle_stops(signal.default_int_handler)  # Scrapy's own handler stops a crawl, and that has ended
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            if at_once:
                self._process.terminate()
            return self._process.wait() == 0
        except KeyboardInterrupt:
            handle_stops(signal.SIG_IGN)  # a second Ctrl-C changes nothing: it is ending already
            self._process.terminate()
            self._process.wait()
            raise


def how_to_complete_index(data_dir: Path) -> str:
    """Return how to complete the index; a damaged one must be rebuilt."""
    from indexer import CorruptIndex, IndexFault, check_index

    try:
        check_index(data_dir)
    except CorruptIndex as damage:
        return str(damage)
    except IndexFault:
        pass  # there is none yet, or its cluster is away: what was crawled waits
    return f"To complete it: {UPDATE}"


def start_index(
    data_dir: Path, database: CrawlDatabase, *, follow: bool, given: Iterable[str] = ()
) -> IndexProcess | None:
    """Start the index writer next to a crawl; None without `follow`.

    INDEX is passed as it was `given`, so that printed commands work. An index that is newer than the crawl database is
    rebuilt.
    """
    from crawldb.pages.feed import Feed
    from indexer import IndexLocked, delete_index
    from indexer.segments.generation import is_ahead

    anew = is_ahead(data_dir, Feed(database))
    if anew:
        print("crawl: the index is newer than the crawl database and is rebuilt", file=sys.stderr)
    if follow:
        place = [assignment for assignment in given if assignment.startswith("INDEX=")]
        return IndexProcess(data_dir, rebuild=anew, place=place)
    if anew:
        with contextlib.suppress(IndexLocked):  # who writes it has seen the same
            delete_index(data_dir)
    return None


def record_index_memory(data_dir: Path, run: int) -> None:
    """Record the peak memory of the index writer, as the last write, and seal the database.

    A write error is ignored here; the summary reports it.
    """
    from crawldb.database import CrawlDatabase, DatabaseError
    from crawldb.tables.runs import Usage, note_usage, peak_of_children

    with contextlib.suppress(DatabaseError), CrawlDatabase(data_dir) as database:
        note_usage(database, run, Usage(index_memory=peak_of_children()))
        database.seal()


COMMAND = Command(
    name="index",
    example="--follow",
    exits="0 the index is complete, 1 stopped before that, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
