"""Which objects does the store of a crawl hold? The epochs, folders and messages of each part; stages; driver epochs.

    store.json                               format, number of parts, the versions that made it, its nonce
    splits/000001.begun .done                the new number of parts; begun and not done: nothing crawls
    drivers/000001.claim .beat .outcome      the driver: one at a time, by the same rules as a part's owner
    stages/000007.json                       of each part the newest committed epoch when stage 7 began: the snapshot
    parts/0001/terms/000007.claim …          the owners of part 1, and how each of its epochs ended
    parts/0001/folders/000007-NONCE/…        files that epoch 7 wrote
    parts/0001/letters/000007-NONCE          its messages to other parts

Everything but the beats is written once and never changed, so no reader sees half an object.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from crawldb.parts.partition import MAX_PARTS, Partition
from extensions.machines.store.epochs import COMMITTED, EpochSequence
from extensions.machines.store.objects import FolderObjects, StoreError, check_one_writer
from extensions.machines.store.outcomes import EpochOutcome
from extensions.machines.store.versions import Versions
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from extensions.machines.store.epochs import EpochHeld
    from extensions.machines.store.objects import Objects
    from extensions.machines.store.outcomes import MessageFile

FORMAT = 1
ABOUT = "store.json"
STAGES, STOPPED = "stages", ".stop"
SPLITS, BEGUN, ENDED = "splits", ".begun", ".done"


def objects_at(uri: str) -> Objects:
    """Return the storage at a URI: a folder (a path or `file://…`), or what fsspec knows, as `s3://bucket/crawl`."""
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme == "file":
        return FolderObjects(Path(rest if separator else uri).expanduser().absolute())
    from extensions.machines.store.remote import RemoteObjects  # an extra, not needed for a folder

    return RemoteObjects(uri)


class SharedStore:
    """The store of one crawl, as this machine sees it."""

    def __init__(self, objects: Objects, about: Mapping[str, Any]) -> None:
        self.objects = objects
        self.counts, self.being_split_into = _splits(objects, about["parts"])
        self.parts = self.counts[-1]
        # A moved store keeps its identity. Stores of earlier versions have no nonce.
        self.identity = str(about.get("nonce") or f"{objects.uri} in {about['parts']} parts")
        self.made_by = Versions(**about["versions"])
        self.drivers = EpochSequence(objects, "drivers")

    @classmethod
    def make(cls, uri: str, parts: int) -> Self:
        """Make the store, or open an existing one.

        Raises `StoreError` if it has another number of parts, or its storage can't keep two writers apart.
        """
        if not 1 < parts <= MAX_PARTS:
            raise StoreError(f"{counted(parts, 'part')}: give 2 to {MAX_PARTS:,}, some four for each executor")
        objects = objects_at(uri)
        about = {"format": FORMAT, "parts": parts, "versions": asdict(Versions.here()), "nonce": secrets.token_hex(8)}
        if objects.read(ABOUT) is None:
            if others := objects.names(""):
                raise StoreError(f"{uri} holds something else ({', '.join(others[:3])}): give an empty place")
            check_one_writer(objects)
        objects.create(ABOUT, json.dumps(about, indent=1).encode())
        store = cls.open(uri)
        if store.parts != parts:
            cure = f"split it with --job split --parts {parts}" if parts > store.parts else "give another place"
            raise StoreError(
                f"{uri} holds a crawl in {store.parts} parts, which can't continue in {parts}: leave the number out, "
                f"or {cure}"
            )
        return store

    @classmethod
    def open(cls, uri: str, *, to_split: bool = False) -> Self:
        """Open a store. Raises `StoreError` if there is none, or this Breadcrumb can't read it.

        During a split, a store opens only with `to_split`: some hosts are then in two parts.
        """
        objects = objects_at(uri)
        data = objects.read(ABOUT)
        if data is None:
            begun = f"./breadcrumb cluster --master 'processes[2]' --store {shell_word(uri)} SEEDS"
            raise StoreError(f"{uri} holds no crawl: {begun} begins one, on this machine")
        try:
            about = json.loads(data)
            made, schema = about["format"], about["versions"]["schema"]
            if made == FORMAT and schema <= Versions.here().schema:
                store = cls(objects, about)
                if store.being_split_into and not to_split:
                    raise StoreError(unfinished_split(store))
                return store
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"{uri}: its {ABOUT} is not as it was written; put back a backup") from error
        raise StoreError(f"{uri} is of a newer Breadcrumb (format {made}, schema {schema}): take that one")

    def partition(self, part: int) -> Partition:
        """Return the share of hosts that a part has."""
        return Partition(part, self.parts, self.counts[:-1])

    def begin_split(self, parts: int) -> None:
        """Note that the crawl is being split into so many parts; no crawl and no other job runs until it is done.

        Raises `StoreError` if it can't be split so, or another split has begun.
        """
        if self.being_split_into not in {0, parts}:
            raise StoreError(unfinished_split(self))
        if not self.being_split_into and not self.parts < parts <= MAX_PARTS:
            few = "it has as many" if parts == self.parts else "parts are never put together again"
            why = few if parts <= self.parts else "too many"
            cure = f"give {self.parts + 1:,} to {MAX_PARTS:,}" if self.parts < MAX_PARTS else "it can have no more"
            held = f"{self.objects.uri} holds a crawl in {self.parts} parts"
            raise StoreError(f"{held} and can't be split into {parts:,} ({why}): {cure}")
        self.objects.create(f"{SPLITS}/{len(self.counts):06}{BEGUN}", json.dumps({"parts": parts}).encode())
        _, self.being_split_into = _splits(self.objects, self.counts[0])
        if self.being_split_into != parts:
            raise StoreError(unfinished_split(self))

    def end_split(self) -> None:
        """Note that all parts are split."""
        self.objects.create(f"{SPLITS}/{len(self.counts):06}{ENDED}", b"done")
        self.counts, self.being_split_into = _splits(self.objects, self.counts[0])
        self.parts = self.counts[-1]

    def terms(self, part: int) -> EpochSequence:
        """Return the epochs of a part."""
        return EpochSequence(self.objects, f"{self.home(part)}/terms")

    def home(self, part: int) -> str:
        """Return the folder of a part in the store."""
        return f"parts/{part:04}"

    def committed(self, part: int) -> Iterator[EpochOutcome]:
        """Yield the committed outcomes of a part, newest first."""
        terms = self.terms(part)
        for number in terms.ended():
            outcome = self.outcome(part, number)
            if outcome is not None:
                yield outcome

    def outcome(self, part: int, term: int) -> EpochOutcome | None:
        """Return what an epoch of a part committed; None if it committed nothing."""
        found = self.terms(part).outcome(term)
        if found is None or found.get("kind") != COMMITTED:
            return None
        return EpochOutcome.of(found, f"outcome {term} of part {part} in the store {self.objects.uri}")

    def newest(self) -> dict[int, EpochOutcome]:
        """Return the newest committed outcome of each part that has one."""
        found = ((part, next(self.committed(part), None)) for part in range(1, self.parts + 1))
        return {part: outcome for part, outcome in found if outcome is not None}

    def begin_stage(self, number: int, terms: Mapping[int, int]) -> bool:
        """Store the newest epoch of each part, whose messages a stage takes; False if another driver has done so."""
        data = json.dumps({"terms": {str(part): term for part, term in sorted(terms.items())}}).encode()
        return self.objects.create(self._stage(number), data) == data

    def stage(self, number: int) -> dict[int, int]:
        """Return the snapshot of a stage, the newest committed epoch by part; empty for stage 0."""
        data = self.objects.read(self._stage(number)) if number else b'{"terms": {}}'
        try:
            return {int(part): int(term) for part, term in json.loads(data or b"")["terms"].items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StoreError(
                f"the store {self.objects.uri}: {self._stage(number)} is missing or not as it was written; put back a "
                "backup"
            ) from error

    def last_stage(self) -> int:
        """Return the number of the newest stage; 0 if none has begun."""
        names = (name for name in self.objects.names(STAGES) if name.endswith(".json"))
        return max((int(name.removesuffix(".json")) for name in names), default=0)

    def stop_stage(self, number: int) -> None:
        """Ask all tasks of a stage to end cleanly; each checks every few seconds."""
        self.objects.create(f"{STAGES}/{number:06}{STOPPED}", b"stop")

    def is_stopped(self, number: int) -> bool:
        """Return whether the tasks of a stage should end."""
        return self.objects.read(f"{STAGES}/{number:06}{STOPPED}") is not None

    def message_files(self, after: int, stage: int) -> list[MessageFile]:
        """Return the files of the messages written between the snapshots of two stages."""
        begin, end = self.stage(after), self.stage(stage)
        found = []
        for part, last in end.items():
            for term in range(begin.get(part, 0) + 1, last + 1):
                outcome = self.outcome(part, term)
                if outcome is not None and outcome.letters.letters:
                    found.append(outcome.letters)
        return found

    def _stage(self, number: int) -> str:
        return f"{STAGES}/{number:06}.json"


def _splits(objects: Objects, parts: int) -> tuple[tuple[int, ...], int]:
    """Return `Partition.counts` of the crawl, and the number of parts of an unfinished split (0: none)."""
    names, counts = set(objects.names(SPLITS)), [parts]
    while f"{len(counts):06}{BEGUN}" in names:
        name = f"{SPLITS}/{len(counts):06}{BEGUN}"
        try:
            parts = int(json.loads(objects.read(name) or b"")["parts"])
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"{objects.uri}: {name} is not as it was written; put back a backup") from error
        if f"{len(counts):06}{ENDED}" not in names:
            return tuple(counts), parts
        counts.append(parts)
    return tuple(counts), 0


def unfinished_split(store: SharedStore) -> str:
    """Return the message about a store that is being split."""
    uri, parts = store.objects.uri, store.being_split_into
    command = f"./breadcrumb cluster --store {shell_word(uri)} --job=split --parts {parts}"
    return f"{uri} is being split into {parts} parts, and that is not done: {command} continues it"


def driver_message(uri: str, held: EpochHeld) -> str:
    """Return why nothing else can begin while a driver is at work in the store, and what would work."""
    return f"{uri} has a driver: {held}. Wait until it has ended, or press Ctrl-C there"
