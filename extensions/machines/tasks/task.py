"""One task: a machine claims a part, fetches its folder, crawls for one stage, puts the folder back and commits.

A task may run twice, even on two machines at once: no engine can know whether a silent task is dead. The epoch decides
(store/epochs.py): one task crawls at a time, and one commits. The other raises `TaskFailed`, and its pages are fetched
again. If its stage was committed before, a task returns that outcome.

A folder may belong to an earlier division of the crawl. This happens during a split, or after it when the newest folder
of a part is damaged and an older one is used. Such a folder is split first.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase, DatabaseError, newest_schema
from crawldb.figures.totals import sites_with_pages
from crawldb.pages.feed import Feed
from crawldb.parts.division import claim_folder, folder_of, held_by
from crawldb.parts.mailbox import Mailbox
from crawldb.tables.hosts import take_to_this_clock
from extensions.machines.driving.driver import EndedTurn
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.store.epochs import COMMITTED, EpochHeld, EpochOver, kept_or_given_up
from extensions.machines.store.objects import StoreError
from extensions.machines.store.outcomes import EpochOutcome, MessageFile
from extensions.machines.store.part_folders import fetch, fetch_file, put_back, remove_old, stored_as
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tables import gone_from_index, keep_share, number_messages_above
from extensions.machines.tasks.messages import read_messages, write_messages
from extensions.machines.tasks.part_crawl import CrawlFailed, CrawlRefused, PartCrawl
from extensions.machines.tasks.part_index import follow_committed, index_in, make_known, not_beside
from extensions.machines.tasks.run_spec import take
from extensions.machines.tasks.scratch import scratch_folder
from indexer import CorruptIndex, OutdatedIndex, open_writer
from indexer.following import catch_up
from indexer.remote import configured_index
from indexer.segments.generation import index_exists, index_folder
from reports.numbers import report
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crawldb.parts.mailbox import SentMessage
    from crawldb.parts.partition import Partition
    from extensions.machines.store.epochs import EpochSequence, OwnedEpoch
    from extensions.machines.store.part_folders import Fetched

LEASE = 30.0  # seconds of waiting for an owner without a sign of life
LETTERS = "letters"  # the file with a task's messages, next to the folder of the part
PATIENCE = 10  # leases of waiting, beyond a stage's seconds, for an owner with signs of life


class TaskFailed(Exception):
    """A task failed; the message says why, and what would work."""


class TaskRefused(TaskFailed):
    """The crawl rejected its arguments, as that of any other part would: the message names no part."""


@dataclass(frozen=True, slots=True)
class Task:
    """A part in a stage. `words` are the arguments of `crawl site` for seeds, mode and settings.

    The stage ends after `seconds` (0: when nothing is left) or `pages` fetched pages (0: no limit). The messages that
    come with the task were written since the snapshot of stage `letters_from`. `scratch` is a folder of the machine
    that runs it, "" for the usual one.
    """

    store: str
    part: int
    stage: int
    words: tuple[str, ...]
    versions: Versions
    seconds: float = 60.0
    pages: int = 0
    letters_from: int = 0
    lease: float = LEASE
    scratch: str = ""

    def run(self, letters: Iterable[SentMessage]) -> EpochOutcome | EndedTurn:
        """Give the part its turn; none begins in a stopped stage. Raises `TaskFailed`, or `TaskRefused`."""
        if SharedStore.open(self.store).is_stopped(self.stage):
            return EndedTurn(self.part, TurnEnd.CUT_SHORT)
        return crawl_part(self, letters)


def crawl_part(task: Task, letters: Iterable[SentMessage]) -> EpochOutcome:
    """Run a task; return its committed outcome. Raises `TaskFailed`, or `TaskRefused`."""
    try:
        if wrong := task.versions.difference(Versions.here(), f"the executor on {socket.gethostname()}"):
            raise TaskFailed(wrong)
        store = SharedStore.open(task.store)
        patience = task.seconds + PATIENCE * task.lease
        with scratch_folder(task.scratch) as scratch:
            own_task = replace(task, words=tuple(take(store.objects, task.words, scratch)))
            term = store.terms(task.part).claim(name_of_this_process(), task.lease, patience)
            return _Stage(own_task, store, term, scratch).run(letters)
    except CrawlRefused as refusal:
        raise TaskRefused(str(refusal)) from refusal
    except (StoreError, EpochHeld, EpochOver, CrawlFailed, DatabaseError, OSError) as failure:
        raise TaskFailed(f"part {task.part}, stage {task.stage}: {failure}") from failure


def name_of_this_process() -> str:
    """Return the name in this process's claims: a person can find the process by it."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class _Stage:
    """A running task: its epoch, and the folder of its part on this machine."""

    def __init__(self, task: Task, store: SharedStore, term: OwnedEpoch, scratch: Path) -> None:
        self._task = task
        self._store = store
        self._term = term
        self._partition = store.partition(task.part)
        self._folder = folder_of(scratch, self._partition)
        words = [*task.words, "-a", f"part={self._partition}", "-s", f"DATA_DIR={scratch}"]
        words += ["-a", f"pages={task.pages}"] if task.pages else []
        words += not_beside(task.words)
        abandoned = was_abandoned(store.terms(task.part), term.number - 1)
        self._crawl = PartCrawl(words, scratch / "crawl.log", after_abandoned=abandoned)
        self._letters = scratch / LETTERS

    def run(self, letters: Iterable[SentMessage]) -> EpochOutcome:
        """Run the whole stage; a failure gives the epoch up, so the next owner need not wait for its end."""
        try:
            with kept_or_given_up(self._term, self._crawl.prolong):
                self._folder.mkdir(parents=True)
                fetched = fetch(self._store, self._task.part, self._folder)
                base = fetched.outcome
                if base is not None and base.stage >= self._task.stage:
                    self._term.give_up(f"stage {self._task.stage} was committed before")
                    return base
                after = self._prepare(fetched, letters)
                self._crawl.run(self._term.deadline, self._task.seconds, self._should_end)
                if index := index_in(self._task.words):
                    make_known(self._folder)
                outcome = put_back_with_messages(
                    self._store, self._term, self._partition, self._folder, fetched, after=after, stage=self._task.stage
                )
                self._term.commit(outcome.as_json())
        except EpochOver as refusal:
            self._note_refusal(str(refusal))
            raise
        with suppress(StoreError):  # the next commit removes it
            remove_old(self._store, outcome, base)
        behind = follow_committed(self._folder, index) if index else ""
        if behind:  # for the driver only; a stored one would stay after the index has caught up
            return replace(outcome, told=(*outcome.told, behind), counts=outcome.counts | {"behind": 1})
        return outcome

    def _prepare(self, fetched: Fetched, letters: Iterable[SentMessage]) -> int:
        """Prepare the folder for a crawl here; return the number after which its messages are written."""
        base = fetched.outcome
        if base is not None:
            bring_into_division(self._folder, self._partition)
        with CrawlDatabase(self._folder) as database:
            claim_folder(database, self._partition)
            mailbox = Mailbox(database, self._partition)
            since = base.stage if base else 0
            if since < self._task.letters_from:  # the folder is older than the driver knew
                for file in self._store.message_files(since, self._task.letters_from):
                    mailbox.deliver(read_messages(self._store.objects, file))
            mailbox.deliver(letters)
            with database.transaction():
                number_messages_above(database, fetched.last_letter)
                if base is not None:
                    take_to_this_clock(database, base.at, time.time())
        if base is None:
            return 0
        lost = base.letters.letters and fetch_file(self._store.objects, base.letters.file, self._letters)
        return base.letters.after if lost else base.letters.last

    def _should_end(self) -> bool:
        with suppress(StoreError):
            return self._store.is_stopped(self._task.stage)
        return False

    def _note_refusal(self, reason: str) -> None:
        """Write down a commit that came too late, for a person who looks for it."""
        name = f"{self._store.home(self._task.part)}/refused/{self._term.number:06}-{self._term.nonce}"
        with suppress(StoreError):
            self._store.objects.create(name, f"{name_of_this_process()}: {reason}\n".encode())


