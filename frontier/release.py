"""What if a rule about traps was wrong? Then a person lets go what it caught, and it does not hold for that again.

Each such rule costs good pages somewhere (*HTTP: The Definitive Guide*, 9.1.10). A pattern is released as a whole,
under the name that `report traps` shows; a URL by itself, or with `*` at its end all that begin so. Blacklist,
robots.txt and file types hold as before: they are no rules about traps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.journal import Journal
from crawldb.tables.patterns import Patterns, exemptions, put_exemption
from crawldb.tables.queue import held_back_as
from crawldb.tables.urls import Urls
from crawldb.visited import STORED_URL
from frontier.budgets import held_by_depth
from urls.canonical import canonicalize
from urls.rules import Rule
from urls.traps import TRAP_RULES
from urls.traps.shape import Released
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase


@dataclass(frozen=True, slots=True)
class ReleasedTrap:
    """What was released: a pattern or an address, as it was meant, and how many URLs are queued again."""

    target: str
    urls: int
    patterns: int = 0


def release_trap(database: CrawlDatabase, text: str, site: str = "") -> ReleasedTrap:
    """Queue what rules about traps hold back of a pattern, of a URL, or of all URLs that begin as before a `*`.

    `site` limits a pattern to one site. Raises `LookupError` where nothing of the kind was caught, and `UnusableUrl`
    for what is neither a pattern nor an address.
    """
    with database.transaction():
        if text.startswith("/"):
            return _release_pattern(database, text, site)
        return _release_urls(database, text)


def release_everywhere(databases: Sequence[CrawlDatabase], text: str, site: str = "") -> ReleasedTrap:
    """Do it in each part of a divided crawl that has caught it; raise `LookupError` where none has."""
    found: list[ReleasedTrap] = []
    nothing = LookupError()
    for database in databases:
        try:
            found.append(release_trap(database, text, site))
        except LookupError as error:
            nothing = error
    if not found:
        raise nothing
    return ReleasedTrap(found[0].target, sum(each.urls for each in found), sum(each.patterns for each in found))


def _release_pattern(database: CrawlDatabase, name: str, site: str) -> ReleasedTrap:
    patterns = Patterns(database)
    # A program's pattern stands for those of all its combinations.
    accounts = patterns.named(name, site, wide=name.endswith(("?*", "}/*")))
    if not accounts:
        where = f" of {site}" if site else ""
        raise LookupError(f"{name} is no pattern{where}: ./breadcrumb report traps shows those that were closed")
    patterns.release(accounts)
    caught = [found for account in accounts for found in patterns.caught(account)]
    caught += [deeper for account in accounts for deeper in held_by_depth(database, patterns, account)]
    caught = list(dict.fromkeys(caught))
    _queue(database, caught, f"a person released {name}: it may bring as many URLs as it has")
    return ReleasedTrap(name, len(caught), len(accounts))


def _release_urls(database: CrawlDatabase, text: str) -> ReleasedTrap:
    wide = text.endswith("*")
    url = canonicalize(text[:-1] if wide else text)
    if len(url) > STORED_URL:
        raise LookupError(f"{url[:80]}… has {len(url)} characters: of so long an address only the beginning is kept")
    caught = held_back_as(database, TRAP_RULES, url, wide=wide)
    if not caught:
        raise LookupError(
            f"no rule about traps holds {url} back: ./breadcrumb why {shell_word(url)} tells how it stands"
        )
    target = f"{url}*" if wide else url
    put_exemption(database, target)
    _queue(database, caught, f"a person released {target}: no rule about traps holds for it")
    return ReleasedTrap(target, len(caught))


def _queue(database: CrawlDatabase, caught: list[tuple[int, str]], reason: str) -> None:
    row = Journal(database).write(None, Rule.RELEASED_TRAP, reason, [url for _, url in caught], count=len(caught))
    # What explained why they were suppressed now explains why they no longer are.
    Urls(database).requeue([identity for identity, _ in caught], because=row)


def released_urls(database: CrawlDatabase) -> Released:
    """Return what has been released so far."""
    targets = exemptions(database)
    wide = tuple(target[:-1] for target in targets if target.endswith("*"))
    return Released(frozenset(target for target in targets if not target.endswith("*")), wide)
