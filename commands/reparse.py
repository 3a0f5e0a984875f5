"""What would a changed rule say of the pages that are stored? They are read and judged again, without any fetch.

`--diff` shows what would change, and changes nothing. Else it is stored as a crawl would store it, a slice a
transaction; whoever starts the same command again after a stop or a kill goes on where it ended.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import blake2b
from importlib.resources import files
from multiprocessing import forkserver, resource_tracker
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, Trouble
from commands.frame.terminal import json_line
from commands.reparse_words import ProgressLine, as_json, lines

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.pages.bodies import StoredAnswer
    from frontier.endings.ledger import Ledger
    from pipelines.judges import Criteria
    from pipelines.reparse_run import Chosen, ReparseTally
    from urls.blacklist import Target
    from urls.records import Page

MAX_WORKERS = 64
FEW = 64  # pages that are read sooner than a process has begun
READY_TO_READ = "commands.frame.ready_to_read"
ROOMS = ("robots", "urls", "spiders", "pipelines")  # whose code decides how a page is read and judged


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="URL or SITE",
        help="only these: a page, a folder (ends in /: all below it), a site, or a pattern of either with *",
    )
    parser.add_argument("--site", action="append", default=[], metavar="SITE", help="only this site; may be repeated")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, spread over all and always the same")
    parser.add_argument("--diff", action="store_true", help="show what would change, and change nothing")
    parser.add_argument(
        "--show", type=int, default=3, metavar="N", help="examples of each kind of change that are shown; default 3"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes that read; default: one for each processor")
    parser.add_argument("--json", action="store_true", help="one JSON object with what has changed")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Read and judge stored pages again."""
    from commands.frame.data_folder import conduct_of
    from crawldb.parts.parts import open_to_write
    from urls.blacklist import target_of

    for name, number, most in (("sample", arguments.sample, 0), ("workers", arguments.workers, MAX_WORKERS)):
        if number is not None and (number < 1 or (most and number > most)):
            raise Trouble(f"--{name} {number}: give a number from 1 up{f' to {most}' if most else ''}")
    if arguments.show < 0:
        raise Trouble(f"--show {arguments.show}: give a number of examples from 0 up")
    targets = [target_of(text) for text in (*arguments.targets, *arguments.site)]  # a mistake is told before all else
    began = time.monotonic()
    with open_to_write(settings.data_dir) as databases, _held([database.path.parent for database in databases]):
        stop = Stop()
        if not targets and not _are_few(databases[0], arguments):
            _load_readers_ahead()
        conduct_of(settings)
        told = [_one_part(database, arguments, settings, targets, stop) for database in databases]
    changed = any(tally.changed or tally.others for tally, _ in told)
    index = let_index_follow(settings.data_dir) if changed and not arguments.diff else ""
    done = as_json(told, seconds=time.monotonic() - began, applied=not arguments.diff, index=index)
    print(json_line(done) if arguments.json else "\n".join(lines(done)))
    return DONE if done["complete"] and not done["faults"] else NO


def _are_few(database: CrawlDatabase, arguments: Namespace) -> bool:
    """Say whether this process has read the pages sooner than others have begun, where nobody has said how many."""
    return not arguments.workers and min(arguments.sample or FEW, database.count("SELECT count(*) FROM body")) < FEW


def _load_readers_ahead() -> None:
    """Let the process from which readers are forked load their code while this one loads its own."""
    multiprocessing.get_context("forkserver").set_forkserver_preload([READY_TO_READ])
    resource_tracker.ensure_running()  # it would let the signal through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # it inherits that: Ctrl-C is for this process
    forkserver.ensure_running()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


