"""How is a part in a store read or changed without a crawl? By a task with its own epoch, as in every stage.

A job reads the newest whole folder, or changes it and puts it back. The store takes it whole or not at all, and the
epoch fences it like a crawl. So if a task runs twice, one of the two commits. A job that dies midway starts again.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from crawldb.database import CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.mailbox import Mailbox
from crawldb.tables.hosts import take_to_this_clock
from extensions.machines.store.epochs import kept_or_given_up
from extensions.machines.store.objects import StoreError
from extensions.machines.store.part_folders import Fetched, fetch, remove_old
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tables import number_messages_above
from extensions.machines.tasks.scratch import scratch_folder
from extensions.machines.tasks.task import (
    LEASE,
    PATIENCE,
    bring_into_division,
    name_of_this_process,
    put_back_with_messages,
)
from indexer.remote import VARIABLE, use_index_setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawldb.parts.partition import Partition
    from extensions.machines.store.epochs import OwnedEpoch
    from extensions.machines.store.outcomes import EpochOutcome
    from extensions.machines.tasks.places import PartChange

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class PartsInStore:
    """The parts of the crawl in a store; each is fetched to the machine that works on it. Pickles to other machines."""

    store: str
    versions: Versions  # of the process that began the job: an executor of another version rejects it
    lease: float = LEASE
    scratch: str = ""
    index: str = field(default_factory=lambda: os.environ.get(VARIABLE, ""))  # for a job that runs on another machine

    @property
    def parts(self) -> tuple[Partition, ...]:
        """The parts, by number."""
        store = SharedStore.open(self.store)
        return tuple(map(store.partition, range(1, store.parts + 1)))

    def ask(self, part: Partition, question: Callable[[Path], Answer]) -> Answer:
        """Return the result of `question` for a part's newest whole folder. Raises `StoreError` if there is none."""
        store = self._opened()
        with scratch_folder(self.scratch) as scratch:
            folder = folder_of(scratch, part)
            fetched_whole(store, part, folder)
            return question(folder)

    def change(self, part: Partition, change: PartChange) -> Any:
        """Change a part in an epoch of its own. Raises `EpochHeld` if a crawl is at work on it."""
        store = self._opened()
        term = store.terms(part.number).claim(name_of_this_process(), self.lease, PATIENCE * self.lease)
        with scratch_folder(self.scratch) as scratch:
            folder = folder_of(scratch, part)
            with kept_or_given_up(term):
                fetched, base = fetched_whole(store, part, folder)
                make_ready(folder, part, fetched)
                answer = change.work(folder)
                if not self.index:
                    change.index(folder)
                outcome = put_back_as_changed(store, term, part, folder, fetched, base)
                term.commit(outcome.as_json())
            with suppress(StoreError):  # the next commit removes it
                remove_old(store, outcome, base)
            if self.index:  # if that fails, the part's next turn updates it
                change.index(folder)
        return answer

    def _opened(self) -> SharedStore:
        if wrong := self.versions.difference(Versions.here(), name_of_this_process()):
            raise StoreError(wrong)
        use_index_setting(self.index)
        return SharedStore.open(self.store)


def fetched_whole(store: SharedStore, part: Partition, folder: Path) -> tuple[Fetched, EpochOutcome]:
    """Fetch the newest whole folder of a part. Raises `StoreError` if there is none."""
    folder.mkdir(parents=True)
    fetched = fetch(store, part.number, folder)
    if fetched.outcome is None:
        lost = "; ".join(fetched.told) or "nothing was put into the store yet"
        raise StoreError(f"part {part} of {store.objects.uri}: {lost}. A crawl of the store fetches it again")
    bring_into_division(folder, part)
    return fetched, fetched.outcome


def make_ready(folder: Path, part: Partition, fetched: Fetched) -> None:
    """Prepare a fetched folder for a change here; its new messages get numbers above all earlier ones."""
    with CrawlDatabase(folder) as database:
        Mailbox(database, part).deliver(())
        with database.transaction():
            number_messages_above(database, fetched.last_letter)
            if fetched.outcome is not None:
                take_to_this_clock(database, fetched.outcome.at, time.time())


def put_back_as_changed(
    store: SharedStore, term: OwnedEpoch, part: Partition, folder: Path, fetched: Fetched, base: EpochOutcome
) -> EpochOutcome:
    """Put back a folder that began as `base`; return the outcome to commit."""
    after = max(base.letters.last, fetched.last_letter)
    return put_back_with_messages(store, term, part, folder, fetched, after=after, stage=base.stage)