def put_back_with_messages(
    store: SharedStore, term: OwnedEpoch, part: Partition, folder: Path, fetched: Fetched, *, after: int, stage: int
) -> EpochOutcome:
    """Put back a folder, and its messages after the number `after`; return the outcome to commit."""
    letters, base = folder.parent / LETTERS, fetched.outcome
    with CrawlDatabase(folder) as database:
        sent, last, receivers = write_messages(database, part.number, after, letters)
        counts = counts_of(database) | {"sent": sent, "waiting": Mailbox(database, part).count()}
        ending = ending_of_round(database)
        database.seal()
    stored = stored_as(letters, f"{store.home(part.number)}/letters/{term.number:06}-{term.nonce}")
    if sent:
        store.objects.put(letters, stored.name)
    last = max(last, fetched.last_letter)
    return EpochOutcome(
        part=part.number,
        term=term.number,
        stage=stage,
        ending=ending,
        base=base.term if base else 0,
        at=time.time(),
        schema=newest_schema(),
        counts=counts,
        letters=MessageFile(part.number, term.number, stored, after, last, sent, receivers),
        files=put_back(store, part.number, term.number, folder, base),
        told=fetched.told,
    )


def was_abandoned(terms: EpochSequence, newest: int) -> bool:
    """Return whether the last crawl of a part, up to epoch `newest`, was abandoned: its requests are unknown.

    Jobs since then have requested nothing. Their epochs have the stage of the epoch whose folder they began with.
    """
    for number in range(newest, 0, -1):
        ended = terms.outcome(number)
        if ended is None or ended.get("kind") != COMMITTED:
            return True
        before = terms.outcome(ended["base"]) if ended["base"] else ended
        if before is None or before.get("stage") != ended["stage"]:
            return False
    return False


