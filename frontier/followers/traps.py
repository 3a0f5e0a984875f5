"""Do the pages of a URL pattern still have new content, or does their site generate them? Two followers of each page.

`TrapYield` counts a page for its patterns, which it widens or closes. `urls/traps.py` has the rule,
`frontier/budgets.py` the number of URLs that a pattern may bring. A pattern whose pages have new content earns more
URLs. A pattern without new content is closed: the crawl suppresses its queued URLs, with one row of the journal, until
a person releases it.

`TrapProbe` requests a URL of an endless pattern that no page links to. A probe is a row of `url` like any other:
robots.txt, pace and journal apply. It has one request, is never a page, and ends as suppressed
(`urls/generated_urls.py` has the reasons).

Both first check whether the path to a page goes through pages of its own pattern. Only then can there be ever more of
them. The list on a single page has an end, however alike its entries are.

Some traps are wider than one pattern. Each link of `/shop/red/`, `/shop/red/large/`, … is in a folder of its own, and
each `?print=1` belongs to another page: no narrow pattern ever has enough of them. So paths that grow with each link
count as a tree, below the first folder of their site. Views of pages count by the names of their parameters alone, and
only if they are copies.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.pages.pages import Pages
from crawldb.tables.links import address_of, last_steps, page_before, page_before_on_site, pages_before
from crawldb.tables.queue import queued_pages
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, Urls
from crawldb.visited import find
from frontier.budgets import depth_of_written, held_by_depth, rule_of_closing
from urls.canonical import canonicalize
from urls.generated_urls import (
    LINKS_BEFORE_A_PROBE,
    LISTED_DEPTH,
    NOTHING_NEW,
    PAGES_BEFORE_A_PROBE,
    PROBES,
    Authorship,
    authorship,
    random_url,
)
from urls.records import NO_SUCH_PAGE, FoundBy, LeaseEnd, Page
from urls.rules import Rule
from urls.traps import (
    GROWTH,
    TELLS_NOTHING,
    PatternKind,
    all_patterns_of,
    closing_reason,
    is_cyclic,
    is_dated,
    is_exhausted,
    line_lengths,
    line_marks,
    page_marks,
    path_and_query,
    patterns_of,
    repeats,
    says_nothing_new,
    trees_of,
    views_of,
    words_of,
)
from urls.wording import counted

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.learnt import SiteProbes
    from crawldb.pages.clusters import Clusters
    from crawldb.tables.journal import Journal
    from crawldb.tables.url_counts import PatternCounts
    from frontier.budgets import Budgets
    from frontier.discovery import Discovery
    from frontier.followers.order import WrittenPage
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import CanonicalUrl, Outcome
    from urls.traps import Pattern

STEPS = 2  # links in a row, each to a URL below its page


def comes_from_its_own_pattern(database: CrawlDatabase, url: int, pattern: Pattern) -> bool:
    """Return whether one of the last two pages before `url` is of its pattern too: then it comes from no list."""
    return any(pattern in patterns_of(name) for name in last_steps(database, url, STEPS)[1:])


def path_grows(database: CrawlDatabase, url: int, address: CanonicalUrl) -> bool:
    """Return whether each of the last links to `url` goes below its own page: `/a/`, `/a/b/`, `/a/b/c/`."""
    if path_and_query(address)[0].count("/") <= STEPS:
        return False  # it is not as deep as that: no need to search for the path to it
    folders = [name.partition("?")[0].rpartition("/")[0] for name in last_steps(database, url, STEPS)]
    return len(folders) > STEPS and all(below.startswith(f"{above}/") for below, above in pairwise(folders))


def may_be_endless(database: CrawlDatabase, url: int, pattern: Pattern, *, dated: bool = False) -> bool:
    """Return whether the path from a seed to `url` goes through its pattern (urls/traps.py has the rule)."""
    return is_cyclic(pages_before(database, url), pattern, dated=dated)


class TrapYield:
    """Counts pages with and without new content, and closes or widens their patterns."""

    def __init__(self, database: CrawlDatabase, budgets: Budgets, journal: Journal) -> None:
        self._database = database
        self._budgets = budgets
        self._patterns = budgets.patterns
        self._journal = journal
        self._urls = Urls(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Count a page at its first visit; later visits do not count."""
        if stored.is_new:
            stored.has_new_content = self._count(stored.url, stored.site, stored.page)

    def _count(self, url: int, site: int, page: Page) -> bool:
        """Enter a page into its patterns' counts, and close or widen them; return whether it has new content."""
        if any(refusal.rule in TELLS_NOTHING for refusal in page.refusals):
            return False
        tallies = [self._patterns.ensure(site, pattern) for pattern in patterns_of(page.url)]
        fresh = not says_nothing_new(page)
        self._note_in_tree_or_views(url, site, page, is_copy=not fresh)
        widest = tallies[-1]
        if fresh and widest.pattern.kind is not PatternKind.FOLDER:
            fresh = self._patterns.has_new_line(widest.id, page_marks(page, widest.pattern))
        for tally in tallies:
            self._note(url, page, tally, fresh=fresh)
        if fresh:
            self._credit(url, site, {tally.pattern for tally in tallies})
        return fresh

    def _note(self, url: int, page: Page, tally: PatternCounts, *, fresh: bool) -> None:
        counts = not fresh and (
            may_be_endless(self._database, url, tally.pattern, dated=is_dated(page.url)) or self.overflows(tally.id)
        )
        barren = self._patterns.note_page(tally.id, page, fresh=fresh, counts=counts)
        if fresh and not tally.closed:
            self._widen(url, tally)
        if self._is_over(tally, barren):
            wasted = tally.wasted + 1  # with the page that was just entered
            self._close(url, tally, closing_reason(tally.pattern.name, wasted, wasted + tally.fresh))

    def _note_in_tree_or_views(self, url: int, site: int, page: Page, *, is_copy: bool) -> None:
        """Enter a page into the counts of its tree or its views, and close that if it is over."""
        patterns, views = self._patterns, views_of(page.url)
        if views is not None:
            tally = patterns.ensure(site, views)
            barren = patterns.note_page_of_tree_or_views(tally.id, fresh=not is_copy, counts=is_copy)
            if self._is_over(tally, barren):
                copies = counted(barren, "page was a copy of a known one", "pages in a row were copies of known ones")
                self._close(url, tally, f"with the parameters of {views.name[:100]}, {copies}")
        elif patterns_of(page.url)[0].kind is PatternKind.FOLDER and path_grows(self._database, url, page.url):
            tree = trees_of(page.url)[0]
            tally = patterns.ensure(site, tree)
            fresh = not is_copy and patterns.has_new_line(tally.id, page_marks(page, tree))
            barren = patterns.note_page_of_tree_or_views(tally.id, fresh=fresh, counts=not fresh)
            if self._is_over(tally, barren):
                pages = counted(barren, "page")
                why = f"paths below {tree.name[:100]} grow with each link, and {pages} in a row had no new content"
                self._close(url, tally, why)

    def _is_over(self, tally: PatternCounts, barren: int) -> bool:
        """Return whether so many barren pages exhaust the patience with a pattern that may be closed."""
        patience = self._budgets.limits.trap_patience
        return tally.may_be_closed and is_exhausted(tally.pattern, barren, patience)

    def overflows(self, pattern_id: int, by: int = 1) -> bool:
        """Return whether `by` links to a pattern wait for it to earn more: then not even one page's list need end."""
        return len(self._patterns.waiting(pattern_id, Rule.PATTERN_BUDGET, by)) == by

    def close_made_up(self, url: int, pattern_id: int) -> None:
        """Close a pattern that has a page for any name, as the response to the probe `url` has shown."""
        if self._patterns.by_id(pattern_id).exempt:
            return  # a person released it while it was requested
        self._patterns.set_authorship(pattern_id, Authorship.MADE_UP)
        self._patterns.waste_growth(pattern_id)
        probes = " and at ".join(self._patterns.probe_urls(pattern_id))
        why = f"its site generates pages: there is one at {probes}, which Breadcrumb generated"
        self._close(url, self._patterns.by_id(pattern_id), why)

    def queue_deeper(self, url: int, pattern_id: int) -> None:
        """Queue URLs that only MAX_DEPTH keeps out of a pattern with written pages, as the probe `url` has shown."""
        deeper = held_by_depth(self._database, self._patterns, pattern_id)
        if deeper:
            depth = depth_of_written(self._budgets.limits.max_depth)
            self._urls.requeue([identity for identity, _ in deeper], depth=depth)
            why = "people wrote the pages of their pattern, so it may go beyond MAX_DEPTH"
            self._journal.write(url, Rule.PATTERN_EARNED, why, [name for _, name in deeper])

    def _credit(self, url: int, site: int, patterns: set[Pattern]) -> None:
        """Credit the list that links to a page of another kind with the content of that page."""
        found_on = page_before_on_site(self._database, url, site)
        for pattern in patterns_of(found_on) if found_on else ():
            if pattern not in patterns:
                self._patterns.credit(site, pattern)

    def _widen(self, url: int, tally: PatternCounts) -> None:
        """Queue some of the URLs that waited for their pattern to earn more."""
        if tally.pattern.kind is not PatternKind.NUMBERED or tally.urls < self._budgets.limits.pattern_pages:
            return
        waiting = self._patterns.waiting(tally.id, Rule.PATTERN_BUDGET, GROWTH)
        if waiting:
            self._patterns.count_url(tally.id, len(waiting))
            self._urls.requeue([identity for identity, _ in waiting])
            why = f"{tally.pattern.name[:100]} had new content, so more of its URLs may be fetched"
            self._journal.write(url, Rule.PATTERN_EARNED, why, [name for _, name in waiting])

    def _close(self, url: int, tally: PatternCounts, why: str) -> None:
        """Suppress the queued URLs of a pattern that has had its chance, with one row of the journal."""
        pattern = tally.pattern
        self._patterns.close(tally.id, why)
        queued = queued_pages(self._database, tally.site, deeper_than=LISTED_DEPTH if pattern.is_tree else -1)
        caught = [
            (identity, name)
            for identity, name in queued
            if pattern in all_patterns_of(name) and not self._budgets.is_released(tally.site, name)
        ]
        rule, ids = rule_of_closing(tally), [identity for identity, _ in caught]
        row = self._journal.write(url, rule, why, [name for _, name in caught], count=len(caught))
        self._urls.suppress(ids, rule, row)
        self._patterns.let_wait(tally.id, ids)


