"""How does a URL enter the frontier? Judged once, under one name, in one state, with where it was found.

Everything that finds URLs ends here: the links of a page, the target of a redirect, the seeds of a person. The
caller holds the transaction, so that a page and what it led to are stored together or not at all.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.frontier.budgets import Budgets
from crawldb.frontier.policy import Standing
from crawldb.frontier.site import site_of
from crawldb.page import CanonicalUrl, Refusal
from crawldb.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from crawldb.frontier.policy import Policy
    from crawldb.tables.journal import Journal

KNOWN_URLS = 1_000_000  # spellings whose ids are kept in memory, at about 160 bytes each
KNOWN_LENGTH = 200  # characters: longer spellings are rare, and would make the bound above meaningless
_OFF_SITE = -1
STORED_URL = 4096  # characters: of a longer URL, which is refused anyway, the beginning and a digest are stored
_BEGINNING = 200


@dataclass(frozen=True, slots=True)
class Origin:
    """Where URLs were found: on the URL with id `source`, `depth` links from a seed, after `hops` redirects."""

    by: str
    source: int | None = None
    depth: int = 0
    hops: int = 0


@dataclass(slots=True)
class Found:
    """What became of the URLs of one page: the ids of those in scope, and the count of those off site."""

    ids: dict[str, int] = field(default_factory=dict)
    off_site: int = 0
    new: int = 0
    refused: dict[str, list[tuple[str, str, int | None]]] = field(default_factory=dict)  # rule: (url, reason, new id)

    def refuse(self, refusal: Refusal, url: str, identity: int | None) -> None:
        """Note a refusal; `identity` is the id of the row that it suppressed, None where the URL has no row."""
        self.refused.setdefault(refusal.rule, []).append((url, refusal.reason, identity))


class Discovery:
    """Brings URLs into the database under the policy, the blacklist and the budgets."""

    def __init__(self, database: CrawlDatabase, policy: Policy, journal: Journal) -> None:
        self._connection = database.connection
        self.policy = policy
        self._journal = journal
        self._budgets = Budgets(database, policy.limits)
        self._known: dict[str, int] = {}
        self._sites: dict[str, int] = {}

    def obey(self, policy: Policy) -> None:
        """Judge by another policy from now on, whatever was judged before."""
        self.policy = policy
        self._known.clear()

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self._known.clear()
        self._sites.clear()

    def discover(self, urls: Iterable[str], origin: Origin) -> Found:
        """Judge absolute URLs and store those in scope: queued, or suppressed with a journal row a rule."""
        found = Found()
        for url in urls:
            if url not in found.ids:
                self._one(url, origin, found)
        for rule, refusals in found.refused.items():
            row = self._journal.write(
                origin.source, rule, refusals[0][1], [url for url, _, _ in refusals], count=len(refusals)
            )
            rows = [(identity, row) for _, _, identity in refusals if identity is not None]
            self._connection.executemany("INSERT OR REPLACE INTO suppression VALUES (?, ?)", rows)
        return found

    def _one(self, url: str, origin: Origin, found: Found) -> None:
        known = self._known.get(url)
        if known is None:
            known = self._judge(url, origin, found)
            if known is None:
                return
            if len(self._known) >= KNOWN_URLS:
                self._known.clear()
            if len(url) <= KNOWN_LENGTH:
                self._known[url] = known
        if known == _OFF_SITE:
            found.off_site += 1
        else:
            found.ids[url] = known

    def _judge(self, url: str, origin: Origin, found: Found) -> int | None:
        """Return the id of `url` or that it is off site; None for what has no lasting answer, or no row."""
        judgement = self.policy.judge(url, origin.depth)
        if judgement.standing is Standing.OFF_SITE:
            return _OFF_SITE
        if judgement.standing is Standing.UNUSABLE or judgement.url is None:
            found.refuse(judgement.refusal or Refusal("scheme", "it is not an address"), url, None)
            return None
        refusal = judgement.refusal
        stored = stored_name(judgement.url)
        row = self._connection.execute("SELECT id, state, rule FROM url WHERE url = ?", (stored,)).fetchone()
        if row is None:
            return self._insert(CanonicalUrl(stored), refusal, origin, found)
        identity, state, rule = row
        if refusal is None and state == State.SUPPRESSED and rule == "depth":
            self._connection.execute(
                "UPDATE url SET state = ?, depth = ? WHERE id = ?", (State.QUEUED, origin.depth, identity)
            )
            self._connection.execute("DELETE FROM suppression WHERE url = ?", (identity,))
        elif refusal is not None and rule == "depth":
            return None  # a shorter way may still be found
        return int(identity)

    def _insert(self, url: CanonicalUrl, refusal: Refusal | None, origin: Origin, found: Found) -> int | None:
        site = self._site(site_of(url))
        refusal = refusal or self._budgets.spend(site, url)
        state = State.SUPPRESSED if refusal else State.QUEUED
        cursor = self._connection.execute(
            "INSERT INTO url (url, site, state, seed, depth, hops, found_on, found_by, found_at, rule) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                url, site, state, origin.by in {"seed", "submit"}, origin.depth, origin.hops, origin.source, origin.by,
                time.time(), refusal.rule if refusal else None,
            ),
        )  # fmt: skip
        identity = int(cursor.lastrowid or 0)
        found.new += 1
        if refusal:
            found.refuse(refusal, url, identity)
            return None if refusal.rule == "depth" else identity
        return identity

    def _site(self, name: str) -> int:
        identity = self._sites.get(name)
        if identity is None:
            self._connection.execute("INSERT OR IGNORE INTO site (name) VALUES (?)", (name,))
            (identity,) = self._connection.execute("SELECT id FROM site WHERE name = ?", (name,)).fetchone()
            self._sites[name] = identity
        return identity


def stored_name(url: CanonicalUrl) -> str:
    """Return the name under which `url` is stored; an overlong one is refused, counted, and not copied."""
    if len(url) <= STORED_URL:
        return url
    from hashlib import blake2b  # noqa: PLC0415 - only for what is refused anyway

    return f"{url[:_BEGINNING]}…#{len(url)}-{blake2b(url.encode(), digest_size=8).hexdigest()}"