def counts_of(database: CrawlDatabase) -> dict[str, int]:
    """Return the counts of a part now; its `sites` are those with a stored page."""
    numbers = report(database)
    return {
        "sites": sites_with_pages(database),
        "pages": numbers["pages"]["stored"],
        "indexed": numbers["pages"]["indexed"],
        "requests": numbers["requests"],
        "queued": numbers["urls"]["queued"],
        "failed": numbers["urls"]["failed"],
        "discovered": numbers["urls"]["discovered"],
        "faults": numbers["failed"].get(Rule.FAULT, 0),
    }


def ending_of_round(database: CrawlDatabase) -> str:
    """Return "finished" if the round of a part is over, else "bounded": something is left to fetch."""
    return "bounded" if report(database)["rounds"]["open"] else "finished"


def bring_into_division(folder: Path, partition: Partition) -> bool:
    """Keep in a part's folder only the share of `partition`; return whether it was of an earlier division.

    An index in the folder loses the pages of the other hosts. The next follower rebuilds an index in a cluster.
    """
    with CrawlDatabase(folder) as database:
        held = held_by(database)
        if held.whole or held.counts == partition.counts:
            return False
        has_index, is_sound = not configured_index() and index_exists(folder), True
        if has_index:
            try:
                # First, since it can be done twice; the feed can't list URLs that the database no longer has.
                with open_writer(folder) as writer:
                    for url in gone_from_index(database, partition):
                        writer.remove(url)
                    writer.commit(ending=True)
            except (CorruptIndex, OutdatedIndex):
                is_sound = False
        keep_share(database, partition)
        if has_index and not Feed(database).last():  # it has followed changes, and none of them is left
            shutil.rmtree(index_folder(folder))
        database.seal()
    if has_index:
        catch_up(folder, rebuild=not is_sound)
    return True
