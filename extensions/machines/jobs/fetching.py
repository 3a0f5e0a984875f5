"""How does a person look into a store? All parts are copied into a data folder, which every command can read.

The store is not changed. The copy is the newest whole folder of each part at that moment: a crawl that continues
meanwhile has more.
"""

from __future__ import annotations

import json
import shutil
from functools import partial
from typing import TYPE_CHECKING

from crawldb.folders import make_private
from crawldb.parts.division import folder_of
from extensions.machines.store.shared_store import SharedStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extensions.machines.tasks.part_change import PartsInStore

BEING_FETCHED = ".fetching"


def fetch_all(place: PartsInStore, data_dir: Path, tell: Callable[[str], None]) -> None:
    """Copy all parts into a data folder, over an earlier copy from the same store.

    A part is replaced once its copy is complete. Raises `FileExistsError` if the folder holds something else.
    """
    mark = data_dir / BEING_FETCHED
    store = SharedStore.open(place.store)
    if data_dir.exists() and any(path != mark for path in data_dir.iterdir()):
        _check_same(mark, store)
    make_private(data_dir)
    data_dir.mkdir(parents=True, exist_ok=True)
    mark.write_text(json.dumps({"store": store.identity, "address": store.objects.uri}), encoding="utf-8")
    for part in place.parts:
        place.ask(part, partial(_take, to=folder_of(data_dir, part)))
        tell(f"part {part} is in {folder_of(data_dir, part)}")


def _check_same(mark: Path, store: SharedStore) -> None:
    if not mark.exists():
        raise FileExistsError(f"{mark.parent} holds something else: give an empty folder, or one fetched before")
    try:
        noted = json.loads(mark.read_bytes())
        identity, origin = noted["store"], f"another store, {noted['address']}"
    except (ValueError, TypeError, KeyError):
        identity, origin = "", "a store that is not noted there"
    if identity != store.identity:
        raise FileExistsError(
            f"{mark.parent} holds what was fetched from {origin}, and this one is {store.objects.uri}: give an empty "
            "folder, or remove that one"
        )


def _take(folder: Path, to: Path) -> None:
    coming = to.with_name(f"{to.name}{BEING_FETCHED}")
    shutil.rmtree(coming, ignore_errors=True)
    shutil.copytree(folder, coming)
    shutil.rmtree(to, ignore_errors=True)
    coming.rename(to)
