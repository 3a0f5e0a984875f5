"""What does a stored page change? The rows of its copies, the name and template of its site, and its next visit.

`Copies` handles exact copies and canonical pages. If a page has changed, one of its former copies takes its place.
Pages that name it as their canonical page stand aside, or come back. All of them go into the change feed.

`NearCopies` puts a page into the cluster of its near duplicates, and journals why it joined.

`SiteNames` and `TemplateSample` learn from a bounded sample of a site's stored pages, while a crawl runs. The stored
title of a page keeps the site's name, so the name can change at any time. Then one row changes, and the pages with the
name in their titles go into the change feed.

`Revisits` notes each visit, and the next one follows from whether the page has changed (`urls/schedule.py` has the
rule). The second of two fetches in a row is no visit: seconds say nothing about how often a page changes.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawldb.learnt import SiteTemplates, put_site_name, site_name, titles_in_index
from crawldb.pages.copies import apply_canonical, prefer_mirror, release_copies, those_with_link_words
from crawldb.pages.feed import Feed
from crawldb.tables.fetches import Visits
from crawldb.tables.urls import Urls
from pages.content.site_template import MIN_TITLES, learnt_name, without_name
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from crawldb.pages.clusters import Clusters
    from crawldb.pages.pages import PageDigest
    from crawldb.tables.journal import Journal
    from frontier.followers.order import WrittenPage
    from urls.records import Page
    from urls.schedule import RevisitBounds


class Copies:
    """Announces a page to the index, and all pages that enter or leave the index because of it."""

    def __init__(self, database: CrawlDatabase, journal: Journal) -> None:
        self._database = database
        self._journal = journal
        self._feed = Feed(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Release the copies of the former text of a page, and announce all that has changed."""
        before = stored.before
        if before is not None and _copied(before) != _copied(stored.after):
            for heir in release_copies(self._database, self._journal, stored.url, stays=True):
                self._feed.announce([heir, *apply_canonical(self._database, self._journal, heir)])
        self.announce(stored.url, stored.reworded, has_changed=stored.has_changed)

    def announce(self, url: int, reworded: Collection[int], *, has_changed: bool) -> None:
        """Release the copies of the earlier version of a page, and put all changes into the change feed."""
        database, journal = self._database, self._journal
        others = [*apply_canonical(database, journal, url), *prefer_mirror(database, journal, url)]
        changed = {*those_with_link_words(database, reworded)}
        self._feed.announce(others)
        self._feed.announce(sorted(changed | {url} if has_changed else changed))


def _copied(digest: PageDigest) -> object:
    """Return the part of a page that its copies share: the fingerprint, and why it is not in the index, if so."""
    return digest.fingerprint, digest.refusals


class NearCopies:
    """Puts each page into the cluster of its near copies."""

    def __init__(self, database: CrawlDatabase, journal: Journal, clusters: Clusters) -> None:
        self._feed = Feed(database)
        self._journal = journal
        self._clusters = clusters

    def page_stored(self, stored: WrittenPage) -> None:
        """Put a page into its cluster, and note on the page its near duplicate."""
        stored.page = self.place(stored.url, stored.page, is_announced=stored.has_changed)

    def place(self, url: int, page: Page, *, is_announced: bool = False) -> Page:
        """Return the page with its near duplicate, if any; journal once that it joined a cluster.

        `is_announced`: the feed has the page already.
        """
        kept = all(refusal.rule == Rule.CANONICAL for refusal in page.refusals)  # a non-canonical page may come back
        near = self._clusters.place(url, page.signature if kept else b"")
        if near.moved and not is_announced:
            self._feed.announce([url])
        if near.canonical is None:
            return page
        if near.moved:
            why = (
                f"it says nearly the same as {near.canonical}, and a search shows one of them for both: resemblance "
                f"{near.similarity:.2f} (MinHash) to the page with which their cluster began; NEAR_DUPLICATE_THRESHOLD "
                f"is {self._clusters.threshold:g}"
            )
            self._journal.write(url, Rule.NEAR_DUPLICATE, why)
        return replace(page, near_duplicate_of=near.canonical, resemblance=near.similarity)


REMEMBERED_TITLES = 64  # of a site, the newest
REMEMBERED_SITES = 1000  # of a crawl, those that had a page last
# Drop a name with a smaller share of the titles: the site has another name now, or none.
GIVEN_UP_BELOW = 0.2


@dataclass(slots=True)
class _Titles:
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_TITLES))
    noted: int = 0
    due: int = MIN_TITLES  # the number of titles at which the name is learnt again


class SiteNames:
    """Learns the names of sites from the titles of their pages."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._feed = Feed(database)
        self._sites: OrderedDict[int, _Titles] = OrderedDict()

    def page_stored(self, stored: WrittenPage) -> None:
        """Take in the title of a page, and announce the pages that are now titled otherwise."""
        retitled = self.note(stored.site, stored.page.title)
        if retitled:
            self._feed.announce(retitled)

    def note(self, site: int, title: str, *, again: bool = False) -> list[int]:
        """Take in the title of a page of a site (by its id); return the ids of the pages that are now titled otherwise.

        A name is learnt after 8 titles, 16, 32, 64, and then with each 64. `again`: the page was read again from its
        body, and a title that was met just now counts once.
        """
        seen = self._sites.setdefault(site, _Titles())
        self._sites.move_to_end(site)
        if len(self._sites) > REMEMBERED_SITES:
            self._sites.popitem(last=False)
        if again and title in seen.newest:
            return []
        seen.newest.append(title)
        seen.noted += 1
        if seen.noted < seen.due:
            return []
        seen.due += min(seen.noted, REMEMBERED_TITLES)
        return self._learn(site, list(seen.newest))

    def _learn(self, site: int, titles: list[str]) -> list[int]:
        before = site_name(self._database, site)
        now = learnt_name(titles)
        if now is None and before is not None:
            showing = sum(without_name(title, before.name) != title for title in titles)
            now = before if showing >= GIVEN_UP_BELOW * len(titles) or len(titles) < REMEMBERED_TITLES else None
        put_site_name(self._database, site, now)
        if before is not None and now is not None and before.name == now.name:
            return []
        names = [known.name for known in (before, now) if known is not None]
        titled = titles_in_index(self._database, site) if names else []
        return [url for url, title in titled if any(without_name(title, name) != title for name in names)]


class TemplateSample:
    """Takes pages into the sample from which the template of their site is learnt."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._templates = SiteTemplates(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Count the lines of a page, and note the version of the template that filtered it."""
        self._templates.note(stored.site, stored.url, stored.page)


class Revisits:
    """Notes the visits of pages, and when the next one is due."""

    def __init__(self, database: CrawlDatabase, bounds: RevisitBounds) -> None:
        self._urls = Urls(database)
        self._visits = Visits(database, bounds)

    def page_stored(self, stored: WrittenPage) -> None:
        """Note that a page came, changed or as it was."""
        page = stored.page
        if stored.is_visit:
            next_at = self._visits.note(
                stored.url,
                page.fetched_at,
                changed=stored.has_changed,
                last_modified=page.last_modified,
                outdated_at=page.outdated_at,
            )
            self._urls.revisit_at(stored.url, next_at)

    def page_unchanged(self, url: int, at: float, last_modified: str) -> None:
        """Note that the server of a page responded "not modified" at that time."""
        self._urls.revisit_at(url, self._visits.note(url, at, changed=False, last_modified=last_modified))
