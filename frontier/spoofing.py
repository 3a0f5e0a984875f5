"""Which pages spoof together? Doorways, link farms and anchor bombs, judged from the crawl database after a run.

- Doorways: pages that say the same but for the name that each calls itself by, and lead to one place (Google's spam
  policies, "doorway abuse"). A series of honest pages differs in more than a name, or links to more than one place.
- A link farm: pages of several sites, with little text, that link to each other (link_farms.py).
- An anchor bomb: many links of few other sites call a page what it does not speak of. The page itself may be innocent,
  so the signal takes only from what those words give.

Each question is bounded in rows, and all together in time: what took longer is journaled, and the signals stay as they
were.
"""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import unquote

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.pages.signals import (
    alike_but_for_names,
    replace_signals,
    same_words_from_others,
    targets_of,
)
from crawldb.tables.paths import address_of
from frontier.link_farms import link_farms
from pages.content.keyword_stuffing import tokens
from urls.rules import Rule
from urls.signals import Signal, SignalName, signal, strength, strongest
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.pages.signals import Bomb, Likeness
    from crawldb.tables.journal import Journal

MAX_SECONDS = 10.0  # for all questions; a million links take two
STEPS = 100_000  # of SQLite's machine, after which the clock is looked at
MAX_TARGETS = 3  # places outside their group to which doorways link: one is where they lead, the others are a menu
MAX_NAME_WORDS = 3  # in which the titles of two doorways differ
SHORT_TEXT = 20  # words: pages with fewer say the same more easily, as those of a gallery do
MORE_OF_THEM = 2  # times as many of them are needed
FEW_SOURCES = 3  # sites from which a bomb's links come
SHORT = 3  # letters of words that mostly hold a sentence together
_OF_ANY_PAGE = frozenset(
    {"back", "click", "down", "here", "home", "link", "more", "next", "page", "read", "site", "website"}
)


@dataclass(frozen=True, slots=True)
class GroupThresholds:
    """From how many pages or links on something is a sign."""

    doorways: int = 3  # pages that say the same but for the name in their title, and all lead to one place
    farm_pages: int = 5  # pages of other sites, each with fewer than 100 words, that link back
    bomb_links: int = 5  # links from other sites, three at most, with the same words, none of which the page has


USUAL = GroupThresholds()


def judge_together(database: CrawlDatabase, journal: Journal, thresholds: GroupThresholds = USUAL) -> int:
    """Judge all pages together, and put those whose signals changed into the feed; return how many did."""
    until = time.monotonic() + MAX_SECONDS
    database.connection.set_progress_handler(lambda: time.monotonic() > until, STEPS)
    found: dict[int, list[Signal]] = defaultdict(list)
    try:
        for url, each in chain(
            _doorways(database, thresholds),
            link_farms(database, max(thresholds.farm_pages, 1)),
            _bombs(database, thresholds),
        ):
            found[url].append(each)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        database.connection.set_progress_handler(None, 0)
        with database.transaction():
            journal.write(None, Rule.SPOOFING, f"the judgement of all pages together took more than {MAX_SECONDS:g} s")
        return 0
    finally:
        database.connection.set_progress_handler(None, 0)
    with database.transaction():
        changed = replace_signals(database, {url: strongest(signals) for url, signals in found.items()})
        Feed(database).announce(changed)
    return len(changed)


def _doorways(database: CrawlDatabase, thresholds: GroupThresholds) -> Iterator[tuple[int, Signal]]:
    least = max(thresholds.doorways, 2)
    for members in alike_but_for_names(database, least):
        is_short = max(member.words for member in members) < SHORT_TEXT
        names = _differing_words(members) if not is_short or len(members) >= MORE_OF_THEM * least else []
        place = _one_place(database, members) if names else ""
        if place:
            evidence = (
                f"{counted(len(members), 'page')} say the same but for a name ({', '.join(names[:4])} …) "
                f"and lead to {place}"
            )
            each = signal(SignalName.DOORWAY, strength(len(members), least), evidence)
            yield from ((member.url, each) for member in members)


def _differing_words(members: list[Likeness]) -> list[str]:
    """Return in which words the titles differ, where each has its own, and few of them; else nothing."""
    titles = [frozenset(tokens(member.title)) for member in members]
    shared = frozenset.intersection(*titles)
    own = [title - shared for title in titles]
    if not shared or len(set(own)) < len(own) or not all(1 <= len(words) <= MAX_NAME_WORDS for words in own):
        return []
    return [" ".join(sorted(words)) for words in own]


def _one_place(database: CrawlDatabase, members: list[Likeness]) -> str:
    """Return the place to which all of these pages lead; "" where there is none, or they link to many others."""
    urls = {member.url for member in members}
    outside = [targets - urls for targets in targets_of(database, urls).values()]
    everywhere = set.intersection(*outside)
    if len(set.union(*outside)) > MAX_TARGETS:
        return ""
    leads = {member.lead for member in members}
    if len(leads) == 1 and "" not in leads:
        return leads.pop()
    found = max(everywhere, default=None)  # known last: a menu is met before what only these pages link to
    return address_of(database, found) or ""


def _bombs(database: CrawlDatabase, thresholds: GroupThresholds) -> Iterator[tuple[int, Signal]]:
    pages = Pages(database)
    for bomb in same_words_from_others(database, max(thresholds.bomb_links, 1)):
        if bomb.sites <= FEW_SOURCES and _is_foreign(pages, bomb):
            evidence = (
                f"{counted(bomb.links, 'link')} on {counted(bomb.sites, 'other site')} with the words "
                f"“{bomb.text[:60]}”, which the page does not say"
            )
            yield (
                bomb.target,
                signal(SignalName.ANCHOR_BOMB, strength(bomb.links, max(thresholds.bomb_links, 1)), evidence),
            )


def _is_foreign(pages: Pages, bomb: Bomb) -> bool:
    """Return whether a page has none of the words of these links."""
    page = pages.get(bomb.url)
    if page is None:
        return False
    said = set(tokens(" ".join((page.title, page.description, *page.headings, page.text, unquote(page.url)))))
    words = [
        word for word in tokens(bomb.text) if word not in _OF_ANY_PAGE and (len(word) > SHORT or not word.isascii())
    ]
    return bool(words) and said.isdisjoint(words)
