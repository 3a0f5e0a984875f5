"""A digest of the code of some rooms, to see whether other code made what is stored."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable


@cache
def code_digest(rooms: tuple[str, ...]) -> str:
    """Return what tells the code of some rooms from any other: the version number does not change with each commit."""
    digest = blake2b(digest_size=8)
    for room in rooms:
        for name, content in sorted(_sources(files(room), room)):
            digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _sources(each, f"{name}/{each.name}")
        elif each.name.endswith((".py", ".sql")):
            yield f"{name}/{each.name}", each.read_bytes()