class Stop:
    """Whether a person has asked for the end: the first Ctrl-C ends after the slice under way, the second at once."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def _held(folders: Sequence[Path]) -> Iterator[None]:
    """Hold the folders of all parts as a crawl does; raise `Trouble` where one is in use."""
    from crawldb.lock import CrawlLock, FolderInUse

    with ExitStack() as stack:
        for folder in folders:
            try:
                stack.callback(CrawlLock(folder).release)
            except FolderInUse as error:
                raise Trouble(str(error)) from None
        yield


def _one_part(
    database: CrawlDatabase, arguments: Namespace, settings: CommandSettings, targets: Sequence[Target], stop: Stop
) -> tuple[ReparseTally, dict[str, int]]:
    """Read the pages of one database again; return what came of it, and why others have no body."""
    from commands.frame.data_folder import conduct_of, policy_for
    from crawldb.pages.rereading import reasons_without_body
    from crawldb.tables.runs import latest_run
    from frontier.endings.ledger import Ledger
    from frontier.spoofing import judge_together
    from pipelines.judges import Criteria, Judges
    from pipelines.readers import Readers
    from pipelines.reparse_run import ReparseRun
    from spiders.parse import parse_again

    conduct, criteria = conduct_of(settings), Criteria.read(settings)
    ledger = Ledger(database, policy_for(database, settings), latest_run(database), conduct.job)
    ledger.journal.run = None  # what it says belongs to no run of a crawl
    rules = f"{code_digest()} {conduct.identity.product} {criteria} {conduct.documents}"
    chosen = _chosen(database, rules, targets, arguments.sample or 0)
    read = partial(parse_again, agent=conduct.identity.product, documents=conduct.documents)
    few = _are_few(database, arguments) or (chosen.pages is not None and len(chosen.pages) < FEW)
    processes = arguments.workers or (0 if few else processors())
    line = ProgressLine()

    def go_on(tally: ReparseTally) -> bool:
        line.tell(tally)
        return not stop.asked

    with Readers(database.path.parent, read, criteria, processes, READY_TO_READ) as readers:
        reparse = ReparseRun(ledger, Judges(database, criteria), arguments.show)
        tally = (reparse.try_out if arguments.diff else reparse.apply)(chosen, readers, go_on)
    if not arguments.diff:
        tally.others += review_sites_templates(ledger, criteria, read, stop)
        judge_together(database, ledger.journal, conduct.job.spoofing)
    line.clear()
    return tally, {} if targets or chosen.sample else dict(reasons_without_body(database))


def review_sites_templates(ledger: Ledger, criteria: Criteria, read: Callable[[StoredAnswer], Page], stop: Stop) -> int:
    """Learn what the sites repeat, and judge those pages again of which that tells otherwise; return how many are."""
    from pipelines.judges import Judges
    from pipelines.template_review import review_templates

    @contextmanager
    def begin() -> Iterator[Ledger]:
        try:
            with ledger.database.transaction():
                yield ledger
        except BaseException:
            ledger.rolled_back()
            raise

    changed = 0
    for found in review_templates(ledger.database, begin, Judges(ledger.database, criteria), read):
        changed += found
        if stop.asked:
            break
    return changed


def _chosen(database: CrawlDatabase, rules: str, targets: Sequence[Target], sample: int) -> Chosen:
    """Return which pages are meant. Raises `Trouble` where a target means none."""
    from frontier.takedown import covered
    from pipelines.reparse_run import Chosen

    pages: set[int] = set()
    for target in targets:
        pages |= {url for url, _ in covered(database, target, "id IN (SELECT url FROM body)")}
    return Chosen(f"{rules} {sorted(map(str, targets))} {sample}", pages if targets else None, sample)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def code_digest() -> str:
    """Return what tells the code that reads and judges from any other: only under the same does a restart go on."""
    digest = blake2b(digest_size=8)
    for room in ROOMS:
        for name, content in sorted(_sources(files(room), room)):
            digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _sources(each, f"{name}/{each.name}")
        elif each.name.endswith(".py"):
            yield f"{name}/{each.name}", each.read_bytes()


def let_index_follow(data_dir: Path, *, begin: bool = False) -> str:
    """Let the index follow what has changed, of each part in its turn; return a sentence on that.

    Where there is no index, none is needed; with `begin` it is made.
    """
    from crawldb.parts.division import folders_of
    from indexer import IndexFault, IndexLocked
    from indexer.following import catch_up
    from indexer.segments.generation import CURRENT_FILE, index_folder

    try:
        for folder in folders_of(data_dir):
            if begin or (index_folder(folder) / CURRENT_FILE).exists():
                catch_up(folder)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "another process"
        return f"The index is written by {by}, which takes over what has changed."
    except (IndexFault, OSError) as fault:
        return f"The index could not follow: {fault}"
    return "The index is up to date."


COMMAND = Command(
    name="reparse",
    example="--diff --sample 200 --data demo",
    exits="0 all was read again, 1 stopped before that or some could not be read, 2 it could not be done",
    add_arguments=add_arguments,
    run=run,
)
