"""Which pages name a page of another part as their canonical URL, and is that one shown? Then they leave the index.

The rule is that of one crawl (crawldb/pages/copies.py). A page is out of the index while the named page is in it and
names no third one. The page comes back when the named page goes. Two parts know half of this each, so both are read.

The driver holds the pairs: some 200 bytes for each page that names one of another part. Few pages do.
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
    """Take out of each index the pages whose canonical in another part is shown; return how many are out.

    Raises `PartsFailed`, and changes nothing, if a part can't be read.
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
