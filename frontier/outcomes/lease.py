"""How does the lease of a URL end? Its row, its request, and the end of its turn are written here.

Each request counts for its site as well. If a site mostly fails, it may be down, moved, or shutting us out, so a person
should look (*HTTP: The Definitive Guide*, 9.5). Ended requests are counted by site and round. Once enough of them have
ended and too many of those failed, there is one row in table `alarm` and one in the journal. The crawl continues: only
a person can stop it for a site (`block`).

Everything here happens within the caller's transaction.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.tables.fetches import (
    SentRequest,
    ended_in_round,
    is_failure,
    newest_failed,
    note_fetch,
    put_alarm,
    sites_with_alarm,
)
from crawldb.tables.sites import site_name_by_id
from crawldb.tables.urls import Kind, State, Urls, under_way
from frontier.followers.order import CrawlFollower
from urls.rules import Rule
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.fetches import AlarmRule
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import Run
    from urls.records import Outcome, Page, Sitemap, Stylesheet

    Response = Page | Outcome | Sitemap | Stylesheet


@dataclass(frozen=True, slots=True)
class LeasedUrl:
    """The row of a URL when its lease ends: `id` and `site` are ids, `depth` counts links from a seed."""

    id: int
    site: int
    depth: int
    hops: int  # redirects in a row that led to it
    kind: Kind
    purpose: Purpose | None  # the purpose of a probe
    is_forgotten: bool  # a person made the crawl forget it while it was fetched: its turn in this round is over


class LeaseWriter:
    """Ends the leases of one run."""

    def __init__(
        self, database: CrawlDatabase, run: Run, journal: Journal, followers: Sequence[CrawlFollower] = ()
    ) -> None:
        self._database = database
        self._urls = Urls(database)
        self.followers = list(followers)
        self.run = run
        self.journal = journal

    def leased(self, url: str) -> LeasedUrl:
        """Return the row of a leased URL."""
        row = under_way(self._database, url)
        if row is None:
            raise LookupError(f"{url} was never leased")
        is_forgotten = (row.state, row.rule, row.ended_in) == (State.DONE, Rule.FORGOTTEN, self.run.round)
        purpose = Purpose(row.purpose) if row.purpose else None
        return LeasedUrl(row.id, row.site, row.depth, row.hops, Kind(row.kind), purpose, is_forgotten)

    def note_request(self, leased: LeasedUrl, response: Response, rule: Rule) -> None:
        """Note the request that was sent for a URL, with its outcome."""
        request = (self.run.id, response.fetched_at, response.seconds, response.status, response.size)
        note_fetch(self._database, SentRequest(*request, rule, url=leased.id))
        for follower in self.followers:
            follower.request_ended(leased.site, response.status, rule)

    def end(
        self,
        url: int,
        state: State,
        rule: Rule,
        *,
        moved_to: int | None = None,
        because: int | None = None,
        next_at: float | None = None,
    ) -> None:
        """End the turn of a URL for this round (`Urls.end`)."""
        self._urls.end(url, state, rule, self.run.round, moved_to=moved_to, because=because, next_at=next_at)

    def rolled_back(self) -> None:
        """Forget changes in memory by a transaction that was rolled back."""
        for follower in self.followers:
            follower.rolled_back()


class Alarms(CrawlFollower):
    """Counts the requests of a round by site, within the transaction that ends each of them."""

    def __init__(self, database: CrawlDatabase, run: Run, journal: Journal, rule: AlarmRule) -> None:
        self._database = database
        self._run = run
        self._journal = journal
        self._rule = rule
        self._counted: tuple[Counter[int], Counter[int]] | None = None  # ended and failed, by site
        self._sounded: set[int] = set()

    def request_ended(self, site: int, status: int | None, rule: str) -> None:
        """Count a request to a site (by its id) that was just written down; sound the alarm if it is one too many."""
        failed = is_failure(status, rule)
        if failed is None:
            return
        if self._counted is None:
            self._counted = self._count()
        else:
            self._counted[0][site] += 1
            self._counted[1][site] += failed
        ended, failures = self._counted[0][site], self._counted[1][site]
        if failed and site not in self._sounded and self._rule.sounds(failures, ended):
            self._sound(site, failures, ended)

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had counted."""
        self._counted = None

    def _count(self) -> tuple[Counter[int], Counter[int]]:
        """Count what the runs of this round before this one, and this one, have requested so far."""
        self._sounded = sites_with_alarm(self._database, self._run.round)
        ended: Counter[int] = Counter()
        failed: Counter[int] = Counter()
        for site, status, rule, count in ended_in_round(self._database, self._run.round):
            failure = is_failure(status, rule)
            if failure is not None:
                ended[site] += count
                failed[site] += count * failure
        return ended, failed

    def _sound(self, site: int, failed: int, ended: int) -> None:
        name = site_name_by_id(self._database, site)
        fetches = counted(ended, "fetch", "fetches")
        block = f"./breadcrumb block --site {shell_word(name)}"
        reason = f"{failed} of {fetches} of {name} failed in this round; {block} leaves it alone"
        put_alarm(self._database, site, self._run.round, failed, ended, reason)
        self._journal.write(None, Rule.ALARM, reason, newest_failed(self._database, site, self._run.id), count=failed)
        self._sounded.add(site)
