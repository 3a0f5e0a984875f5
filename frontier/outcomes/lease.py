"""How does the lease of a URL end? Its row, its request, and the end of its turn are written here.

Everything here happens within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.fetches import SentRequest, note_fetch
from crawldb.tables.urls import Kind, State, Urls, under_way
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import Run
    from frontier.followers.order import CrawlFollower
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
