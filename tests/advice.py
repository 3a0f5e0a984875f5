"""How is advice tested? A test takes the command out of what was printed, carries it out, and compares the states.

`commands_in` and `settings_in` find the words, so that a test carries out what a person reads. `state_of` has what a
command may change: what else differs afterwards, the sentence did not say.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.tables import blocks
from crawldb.tables.sites import options_of
from reports.shown_commands import COMMAND

if TYPE_CHECKING:
    from pathlib import Path


def commands_in(text: str) -> list[list[str]]:
    """Return each command of a text as a shell splits it, without the program."""
    return [shlex.split(found[0])[1:] for found in COMMAND.finditer(text)]


def confirmed(command: list[str]) -> list[str]:
    """Return a command with the word for the answer that a person gives at a terminal."""
    return [command[0], "--yes", *command[1:]] if command[0] in {"forget", "block"} else command


def settings_in(text: str) -> list[tuple[str, str]]:
    """Return each setting that a text names as -s NAME=VALUE."""
    return re.findall(r"-s ([A-Z_]+)=(\w+)", " ".join(text.split()))


@dataclass(frozen=True)
class State:
    """What commands may change: the state and rule of each URL, the results, the blacklist and the options."""

    urls: dict[str, tuple[int, str | None]]
    results: frozenset[str]
    blocked: frozenset[str]
    options: frozenset[tuple[object, ...]]

    def changed_to(self, later: State) -> dict[str, tuple[int, str | None] | None]:
        """Return the URLs that differ later, with what they are then; None: it is not known."""
        both = self.urls.keys() | later.urls.keys()
        return {url: later.urls.get(url) for url in both if self.urls.get(url) != later.urls.get(url)}


def state_of(data: Path) -> State:
    """Return the state of a data folder."""
    with CrawlDatabase(data, readonly=True) as database:
        rows = database.connection.execute("SELECT url, state, rule FROM url")
        urls = {url: (state, rule) for url, state, rule in rows}
        results = database.connection.execute("SELECT url.url FROM indexed_page JOIN url ON url.id = indexed_page.url")
        return State(
            urls,
            frozenset(url for (url,) in results),
            frozenset(str(target) for target in blocks.entries(database)),
            frozenset(options_of(database).sorted_choices()),
        )
