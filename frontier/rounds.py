"""Which round does a run of the crawl continue? The open one, or it opens a new one in which every page is due.

A round ends when all queued URLs were put off: they wait for their time, or their host rests. A run that was stopped,
killed or cut short by `pages=N` leaves its round open. The next run continues it, and fetches nothing again that was
committed. URLs that were put off belong to the next round. They keep their time to wait, and go before the other pages
of their site. So a closed site delays no other site (docs/decisions/0012-nobody-waits-for-a-closed-site.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.clock import RUN_CLOCK
from crawldb.pages.clusters import settle
from crawldb.tables.hosts import (
    assume_leased_hosts_asked,
    bound_rests,
    latest_request,
    take_to_this_clock,
    wake_the_silent,
)
from crawldb.tables.journal import Journal
from crawldb.tables.queue import queued, ready
from crawldb.tables.robots_files import let_robots_expire, silent_sites
from crawldb.tables.runs import (
    BY_ITSELF,
    Run,
    begin_round,
    bury_unended_runs,
    close_round,
    end_of_run,
    enter_run,
    note_manners,
    open_round,
    opened_by,
)
from crawldb.tables.urls import Urls
from frontier.discovery import Discovered, Discovery, Provenance
from robots.freshness import MAX_RETRY
from urls.records import FoundBy
from urls.rules import Rule
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from frontier.job import CrawlJob
    from urls.policy import Policy


def begin_run(database: CrawlDatabase, job: CrawlJob, policy: str = "") -> Run:
    """Begin a run: continue the open round, or open one in which all pages of the job are due.

    Pages that are gone for long are never due. `policy` is the digest of the policy in force
    (`policy_in_force.digest_of`).
    """
    now = RUN_CLOCK.set()
    with database.transaction():
        urls = Urls(database)
        if (latest := latest_request(database)) > now:
            _adapt_to_clock(database, latest, now)
        assume_leased_hosts_asked(database, now)
        urls.give_back_leases()
        bury_unended_runs(database)
        bound_rests(database, now + MAX_RETRY)
        urls.bound_waits(now + MAX_RETRY)  # no response requests more: a later time is that of a clock set back since
        if queued(database) and not ready(database, now):
            close_round(database, now)
        if job.mode is Mode.DUE:
            # Its first pages may be due again, though some of its URLs are queued: they stay so.
            close_round(database, now, opened_until=now - job.revisits.least)
        _retry_silent_hosts(database)
        number = open_round(database)
        resumed = number is not None
        if number is None:
            urls.reopen_round(job.mode, job.stale_after, now)
            number = begin_round(database, now, continues=job.mode is Mode.DISCOVER and not job.partition.whole)
        run, same_policy = enter_run(database, number, policy, now)
        if job.manners is not None:
            note_manners(database, run, job.manners)
        aside = urls.leave_not_due(now) if job.mode is Mode.DUE else 0
        if aside:
            reason = "they were queued by an earlier run, and their time has not come: mode=due leaves them as they are"
            Journal(database, run).write(None, Rule.REVISIT, reason, count=aside)
    return Run(run, number, resumed, same_policy=same_policy, mode=job.mode)


def _adapt_to_clock(database: CrawlDatabase, latest: float, now: float) -> None:
    """Let URLs and hosts wait on from `now`: the latest request is later than now, so the clock was set back.

    `robots/access_state.py` does the same for robots.txt files.
    """
    take_to_this_clock(database, latest, now)
    Urls(database).take_to_this_clock(latest, now)
    opened_by(database, now)


def _retry_silent_hosts(database: CrawlDatabase) -> None:
    """Make the URLs of silent hosts due at once: the person who starts the run may have repaired them.

    A wait that a server requested, such as a Retry-After, stays. Only the wait after silence is dropped: the time since
    the host fails and its last good copy stay (robots/access_state.py).
    """
    wake_the_silent(database)
    for origin, site in silent_sites(database).items():
        let_robots_expire(database, origin)
        Urls(database).end_waits(site)


def add_seeds(
    database: CrawlDatabase, policy: Policy, run: Run | None, seeds: Sequence[str], *, by: FoundBy = FoundBy.SEED
) -> Discovered:
    """Put `seeds` into the root set; return the accepted ones, by the spelling given.

    If a person submits a URL that `forget` took out, it is queued again.
    """
    with database.transaction():
        journal = Journal(database, run.id if run else None)
        found = Discovery(database, policy, journal).discover(seeds, Provenance(by))
        urls = Urls(database)
        urls.join_root_set(found.ids.values())
        if by is FoundBy.SUBMIT:
            urls.requeue([url for url in found.ids.values() if urls.is_forgotten(url)])
    return found


def end_run(database: CrawlDatabase, run: Run, ending: str) -> bool:
    """End a run: clusters choose their canonicals, and leased URLs are queued again.

    Return whether the round ended with it.
    """
    now = RUN_CLOCK.now()
    with database.transaction():
        settle(database)
        Urls(database).give_back_leases()
        waiting = queued(database)
        end_of_run(database, run.id, ending, waiting=waiting, now=now)
        held = ready(database, now) if ending == BY_ITSELF else waiting
        if not held:
            close_round(database, now)
    return not held
