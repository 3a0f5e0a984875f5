"""Which pages name one of another part as their canonical address, and does that one stand? Then they stand aside.

The rule is that of one crawl (crawldb/pages/copies.py): a page stands aside while the one that it names is in the index
and names nobody else, and comes back when that one goes. Two parts know half of it each, so both are asked.

The driver holds the pairs: some 200 bytes for a page that names one of another part, and few do.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.pages.copies import follow, named_elsewhere, those_shown
from crawldb.pages.feed import Feed
from crawldb.tables.journal import Journal
from extensions.machines.jobs.each_part import ask_each, ask_some, change_each
from extensions.machines.tasks.places import PartChange
from indexer.following import catch_up
from urls.records import CanonicalUrl
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.tasks.places import PartsPlace


def fold_canonicals(place: PartsPlace, runner: TaskRunner | None = None) -> int:
    """Let pages of all parts stand aside for the page of another part that they name; return how many do.

    Raises `PartsFailed`: where a part can't be read, nothing is changed.
    """
    named = ask_each(place, _named_in, runner)
    wanted: dict[int, set[str]] = {}
    for rows in named.values():
        for target, _ in rows.values():
            wanted.setdefault(place.parts[0].owner(site_of(CanonicalUrl(target))), set()).add(target)
    questions = {part: partial(_shown_in, targets=wanted[part.number]) for part in place.parts if part.number in wanted}
    shown = set[str]().union(*ask_some(place, questions, runner).values())
    stands = {part: {url: target in shown for url, (target, _) in rows.items()} for part, rows in named.items()}
    changes = {
        part: PartChange(partial(_follow, stands=changed), catch_up)
        for part, rows in named.items()
        if (changed := {url: stands[part][url] for url, (_, before) in rows.items() if stands[part][url] != before})
    }
    change_each(place, changes, runner)
    return sum(sum(each.values()) for each in stands.values())


def _named_in(folder: Path) -> dict[int, tuple[str, bool]]:
    with CrawlDatabase(folder, readonly=True) as database:
        return named_elsewhere(database)


def _shown_in(folder: Path, targets: Collection[str]) -> set[str]:
    with CrawlDatabase(folder, readonly=True) as database:
        return those_shown(database, targets)


def _follow(folder: Path, stands: Mapping[int, bool]) -> None:
    with CrawlDatabase(folder) as database:
        with database.transaction():
            Feed(database).announce(follow(database, Journal(database, None), stands))
        database.seal()
