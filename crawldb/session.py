"""What does a running crawl hold? The folder's lock, the database, the policy on URLs, the frontier and the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase, StorageError
from crawldb.frontier.frontier import Frontier
from crawldb.frontier.policy import Policy
from crawldb.frontier.review import digest_of, review
from crawldb.frontier.scope import Breadth, Scope
from crawldb.frontier.site import site_of
from crawldb.frontier.traps import Limits
from crawldb.lock import CrawlLock
from crawldb.rounds import Run, add_seeds, begin_run, blacklist, end_run, seed_sites, seed_urls
from crawldb.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawldb.page import CanonicalUrl


class NoSeedsError(Exception):
    """Nothing to crawl: no seeds were given, and the folder remembers none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a crawl is told: canonical seeds, how far it may go, and the limits."""

    seeds: Sequence[CanonicalUrl] = ()
    breadth: Breadth = Breadth.HOST
    limits: Limits = field(default_factory=Limits)
    ports: frozenset[int] = frozenset()
    stale_after: int = 3


class Session:
    """One run of the crawl on one data folder; no other crawl can open it meanwhile."""

    def __init__(self, data_dir: Path, plan: Plan) -> None:
        self._lock = CrawlLock(data_dir)
        try:
            self.database = CrawlDatabase(data_dir)
            self.policy = self._policy(data_dir, plan)
            self.run: Run = begin_run(self.database, stale_after=plan.stale_after, policy=digest_of(self.policy))
            if not self.run.same_policy:
                review(self.database, self.policy)
            self.seeds_found = add_seeds(self.database, self.policy, self.run, plan.seeds)
        except BaseException:
            self._lock.release()
            raise
        self.trouble = ""  # why the run had to end, where the database could not be written
        self.seed_urls = seed_urls(self.database)
        last = self.database.value("SELECT max(at) FROM fetch")
        self.last_request_at = last if isinstance(last, float) else 0.0
        self.frontier = Frontier(self.database)
        self.store = Store(self.database, self.policy, self.run)

    def _policy(self, data_dir: Path, plan: Plan) -> Policy:
        sites = seed_sites(self.database) | {site_of(seed) for seed in plan.seeds}
        if not sites:
            raise NoSeedsError(
                f"{data_dir} has no seeds yet: say where to begin with -a seeds=URL, several with commas, or a file"
            )
        return Policy(Scope(sites, plan.breadth), blacklist(self.database), plan.limits, ports=plan.ports)

    def close(self, ending: str) -> bool:
        """End the run and free the folder; return whether the round ended with it."""
        try:
            return end_run(self.database, self.run, ending)
        except StorageError as error:
            self.trouble = self.trouble or str(error)  # the next run finds the leases and queues them again
            return False
        finally:
            self.database.close()
            self._lock.release()
