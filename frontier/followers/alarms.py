"""Does a site mostly fail? It may be down, moved, or shutting us out, so a person should look.

*HTTP: The Definitive Guide*, 9.5. Ended requests are counted by site and round. Once enough of them have ended and too
many of those failed, there is one row in table `alarm` and one in the journal. The crawl continues: only a person can
stop it for a site (`block`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from crawldb.tables.fetches import ended_in_round, is_failure, newest_failed, put_alarm, sites_with_alarm
from crawldb.tables.sites import site_name_by_id
from frontier.followers.order import CrawlFollower
from urls.rules import Rule
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.fetches import AlarmRule
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import Run


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
