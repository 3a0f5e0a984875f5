"""How do messages travel? Each epoch writes one file; a stage sorts them by receiver, and a task delivers them."""

from __future__ import annotations

import io
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from crawldb.parts.mailbox import SentMessage, messages_after
from extensions.machines.store.objects import StoreError
from extensions.machines.store.part_folders import fetch_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from extensions.machines.store.objects import Objects
    from extensions.machines.store.outcomes import MessageFile


@dataclass(frozen=True, slots=True)
class LostMessages:
    """A message file that can't be read; its sender writes the messages again in its next turn."""

    sender: int
    told: str


def write_messages(database: CrawlDatabase, sender: int, after: int, path: Path) -> tuple[int, int, tuple[int, ...]]:
    """Write the outbox after number `after` into a file; return the count of messages, last number and receivers."""
    letters, last, receivers = 0, after, set()
    with zstandard.open(path, "wt", encoding="utf-8") as file:
        for row in messages_after(database, after):
            file.write(f"{json.dumps([sender, *row])}\n")
            letters, last = letters + 1, row[0]
            receivers.add(SentMessage(sender, *row).part)
    return letters, last, tuple(sorted(receivers))


def read_messages(objects: Objects, file: MessageFile) -> Iterator[SentMessage]:
    """Yield the messages of a file. Raises `StoreError` before the first if the file is missing or damaged."""
    with tempfile.TemporaryDirectory(prefix="breadcrumb-letters-") as folder:
        path = Path(folder) / "letters"
        if wrong := fetch_file(objects, file.file, path):
            raise StoreError(f"letters of part {file.sender} can't be delivered yet: {wrong}; it will write them again")
        with zstandard.open(path, "rb") as packed:
            for line in io.TextIOWrapper(packed, encoding="utf-8"):
                yield SentMessage(*json.loads(line))