class TrapProbe:
    """Requests a URL of an endless pattern that no page links to, and learns whether the site generates pages."""

    def __init__(
        self,
        database: CrawlDatabase,
        discovery: Discovery,
        leases: LeaseWriter,
        probes: SiteProbes,
        clusters: Clusters,
        trap_yield: TrapYield,
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._budgets = discovery.budgets
        self._patterns = discovery.budgets.patterns
        self._leases = leases
        self._journal = leases.journal
        self._probes = probes
        self._clusters = clusters
        self._yield = trap_yield
        self._pages = Pages(database)
        self._urls = Urls(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Check whether the site generates pages, if the pattern of a page with new content continues by itself."""
        if not stored.has_new_content or not self._budgets.limits.trap_patience:
            return
        page, leased = stored.page, stored.leased
        own = patterns_of(page.url)[0]
        trees = trees_of(page.url) if leased.depth > LISTED_DEPTH else ()
        patterns = (own,) if own.kind is PatternKind.NUMBERED else trees
        if not patterns or self._budgets.is_released(leased.site, page.url):
            return  # or a person has released it
        for pattern in patterns:
            tally = self._patterns.ensure(leased.site, pattern)
            if tally.authorship is Authorship.UNASKED and tally.may_be_closed and self._is_endless(leased, tally):
                bare = pattern.is_tree and not self._patterns.has_new_line(tally.id, list(_own_lines(page)))
                grown = self._patterns.note_growth(tally.id, bare=bare)
                stored.asks |= grown >= PAGES_BEFORE_A_PROBE and self._send_probe(leased, tally, page)

    def _is_endless(self, leased: LeasedUrl, tally: PatternCounts) -> bool:
        """Return whether a pattern continues from its own pages, or has far more links than its limit."""
        goes_on = may_be_endless if tally.pattern.is_tree else comes_from_its_own_pattern
        return goes_on(self._database, leased.id, tally.pattern) or self._yield.overflows(
            tally.id, LINKS_BEFORE_A_PROBE
        )

    def _send_probe(self, leased: LeasedUrl, tally: PatternCounts, page: Page) -> bool:
        self._patterns.set_authorship(tally.id, Authorship.ASKED)
        self._patterns.new_lines(tally.id, line_marks(page.title, page.visible_text))
        names = [random_url(page.url, tally.pattern, attempt) for attempt in range(PROBES)]
        urls = [canonicalize(name) for name in names if name is not None]
        blocked = self._discovery.policy.blocked
        if len(set(urls)) < PROBES or any(blocked(url, url) or find(self._database.connection, url) for url in urls):
            return False
        for url in urls:
            new = NewUrl(url, leased.site, FoundBy.PROBE, leased.id, leased.depth, urgency=SITEMAP_URGENCY)
            self._probes.add(self._urls.enqueue(new), Purpose.TRAP, pattern=tally.id)
        name = tally.pattern.name[:100]
        reason = f"other pages of {name} led to {PAGES_BEFORE_A_PROBE} of its pages: would it have a page for any name?"
        self._journal.write(leased.id, Rule.PROBE, reason, urls)
        return True

    # -- What the response says about the pattern

    def response_stored(self, leased: LeasedUrl, response: Page | Outcome) -> None:
        """End the lease of a probe, and draw the conclusion for its pattern once the responses allow one."""
        pattern_id = self._probes.pattern_of(leased.id)
        if isinstance(response, Page) or response.requested:
            self._leases.note_request(leased, response, Rule.PROBE)
        news = self._news(pattern_id, response)
        words = {None: "no usable response", 0: "no such page", NOTHING_NEW: "a page that says nothing new"}
        shown = words.get(news, f"a page with {counted(news or 0, 'character')} of its own")
        reason = f"requested to see whether its site generates pages, at a URL that no page links to: {shown}"
        self._leases.suppress(leased, Rule.PROBE, reason)
        if news is not None:
            self._conclude(leased.id, pattern_id, news)

    def _news(self, pattern_id: int, response: Page | Outcome) -> int | None:
        """Return how many characters of a response are new to the pattern; 0: it is no page, None: it says nothing."""
        if not isinstance(response, Page):
            return 0 if response.fate in {LeaseEnd.GONE, LeaseEnd.MOVED} or response.status in NO_SUCH_PAGE else None
        page = replace(response, resemblance=self._clusters.likeness(response.signature))
        if says_nothing_new(page):
            return NOTHING_NEW if repeats(page) else 0
        if any(refusal.rule in TELLS_NOTHING for refusal in page.refusals):
            return 0
        lines = _own_lines(page)
        new = self._patterns.new_lines(pattern_id, list(lines), keep=len(lines))
        return sum(lines[mark] for mark in new) or NOTHING_NEW

    def _conclude(self, url: int, pattern_id: int, news: int) -> None:
        before = self._probes.put_news(url, pattern_id, news)
        before_it = page_before(self._database, url)
        found_on = self._pages.get(address_of(self._database, before_it) or "")
        bare = self._patterns.bare(pattern_id)
        verdict = authorship([*before, news], len(found_on.visible_text) if found_on else 0, bare)
        if verdict is Authorship.MADE_UP:
            self._yield.close_made_up(url, pattern_id)
        elif verdict is Authorship.WRITTEN:
            self._patterns.set_authorship(pattern_id, verdict)
            self._yield.queue_deeper(url, pattern_id)


def _own_lines(page: Page) -> dict[int, int]:
    """Return the lines of a page that do more than name links or repeat its address, as `line_lengths` does."""
    return line_lengths(page.title, page.visible_text, words_of((page.url, *(link.text for link in page.links))))
