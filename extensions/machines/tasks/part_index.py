"""When does an index in a cluster learn what a part has crawled? After the part's folder is committed, never before.

A writer next to the crawl would send pages of an epoch that may be abandoned. The next owner begins with an older
folder, so its change numbers would then mean other pages. So the crawl of a part writes no such index. The process that
commits a folder then lets the index follow it. If that fails, the next owner of the part does it.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from commands.frame.command import command_line
from extensions.machines.opensearch.writer import owner_of
from indexer.remote import VARIABLE
from indexer.segments.generation import index_folder
from reports.shown_commands import by_next_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SETTING = "INDEX="


def index_in(words: Sequence[str]) -> str:
    """Return where the index is kept, by the arguments of a crawl or the environment; "" for the data folder."""
    given = [word.removeprefix(SETTING) for word in words if word.startswith(SETTING)]
    return given[-1] if given else os.environ.get(VARIABLE, "")


def not_beside(words: Sequence[str]) -> list[str]:
    """Return the arguments that keep a crawl from writing an index that is in a cluster."""
    return ["-s", "INDEX_FOLLOW=no"] if index_in(words) else []


def follow_committed(folder: Path, index: str) -> str:
    """Let the index follow the committed folder of a part; return the error message, or ""."""
    line = command_line(["index"], (f"DATA_DIR={folder}", f"{SETTING}{index}"))
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"its index is behind: {by_next_turn(done.stderr.strip()[-500:])}"


def make_known(folder: Path) -> None:
    """Store the owner mark of the part in its folder, so the cluster knows the part by it on every machine."""
    home = index_folder(folder)
    home.mkdir(parents=True, exist_ok=True)
    owner_of(home)
