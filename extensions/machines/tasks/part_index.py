"""When does an index in a cluster learn what a part has crawled? When its folder is committed, and never before.

A writer beside the crawl would send pages of a term that comes to nothing: the next owner begins at an older folder,
whose numbers of changes would then mean other pages. So the crawl of a part writes no such index, and whoever has
committed a folder lets the index follow it. What that leaves undone, the next owner of the part does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from extensions.machines.opensearch.writer import owner_of
from indexer.remote import VARIABLE
from indexer.segments.generation import index_folder
from reports.shown_commands import by_next_turn
from spiders.own_settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SETTING = "INDEX="


def index_in(words: Sequence[str]) -> str:
    """Return where the index is kept by the words of a crawl, or by the environment; "" for the data folder."""
    given = [word.removeprefix(SETTING) for word in words if word.startswith(SETTING)]
    return given[-1] if given else os.environ.get(VARIABLE, "")


def not_beside(words: Sequence[str]) -> list[str]:
    """Return what a crawl is told, where its index is in a cluster, so that it writes none."""
    return ["-s", "INDEX_FOLLOW=no"] if index_in(words) else []


def follow_committed(folder: Path, index: str) -> str:
    """Let the index follow the folder of a part that is committed; return what went wrong, or ""."""
    line = [
        sys.executable,
        "-P",
        str(ROOT / "commands"),
        "index",
        "-s",
        f"DATA_DIR={folder}",
        "-s",
        f"{SETTING}{index}",
    ]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"its index is behind: {by_next_turn(done.stderr.strip()[-500:])}"


def make_known(folder: Path) -> None:
    """Let the cluster know the part by the same mark on whichever machine: it is made before the folder is stored."""
    home = index_folder(folder)
    home.mkdir(parents=True, exist_ok=True)
    owner_of(home)
