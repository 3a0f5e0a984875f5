"""What is written when a lease ends? Everything about it, in one transaction.

The page or its outcome, the links that it led to, the journal's rows, the change feed and the end of the lease are on
the disk together, or none of them is. So a crash at any instant repeats at most what had not ended, and loses nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.frontier.discovery import Discovery, Found, Origin
from crawldb.page import Fate, Outcome, Page, Refusal
from crawldb.rounds import blacklist, seed_sites
from crawldb.state import State
from crawldb.tables.copies import release
from crawldb.tables.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.tables.links import LinkGraph
from crawldb.tables.pages import Pages
from crawldb.tables.removal import is_indexed, take_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.frontier.policy import Policy
    from crawldb.rounds import Run

MAX_HOPS = 10  # redirects in a row; browsers give up at 20, RFC 9110 names no number
FETCHED = "fetched"
_LINKS_FOLLOWED_DESPITE = frozenset({"noindex", "near-duplicate", "expired", "empty", "frames"})


class Store:
    """Ends leases. One instance a crawl, on the crawl's own connection."""

    def __init__(self, database: CrawlDatabase, policy: Policy, run: Run) -> None:
        self._database = database
        self._connection = database.connection
        self._run = run
        self.journal = Journal(database, run.id)
        self._discovery = Discovery(database, policy, self.journal)
        self._links = LinkGraph(database)
        self._pages = Pages(database)
        self._feed = Feed(database)
        self._requests_seen: object = None

    def page(self, page: Page) -> Found:
        """Store a page and end its lease; return what became of its links.

        A page that a person blocked while it was being fetched is refused, and what it said is not kept.
        """
        with self._writing() as policy:
            refusal = policy.blacklist.refusal(page.url)
            if refusal is None:
                return self._store_page(page)
            self._store_outcome(_refused(page, refusal))
            return Found()

    def outcome(self, outcome: Outcome) -> None:
        """Store how a lease ended without a page."""
        with self._writing() as policy:
            blocked = policy.blacklist.refusal(outcome.url)
            if blocked is not None:
                outcome = replace(outcome, fate=Fate.REFUSED, rule=blocked.rule, reason=blocked.reason)
            self._store_outcome(outcome)

    @contextmanager
    def _writing(self) -> Iterator[Policy]:
        try:
            with self._database.transaction():
                yield self._current_policy()
        except BaseException:
            self._discovery.rolled_back()
            self._links.rolled_back()
            raise

    def _current_policy(self) -> Policy:
        """Return the policy with what `block` and `submit` have changed since the run began."""
        row = self._connection.execute(
            "SELECT (SELECT count(*) FROM block), (SELECT max(at) FROM block), "
            "(SELECT count(*) FROM url WHERE seed = 1)"
        ).fetchone()
        if row != self._requests_seen:
            self._requests_seen = row
            policy = self._discovery.policy
            scope = replace(policy.scope, sites=policy.scope.sites | seed_sites(self._database))
            self._discovery.obey(replace(policy, scope=scope, blacklist=blacklist(self._database)))
        return self._discovery.policy

    def _store_page(self, page: Page) -> Found:
        url, depth, hops = self._lease(page.url)
        before = self._digest(url)
        found = self._discover(page, url, depth, hops)
        self._pages.put(url, page, off_site=found.off_site)
        self._bands(url, page)
        changed = self._replace_links(url, page, found)
        for refusal in page.refusals:
            self.journal.write(url, refusal.rule, refusal.reason)
        for warning in page.warnings:
            self.journal.write(url, "warning", warning)
        if page.links_cut:
            self.journal.write(url, "links-cut", f"{page.links_cut} links beyond the limit a page were not read")
        after = self._digest(url)
        if after != before:
            if before is not None and _says(before) != _says(after):
                self._feed.announce(release(self._database, self.journal, url))
            changed.add(url)
        self._feed.announce(sorted(target for target in changed if target == url or is_indexed(self._database, target)))
        self._fetched(url, page.fetched_at, page.seconds, page.status, len(page.body), FETCHED)
        self._end(url, State.DONE, page.refusals[0].rule if page.refusals else FETCHED)
        return found

    def _discover(self, page: Page, url: int, depth: int, hops: int) -> Found:
        unfollowed = [link.url for link in page.links if link.nofollow]
        followed = [link.url for link in page.links if not link.nofollow]
        if any(refusal.rule not in _LINKS_FOLLOWED_DESPITE for refusal in page.refusals):
            if followed:
                reason = "its content is known or is no page, so its links are not followed"
                self.journal.write(url, "links-not-followed", reason, followed, count=len(followed))
            return Found()
        if unfollowed:
            reason = "the page or the link says nofollow"
            self.journal.write(url, "nofollow", reason, unfollowed, count=len(unfollowed))
        found = self._discovery.discover(followed, Origin("link", url, depth + 1))
        if page.refresh and page.controls.follow and hops < MAX_HOPS:
            self._discovery.discover([page.refresh[1]], Origin("refresh", url, depth + 1, hops + 1))
        elif page.refresh:
            why = f"it is the {hops + 1}th in a row" if page.controls.follow else "the page says nofollow"
            self.journal.write(url, "refresh", f"its refresh is not followed: {why}", [page.refresh[1]])
        return found

    def _replace_links(self, url: int, page: Page, found: Found) -> set[int]:
        links = {(found.ids[link.url], link.text) for link in page.links if link.url in found.ids and not link.nofollow}
        return self._links.replace(url, links)

    def _bands(self, url: int, page: Page) -> None:
        self._connection.execute("DELETE FROM band WHERE url = ?", (url,))
        if page.bands:
            self._connection.executemany(
                "INSERT OR IGNORE INTO band VALUES (?, ?)", [(band, url) for band in page.bands]
            )

    def _digest(self, url: int) -> tuple[object, ...] | None:
        """Return what of a stored page matters to the index; None where nothing is stored."""
        sql = "SELECT fingerprint, title, description, language, content, refusals FROM page WHERE url = ?"
        row: tuple[object, ...] | None = self._connection.execute(sql, (url,)).fetchone()
        return row

    def _store_outcome(self, outcome: Outcome) -> None:
        url, depth, hops = self._lease(outcome.url)
        if outcome.requested:
            self._fetched(url, outcome.fetched_at, outcome.seconds, outcome.status, outcome.size, outcome.rule)
        if outcome.fate is Fate.NOT_MODIFIED:
            self._connection.execute("UPDATE page SET fetched_at = ? WHERE url = ?", (outcome.fetched_at, url))
            self._end(url, State.DONE, outcome.rule)
        elif outcome.fate is Fate.MOVED:
            self._moved(url, outcome, depth, hops)
        elif outcome.fate is Fate.DEFERRED:
            self._defer(url, outcome)
        else:
            self._refused_or_failed(url, outcome)

    def _moved(self, url: int, outcome: Outcome, depth: int, hops: int) -> None:
        take_out(self._database, self.journal, url, self._links)
        rule, reason, target = outcome.rule, outcome.reason, None
        if hops >= MAX_HOPS:
            rule, reason = "redirect-limit", f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
        else:
            found = self._discovery.discover([outcome.target or ""], Origin("redirect", url, depth, hops + 1))
            target = found.ids.get(outcome.target or "")
            if found.off_site:
                rule, reason = "off-site", f"it redirects to {outcome.target}, which is not on a seed's site"
            elif target is None:
                rule, reason = "bad-location", f"it redirects to {outcome.target!r}, which is refused"
            elif self._leads_back(target, url):
                rule, reason = "redirect-loop", f"its redirect to {outcome.target} leads back to it"
        failed = rule in {"redirect-limit", "redirect-loop", "bad-location"}
        self.journal.write(url, rule, reason, [outcome.target or ""])
        self._end(url, State.FAILED if failed else State.DONE, rule, moved_to=target)

    def _leads_back(self, target: int, url: int) -> bool:
        here: object = target
        for _ in range(MAX_HOPS + 1):
            if here == url:
                return True
            here = self._database.value("SELECT moved_to FROM url WHERE id = ?", here)
        return False

    def _defer(self, url: int, outcome: Outcome) -> None:
        self.journal.write(url, outcome.rule, outcome.reason)
        due_at = outcome.fetched_at + (outcome.retry_after or 0)
        self._connection.execute(
            "UPDATE url SET state = ?, due_at = max(due_at, ?), attempts = attempts + ? WHERE id = ?",
            (State.QUEUED, due_at, outcome.requested, url),
        )
        if outcome.whole_origin:
            scheme = outcome.url.partition(":")[0]
            self._connection.execute(
                "UPDATE url SET due_at = max(due_at, ?) WHERE state = ? AND site = (SELECT site FROM url WHERE id = ?) "
                "AND substr(url, 1, ?) = ?",
                (due_at, State.QUEUED, url, len(scheme) + 1, f"{scheme}:"),
            )

    def _refused_or_failed(self, url: int, outcome: Outcome) -> None:
        row = self.journal.write(url, outcome.rule, outcome.reason)
        if outcome.fate is Fate.GONE:
            self._connection.execute("UPDATE url SET misses = misses + 1 WHERE id = ?", (url,))
        if outcome.fate in {Fate.GONE, Fate.REFUSED}:
            take_out(self._database, self.journal, url, self._links)
        if outcome.fate is Fate.REFUSED:
            self._connection.execute("INSERT OR REPLACE INTO suppression VALUES (?, ?)", (url, row))
            self._end(url, State.SUPPRESSED, outcome.rule)
        else:
            self._end(url, State.FAILED, outcome.rule)

    def _lease(self, url: str) -> tuple[int, int, int]:
        row: tuple[int, int, int] | None = self._connection.execute(
            "SELECT id, depth, hops FROM url WHERE url = ?", (url,)
        ).fetchone()
        if row is None:
            raise LookupError(f"{url} was never leased")
        return row

    def _fetched(self, url: int, at: float, seconds: float, status: int | None, size: int, rule: str) -> None:
        self._connection.execute(
            "INSERT INTO fetch (run, url, at, seconds, status, size, rule) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._run.id, url, at, seconds, status, size, rule),
        )

    def _end(self, url: int, state: State, rule: str, *, moved_to: int | None = None) -> None:
        misses = ", misses = 0" if state is State.DONE else ""
        self._connection.execute(
            f"UPDATE url SET state = ?, rule = ?, ended_in = ?, moved_to = ?{misses} WHERE id = ?",
            (state, rule, self._run.round, moved_to, url),
        )


def _refused(page: Page, refusal: Refusal) -> Outcome:
    return Outcome(
        page.url, Fate.REFUSED, refusal.rule, refusal.reason, status=page.status, fetched_at=page.fetched_at,
        seconds=page.seconds, size=len(page.body),
    )  # fmt: skip


def _says(digest: tuple[object, ...] | None) -> object:
    """Return what a copy is a copy of: the fingerprint, and whether the page is in the index at all."""
    return None if digest is None else (digest[0], digest[-1])
