"""What is on the disk after a power cut? The synchronised bytes of each file, and any piece of the rest.

The model is stricter than most file systems, which keep more. A file's bytes are safe after its own synchronisation, a
name only after that of its folder. Before that, any set of pieces of a file may be on the disk, and the first few
changes of a folder, in their order. A rename is one change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from tests.durability.recording import CallKind

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from tests.durability.recording import FileCall

PIECES = (512, 4096)  # bytes that a disk writes as one: an old one's sector, a newer one's, or a page of memory
SHARED_MEMORY = "-shm"  # SQLite's index of its log: in memory, and made anew by who opens the database first


class Kept(Enum):
    """How much of what was not synchronised had reached the disk by chance."""

    NOTHING = "nothing"
    PARTS = "parts"
    ALL = "all"


@dataclass(slots=True)
class SimulatedFile:
    """Bytes that are sure, and the changes since: a write at an offset, or a new length."""

    sure: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """Make all changes sure."""
        for offset, data in self.pending:
            write_change(self.sure, offset, data)
        self.pending.clear()

    def after_a_cut(self, kept: Kept, piece: int, dice: random.Random) -> bytes:
        """Return what a reader finds afterwards."""
        found = bytearray(self.sure)
        for offset, data in self.pending if kept is not Kept.NOTHING else ():
            for place, part in split_at_sectors(offset, data, piece):
                if kept is Kept.ALL or dice.random() < 0.5:  # heads or tails
                    write_change(found, place, part)
        return bytes(found)


def write_change(content: bytearray, offset: int, data: bytes | None) -> None:
    """Write `data` at `offset`, or cut or fill to that length where there is none."""
    end = offset + len(data or b"")
    if data is None:
        del content[offset:]
    content.extend(bytes(max(0, end - len(content))))
    if data is not None:
        content[offset:end] = data


def split_at_sectors(offset: int, data: bytes | None, size: int) -> Iterator[tuple[int, bytes | None]]:
    """Take a write apart where the disk's own pieces end."""
    if data is None:
        yield offset, None
        return
    place = offset
    while place < offset + len(data):
        following = min(offset + len(data), (place // size + 1) * size)
        yield place, data[place - offset : following - offset]
        place = following


_Entry = SimulatedFile | None  # None: a folder


@dataclass(slots=True)
class SimulatedDisk:
    """The tree below a folder as processes see it, the part of it that is sure, and the changes between the two."""

    root: str
    seen: dict[str, _Entry] = field(default_factory=dict)
    sure: dict[str, _Entry] = field(default_factory=dict)
    pending: dict[str, list[FileCall | tuple[str, _Entry]]] = field(default_factory=dict)  # by folder

    def take(self, call: FileCall) -> None:
        """Do what a process did."""
        name = call.name
        if name.endswith(SHARED_MEMORY) or call.kind is CallKind.NOTE:
            return
        if call.kind is CallKind.SYNC:
            self._sync(name)
        elif call.kind in {CallKind.CREATE, CallKind.MAKE}:
            self.seen[name] = SimulatedFile() if call.kind is CallKind.CREATE else None
            self._later(name, (name, self.seen[name]))
        elif call.kind in {CallKind.UNLINK, CallKind.RENAME}:
            entry = self.seen.pop(name, None)
            if call.other:
                self.seen[call.other] = entry
            self._later(name, call)
        elif isinstance(file := self.seen.get(name), SimulatedFile):
            file.pending.append((call.offset, call.data) if call.kind is CallKind.WRITE else (call.length, None))

    def _later(self, name: str, what: FileCall | tuple[str, _Entry]) -> None:
        self.pending.setdefault(name.rpartition("/")[0], []).append(what)

    def _sync(self, name: str) -> None:
        entry = self.seen.get(name)
        if isinstance(entry, SimulatedFile):
            entry.sync()
            return
        for what in self.pending.pop(name, []):
            change_names(self.sure, what)

    def cut(self, kept: Kept, dice: random.Random) -> dict[str, bytes | None]:
        """Cut the power: return what is there afterwards, by the names below the root; None is a folder."""
        names = dict(self.sure)
        for changes in self.pending.values():
            arrived = {Kept.NOTHING: 0, Kept.ALL: len(changes)}.get(kept, dice.randint(0, len(changes)))
            for what in changes[:arrived]:
                change_names(names, what)
        piece = dice.choice(PIECES)
        return {
            name.removeprefix(f"{self.root}/"): entry.after_a_cut(kept, piece, dice) if entry else None
            for name, entry in sorted(names.items())
            if all(str(folder) in names for folder in Path(name).parents if str(folder).startswith(f"{self.root}/"))
        }


def change_names(names: dict[str, _Entry], what: FileCall | tuple[str, _Entry]) -> None:
    """Make a change of a folder in a tree."""
    if isinstance(what, tuple):
        names[what[0]] = what[1]
        return
    if what.name not in names:
        return
    entry = names.pop(what.name)
    if what.kind is CallKind.RENAME:
        names[what.other] = entry


def lay_out(tree: dict[str, bytes | None], root: Path) -> None:
    """Make the tree in an empty folder. Names are sorted, so that a folder comes before what is in it."""
    root.mkdir(parents=True)
    for name, content in tree.items():
        if content is None:
            (root / name).mkdir()
        else:
            (root / name).write_bytes(content)
