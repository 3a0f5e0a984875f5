"""How does the folder of a part get into the store and out of it? Whole and checked, or not at all.

An unchanged file is not copied again: the outcome names the object that an earlier epoch wrote. Fetched files are
compared with their stored checksums. If one differs, the folder counts as damaged, and the crawl continues from the one
before it. So two folders are kept: the newest, and the one that it began with.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import file_digest
from typing import TYPE_CHECKING

from extensions.machines.store.outcomes import EpochOutcome, StoredFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from extensions.machines.store.objects import Objects
    from extensions.machines.store.shared_store import SharedStore

LEFT_OUT = (
    ".lock",
    "-shm",
    "-wal",
)  # which process works here; and of SQLite, whose log was taken into the file before


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched folder: its `outcome` (None: no folder was whole), and messages about damaged ones.

    `last_letter` is the highest number of any message of the part so far.
    """

    outcome: EpochOutcome | None
    told: tuple[str, ...]
    last_letter: int


def fetch(store: SharedStore, part: int, folder: Path) -> Fetched:
    """Copy the newest whole folder of a part into an empty one. Raises `StoreError`."""
    notices: list[str] = []
    last_letter = 0
    for outcome in store.committed(part):
        last_letter = max(last_letter, outcome.letters.last)
        wrong = next(_wrong(store.objects, outcome, folder), "")
        if not wrong:
            return Fetched(outcome, tuple(notices), last_letter)
        notices.append(
            f"part {part}: what term {outcome.term} had stored is damaged ({wrong}); it continues from what was stored "
            "before, and what came after is fetched again"
        )
        _empty(folder)
    return Fetched(None, tuple(notices), last_letter)


def _wrong(objects: Objects, outcome: EpochOutcome, folder: Path) -> Iterator[str]:
    for name, stored in outcome.files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            yield f"{name} would lie outside of its folder"
            return
        if wrong := fetch_file(objects, stored, path):
            yield wrong
            return


def fetch_file(objects: Objects, stored: StoredFile, path: Path) -> str:
    """Copy one file out of the store; return why it differs from what was stored, or ""."""
    if not objects.get(stored.name, path):
        return f"{stored.name} is missing"
    found = stored_as(path, stored.name)
    return "" if found == stored else f"{stored.name} has {found.size} bytes that are not what was written"


def stored_as(path: Path, name: str) -> StoredFile:
    """Return name, size and checksum of a file stored under a name."""
    with path.open("rb") as file:
        return StoredFile(name, path.stat().st_size, file_digest(file, "sha256").hexdigest())


def put_back(
    store: SharedStore, part: int, term: int, folder: Path, base: EpochOutcome | None
) -> dict[str, StoredFile]:
    """Copy the changed files of a folder into the store, under new names; return all its files. Raises `StoreError`."""
    place = f"{store.home(part)}/folders/{term:06}-{secrets.token_hex(4)}"
    files: dict[str, StoredFile] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or name.endswith(LEFT_OUT):
            continue
        found = stored_as(path, f"{place}/{name}")
        before = base.files.get(name) if base else None
        if before and (before.size, before.sha256) == (found.size, found.sha256):
            files[name] = before
        else:
            store.objects.put(path, found.name)
            files[name] = found
    return files


def remove_old(store: SharedStore, outcome: EpochOutcome, base: EpochOutcome | None) -> None:
    """Remove the files of a part that neither its newest folder nor the one before needs. Raises `StoreError`.

    The caller may have paused for an hour, and others may have stored since. So files of later epochs stay. Of earlier
    epochs' files, later ones can use only those in one of these two folders.
    """
    kept = {file.name for each in (outcome, base) if each for file in each.files.values()}
    folder = f"{store.home(outcome.part)}/folders"
    for name in store.objects.below(folder):
        number = name.removeprefix(f"{folder}/")[:6]
        if name not in kept and number.isdecimal() and int(number) <= outcome.term:
            store.objects.remove(name)


def _empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
