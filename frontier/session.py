"""Which resources does a running crawl hold? Its lock, the database, the URL policy, the frontier and the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.database import FULL, StorageError
from crawldb.databases import claim_folder, open_whole
from crawldb.lock import CrawlLock
from crawldb.tables.runs import FULL_DISK, Run, Usage, note_usage, peak_of_this_process
from crawldb.tables.seeds import mark_seeds, seed_urls
from crawldb.tables.sites import are_applied, take_over_from_seeds
from extension_points import manager
from frontier.aliases import merge_aliases
from frontier.leases import Frontier
from frontier.policy_in_force import digest_of, hold_back_sites, policy_in, review
from frontier.rounds import add_seeds, begin_run, end_run
from frontier.store import Store
from frontier.takedown import BlacklistFile, remove_noted_copies
from frontier.url_orders import order_of
from urls.canonical import site_of

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.job import CrawlJob
    from urls.policy import Policy

EXCHANGE_SECONDS = 1.0  # between two looks of a partition into the outboxes of the others


class NoSeedsError(Exception):
    """Nothing to crawl: no seeds were given, and the folder has none."""


class Session:
    """One run of the crawl on one data folder; no other crawl can open it meanwhile."""

    def __init__(self, data_dir: Path, job: CrawlJob) -> None:
        self._lock = CrawlLock(data_dir)
        try:
            self.database = open_whole(data_dir)
            self.database.check()
            self.blacklist_file = BlacklistFile(job.blacklist_file)
            with self.database.transaction():
                self.blacklist_file.begin(self.database)
                take_over_from_seeds(self.database, job.options)
            remove_noted_copies(self.database)
            claim_folder(self.database, job.partition)
            self.policy = self._policy(data_dir, job)
            self.run: Run = begin_run(self.database, job, digest_of(self.policy))
            if not self.run.same_policy:
                review(self.database, self.policy, self.run.id)
            hold_back_sites(self.database, self.policy, self.run.id)
            if not are_applied(self.database):  # options of sites were changed since the last run
                with self.database.transaction():
                    merge_aliases(self.database, self.policy, self.run.id)
            self.seeds_found = add_seeds(self.database, self.policy, self.run, job.seeds)
            mark_seeds(self.database, self.policy, job.marks)
        except BaseException:
            self._lock.release()
            raise
        self._is_closed = False
        self._received_at = 0.0  # the time of the last exchange with other partitions
        self.received = 0  # bytes that came over the network
        self.trouble = ""  # why the run had to end: it could not write the database, or it sent MAX_REQUESTS
        self.seed_urls = seed_urls(self.database)
        manager().hook.crawl_begins(database=self.database, job=job)
        self.frontier = Frontier(self.database, mode=job.mode, order=order_of(self.database, job))
        self.store = Store(self.database, self.policy, self.run, job, self.blacklist_file)

    def receive(self) -> None:
        """Store the URLs and links that other partitions of the crawl have handed over, at most once a second."""
        now = time.monotonic()
        if not self.store.exchange.divides or now - self._received_at < EXCHANGE_SECONDS:
            return
        self._received_at = now
        for delivery in self.store.exchange.waiting():
            self.store.receive(delivery)

    def _policy(self, data_dir: Path, job: CrawlJob) -> Policy:
        sites = {site_of(seed) for seed in job.seeds}
        policy = policy_in(self.database, breadth=job.breadth, limits=job.limits, ports=job.ports, sites=sites)
        if not policy.scope.sites:
            raise NoSeedsError(
                f"{data_dir} has no seeds yet: say where to begin with -a seeds=URL, several with commas, or a file"
            )
        return policy

    def close(self, ending: str) -> bool:
        """End the run and free the folder; return whether the round ended with it. A second call does nothing."""
        if self._is_closed:
            return False
        self._is_closed = True
        unwritten = ""
        try:
            note_usage(self.database, self.run.id, Usage(peak_of_this_process(), received=self.received))
            with self.database.transaction():
                self.store.write_notes()
            remove_noted_copies(self.database)
            manager().hook.crawl_ends(database=self.database, journal=self.store.journal)
            return end_run(self.database, self.run, self._cause(ending))
        except StorageError as error:
            self.trouble = self.trouble or str(error)  # the next run finds the leases and queues them again
            unwritten = self._cause("storage")
            return False
        finally:
            self.database.close()
            self._lock.release(self.run.id, unwritten)

    def _cause(self, ending: str) -> str:
        return FULL_DISK if any(words in self.trouble for words in FULL) else ending
