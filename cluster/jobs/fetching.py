"""How does a person look into a store? All parts are fetched into a data folder, and every command knows what to do.

Nothing of the store is changed. What is fetched is the newest whole folder of each part, as of that moment: a crawl
that goes on meanwhile has more.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

from crawldb.parts.division import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cluster.jobs.places import PartsPlace

BEING_FETCHED = ".fetching"


def fetch_all(place: PartsPlace, data_dir: Path, tell: Callable[[str], None]) -> None:
    """Fetch all parts into a data folder, in the place of what it held of an earlier fetch.

    A part is exchanged when it has come whole. Raises `FileExistsError` where the folder holds something else.
    """
    mark = data_dir / BEING_FETCHED
    if data_dir.exists() and any(data_dir.iterdir()) and not mark.exists():
        raise FileExistsError(f"{data_dir} holds something else: give an empty folder, or one fetched before")
    data_dir.mkdir(parents=True, exist_ok=True)
    mark.write_text("Fetched out of a store; the next fetch takes its place.\n", encoding="utf-8")
    for part in place.parts:
        place.ask(part, partial(_take, to=folder_of(data_dir, part)))
        tell(f"part {part} is in {folder_of(data_dir, part)}")


def _take(folder: Path, to: Path) -> None:
    coming = to.with_name(f"{to.name}{BEING_FETCHED}")
    shutil.rmtree(coming, ignore_errors=True)
    shutil.copytree(folder, coming)
    shutil.rmtree(to, ignore_errors=True)
    coming.rename(to)
