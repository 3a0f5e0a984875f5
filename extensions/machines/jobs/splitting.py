"""How does a crawl get more parts? Each part is split separately, in its own epoch; a finished split stays.

A note in the store holds the new number of parts. From then on nothing crawls, until another note marks the split as
done. In between, a task claims each old part, fetches it, and puts its successors back. First come the new parts split
off from it, each with its first folder; then the rest of the part itself. So an old part of the new division has been
split whole. Any other one is split again from the start, and what an earlier try put back counts for nothing. If the
process is killed, the same command continues the split.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.parts.division import folder_of, held_by
from crawldb.parts.mailbox import MAILBOX
from crawldb.parts.partition import Partition, heirs_of
from extension_points import call_extensions
from extensions.machines.jobs.each_part import JobOfPart, all_done
from extensions.machines.store.epochs import EpochHeld, EpochOver, kept, kept_or_given_up
from extensions.machines.store.objects import StoreError
from extensions.machines.store.part_folders import Fetched, fetch, remove_old
from extensions.machines.store.shared_store import SharedStore, driver_message
from extensions.machines.store.versions import Versions
from extensions.machines.tables import renumber_messages
from extensions.machines.tasks.part_change import make_ready, put_back_as_changed
from extensions.machines.tasks.part_index import follow_committed, make_known
from extensions.machines.tasks.scratch import scratch_folder
from extensions.machines.tasks.task import PATIENCE, bring_into_division, name_of_this_process, was_abandoned
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.store.epochs import OwnedEpoch
    from extensions.machines.store.outcomes import EpochOutcome
    from extensions.machines.tasks.part_change import PartsInStore


@dataclass(frozen=True, slots=True)
class PartSplit(JobOfPart):
    """The task of splitting one part of a store, numbered as before the split."""

    place: PartsInStore
    index: str = ""  # where the index is kept, if that is a cluster

    def done(self) -> str:
        """Split the part; return a message for the user."""
        place = self.place
        if wrong := place.versions.difference(Versions.here(), name_of_this_process()):
            raise StoreError(wrong)
        store = SharedStore.open(place.store, to_split=True)
        if not store.being_split_into:
            return "the split is done"
        counts = (*store.counts, store.being_split_into)
        heirs = heirs_of(self.part, len(store.counts) - 1, counts)
        family = [Partition(number, counts[-1], store.counts) for number in heirs]
        term = store.terms(self.part).claim(name_of_this_process(), place.lease, PATIENCE * place.lease)
        with scratch_folder(place.scratch) as scratch, kept_or_given_up(term):
            return _Splitting(self, store, term, family, scratch).told()


class _Splitting:
    """The split of one part in its own epoch; `family` is the part itself and then the new ones."""

    def __init__(
        self, split: PartSplit, store: SharedStore, term: OwnedEpoch, family: list[Partition], scratch: Path
    ) -> None:
        self._split, self._store, self._term, self._scratch = split, store, term, scratch
        self._itself, *self._new = family
        self._was_abandoned = was_abandoned(store.terms(split.part), term.number - 1)

    def told(self) -> str:
        """Do the split; return a message for the user."""
        folder = folder_of(self._scratch, self._itself)
        folder.mkdir(parents=True)
        fetched = fetch(self._store, self._split.part, folder)
        if (base := fetched.outcome) is None:
            self._term.give_up("it holds nothing that could be split")
            return "nothing was put into the store yet"
        with CrawlDatabase(folder) as database:
            is_done = held_by(database).counts == self._itself.counts
        if is_done:
            self._term.give_up("it was split before")
            return "it was split before"
        make_ready(folder, self._itself, fetched)
        if self._split.index:
            make_known(folder)  # one mark for all, so the cluster knows the new parts as those of this crawl
        said = [said for new in self._new for said in self._split_off(new, folder, base)]
        bring_into_division(folder, self._itself)
        outcome = put_back_as_changed(self._store, self._term, self._itself, folder, fetched, base)
        self._term.commit(outcome.as_json())
        with suppress(StoreError):  # the next commit removes it
            remove_old(self._store, outcome, base)
        said += self._follow(folder)
        family = enumerated([str(each) for each in (self._itself, *self._new)])
        hosts = f"it became {family}" if self._new else "it keeps its hosts"
        return "; ".join((hosts, *fetched.told, *said))

    def _split_off(self, new: Partition, whole: Path, base: EpochOutcome) -> Iterator[str]:
        """Put the first folder of a new part into the store; the result of an earlier try counts for nothing."""
        terms, name = self._store.terms(new.number), name_of_this_process()
        if self._was_abandoned:  # its next crawl then takes the same care as one of the old part
            terms.claim(name, self._split.place.lease).give_up(f"a crawl of part {self._itself.number} was abandoned")
        term = terms.claim(name, self._split.place.lease, PATIENCE * self._split.place.lease)
        folder = folder_of(self._scratch, new)
        # A new part begins without the old one's copies of pages, and without its messages.
        kept_there = [copies.folder for copies in call_extensions("stored_copies") if copies.folder]
        shutil.copytree(whole, folder, ignore=shutil.ignore_patterns(f"{MAILBOX}*", *kept_there))
        with kept(term):
            bring_into_division(folder, new)
            _write_after(folder, max((each.letters.last for each in self._store.committed(new.number)), default=0))
            none = replace(base.letters, after=0, last=0, letters=0)
            # Its hosts rest by this machine's clock already, as those of the folder that was copied.
            begun = replace(base, part=new.number, term=0, at=time.time(), letters=none, files={}, told=())
            fetched = Fetched(begun, (), 0)
            make_ready(folder, new, fetched)
            outcome = put_back_as_changed(self._store, term, new, folder, fetched, begun)
            term.commit(outcome.as_json())
        with suppress(StoreError):
            remove_old(self._store, outcome, None)
        yield from self._follow(folder)
        shutil.rmtree(folder)

    def _follow(self, folder: Path) -> Iterator[str]:
        if self._split.index and (behind := follow_committed(folder, self._split.index)):
            yield behind


def _write_after(folder: Path, last: int) -> None:
    """Give all messages of a new part numbers above those that an earlier try sent."""
    with CrawlDatabase(folder) as database, database.transaction():
        if last:
            renumber_messages(database, last)


def split_all(
    place: PartsInStore, parts: int, index: str, runner: TaskRunner | None, tell: Callable[[str], object]
) -> int:
    """Split the crawl in a store into so many parts; return how many it had.

    Raises `StoreError` if it can't be split, as while a driver is at work, and `PartsFailed` if a part failed.
    """
    drivers = SharedStore.open(place.store, to_split=True).drivers
    try:
        term = drivers.claim(name_of_this_process(), place.lease)
    except EpochHeld as held:
        raise StoreError(driver_message(place.store, held)) from held
    with kept_or_given_up(term):
        store = SharedStore.open(place.store, to_split=True)
        store.begin_split(parts)
        before = list(map(store.partition, range(1, store.parts + 1)))
        all_done([PartSplit(place, part, index) for part in before], runner, tell)
        _check_held(term, place.store)
        store.end_split()
    term.commit({})
    return len(before)


def _check_held(term: OwnedEpoch, uri: str) -> None:
    if not term.lasts():
        raise EpochOver(f"another process has taken over {uri}, since this one gave no sign; it continues the split")
