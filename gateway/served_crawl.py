"""What does a request read? One searcher that all threads share, and crawl databases of its own.

The index answers alone: with the crawl database taken away results, snippets and dates are still there. With it, what
was blocked, forgotten or refused since the last commit is hidden at once, and Why? and the cached copy have a source.

The views ask `served_crawl()` alone, and know neither where a crawl is kept nor whether it is divided.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from flask import current_app, g

from crawldb.database import DatabaseError
from crawldb.databases import Parts, open_to_write
from crawldb.figures.totals import links_counted
from crawldb.pages.pages import Pages
from crawldb.tables.runs import latest_manners
from frontier.complaint import complain
from frontier.submission import submit_as_visitor
from gateway.fault_words import FaultWords
from gateway.remembered import Remembered
from indexer import open_index, open_whoosh
from indexer.faults import IndexFault
from indexer.plain_whoosh.folder import whoosh_folder
from indexer.query.deadline import Deadline
from indexer.retrieval.corpus import Visibility
from pipelines.duplicates import signature
from reports.alias_evidence import find_alias_evidence
from reports.crawl_progress import crawl_of
from reports.duplicates import read_duplicates
from reports.health import crawl_health
from reports.numbers import report_of
from reports.robots_verdicts import stored_robots, stored_version
from reports.traps import traps_of
from reports.why import url_facts, url_record
from reports.why.differences import PageDifference, page_difference
from reports.why.whoosh_page import whoosh_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.blocks import BlockProposal
    from crawldb.tables.runs import Manners
    from frontier.submission import Submission
    from gateway.settings import GatewaySettings
    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.searcher import Searcher
    from indexer.whoosh_door.index import PageIndex
    from reports.alias_evidence import AliasEvidence
    from reports.crawl_progress import CrawlProgress
    from reports.duplicates import DuplicateFigures
    from reports.health import CrawlHealth
    from reports.links import CrawlGraph
    from reports.numbers import Report
    from reports.robots_verdicts import RobotsSource
    from reports.traps import TrapFigures
    from reports.why import UrlFacts, UrlRecord
    from reports.why.whoosh_page import WhooshPage
    from urls.records import Page

REPORT_SECONDS = 5.0  # that the crawl in numbers is told again: to count a million URLs takes one or two
MEASURED_SECONDS = 60.0
SUGGESTED_SECONDS = 600.0  # to compare all pages takes a second and a half for 100,000
GRAPH_SECONDS = 60.0  # that the graph of links is read and ranked again
MAX_REMEMBERED = 10_000  # results of which a thread knows whether they may be shown
EXTENSION = "breadcrumb"  # under this name Flask keeps the crawl that an application serves


class ServedCrawl:
    """The crawl in a data folder, as one gateway serves it.

    Raises DatabaseError where there is no crawl, or not a readable one.
    """

    def __init__(self, data_dir: Path, settings: GatewaySettings, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.data_dir = data_dir.absolute()  # as it then stands in each error, so that it is found there
        self._fault_words = FaultWords(clock)
        self._report: Remembered[Report] = Remembered(REPORT_SECONDS, clock)
        self._measured: Remembered[Report] = Remembered(MEASURED_SECONDS, clock)
        self._clock = clock
        self._graphs: dict[Path, Remembered[CrawlGraph]] = {}
        self._suggested: Remembered[list[AliasEvidence]] = Remembered(SUGGESTED_SECONDS, clock)
        self._crawl_now: Remembered[CrawlProgress] = Remembered(REPORT_SECONDS, clock)
        self._kept = threading.local()
        self._opening = threading.Lock()
        self._searcher: Searcher | None = None
        self._door: PageIndex | None = None

    @property
    def searcher(self) -> Searcher:
        """The searcher, opened by the first request that needs it. Raises IndexFault where there is nothing to open."""
        with self._opening:
            if self._searcher is None:
                self._searcher = open_index(
                    self.data_dir,
                    blocked=self._is_hidden,
                    copies=self._copies,
                    formula=self.settings.formula,
                    withdrawn=self._is_withdrawn,
                    link_only=self.settings.link_only_results,
                )
            return self._searcher

    @property
    def door(self) -> PageIndex:
        """The index of the searcher for Whoosh's classes, which keep what they read. Raises IndexFault without one."""
        with self._opening:
            if self._door is None:
                link_only = self.settings.link_only_results
                hidden = Visibility(self._is_hidden, withdrawn=self._is_withdrawn, link_only=link_only)
                self._door = open_whoosh(self.data_dir, hidden)
            return self._door

    def whoosh_page(self, url: str, query: str) -> WhooshPage | None:
        """Return what a Whoosh folder has of a URL; None where no such folder is served."""
        if (folder := whoosh_folder(self.data_dir)) is None:
            return None
        from indexer.plain_whoosh.searcher import WhooshSearcher  # noqa: PLC0415 - few need Whoosh's query language

        return whoosh_page(WhooshSearcher(folder), url, query, Deadline(self.settings.search_timeout))

    @property
    def serves_whoosh(self) -> bool:
        """Whether an index is served that Whoosh wrote."""
        return whoosh_folder(self.data_dir) is not None

    def gather_words(self) -> None:
        """Read what corrections and completions need before somebody waits: a second for a large index."""
        with suppress(IndexFault):  # whoever asks is told
            self.searcher.gather_words()

    def page(self, url: str) -> Page | None:
        """Return the stored page with a canonical URL."""
        return Pages(self.parts().home(url)).get(url)

    def body(self, url: str) -> bytes | None:
        """Return the stored body of a page, or None where none may be kept."""
        return Pages(self.parts().home(url)).body(url)

    def url_record(self, url: str) -> UrlRecord:
        """Return everything that is known about a URL, judged by the policy of the next crawl."""
        database = self.parts().home(url)
        policy, stale_after = self.settings.policy_of(database), self.settings.stale_after
        return url_record(database, url, self.settings.product, policy=policy, stale_after=stale_after)

    def facts(self, url: str, query: str, narrowing: SearchFilters) -> UrlFacts:
        """Return everything that is known about a URL, and its place among the results of a question."""
        settings = self.settings
        return url_facts(
            self.parts(),
            url,
            lambda: self.searcher,
            settings.policy_of,
            product=settings.product,
            stale_after=settings.stale_after,
            query=query,
            deadline=Deadline(settings.search_timeout),
            **narrowing,
        )

    def compared(self, first: str, second: str) -> PageDifference:
        """Return in which words two pages differ."""
        return page_difference(self.parts(), first, second)

    def manners(self) -> Manners | GatewaySettings:
        """Return what the newest run told of the robot; of a folder without any, what this gateway was told."""
        try:
            return latest_manners(self.parts()) or self.settings
        except (DatabaseError, sqlite3.Error):
            return self.settings  # owners of sites are answered before the first crawl, and beside a damaged one

    def report(self) -> Report:
        """Return the crawl in numbers, of at most REPORT_SECONDS ago; while one request counts, others get the last."""
        return self._report.get(lambda: report_of(self.parts()))

    def measured(self) -> Report:
        """Return the same for a monitor, of at most MEASURED_SECONDS ago: it asks often, and to count takes long."""
        return self._measured.get(lambda: report_of(self.parts()))

    def crawl_progress(self) -> CrawlProgress:
        """Return where the crawl stands, remembered as the report is."""
        return self._crawl_now.get(lambda: crawl_of(self.parts()))

    def traps(self, site: str) -> TrapFigures:
        """Return what is known of traps, of one site or ("") of all."""
        return traps_of(self.parts(), site)

    def health(self, *, for_admin: bool = False) -> CrawlHealth:
        """Return how the crawl stands, and what needs a person; `for_admin` alone with what visitors wrote."""
        return crawl_health(self.parts(), self.data_dir, for_admin=for_admin)

    def duplicates(self, url: str, page: int, threshold: float) -> DuplicateFigures:
        """Return what is known of copies, of the one page or ("") of all, and what another threshold would join."""
        usual = self.settings.near_duplicate_threshold
        return read_duplicates(self.parts(), signature, url=url, page=page, threshold=threshold, usual=usual)

    def robots_of(self, site: str) -> RobotsSource | None:
        """Return the robots.txt of a site as it was last fetched; None where it never was."""
        return stored_robots(self.parts(), site)

    def robots_version(self, part: str, number: int) -> RobotsSource | None:
        """Return a version of a robots.txt, by the folder of its part and its number there; None where it is gone."""
        return stored_version(self.parts(), part, number)

    def crawl_graph(self, address: str) -> CrawlGraph | None:
        """Return the links of the part that has an address, of at most GRAPH_SECONDS ago; None: they are too many."""
        from reports.links import MAX_LINKS, crawl_graph  # noqa: PLC0415 - SciPy: a third of a second

        database = self.parts().home(address)
        if links_counted(database) > MAX_LINKS:
            return None
        graph = self._graphs.setdefault(database.path, Remembered(GRAPH_SECONDS, self._clock))
        return graph.get(lambda: crawl_graph(database))

    @property
    def divided(self) -> bool:
        """Whether the crawl has several parts."""
        return self.parts().divided

    def suggestions(self) -> list[AliasEvidence]:
        """Return the options of sites that the stored pages propose, of at most SUGGESTED_SECONDS ago."""
        return self._suggested.get(lambda: [each for each in find_alias_evidence(*self.read()) if each.proposed])

    def acted(self) -> None:
        """Note that an admin has changed something, which may be what was proposed."""
        self._suggested.forget()

    def submit(self, url: str) -> Submission:
        """Take an address from a visitor. Raises TooManySubmissionsError."""
        return submit_as_visitor(self.parts(), self.settings.policy_of, url, self.settings.submits_per_hour)

    def complain(self, text: str, reason: str, contact: str) -> BlockProposal:
        """Take a visitor's wish that a site or page be blocked. Raises ComplaintRefused."""
        return complain(self.parts(), text, reason, contact, self.settings.complaints_per_hour)

    @contextmanager
    def to_write(self) -> Iterator[tuple[CrawlDatabase, ...]]:
        """Open the crawl for whoever may change it, as a command does. Raises DatabaseError where there is none."""
        with open_to_write(self.data_dir) as databases:
            yield databases

    def read(self) -> tuple[CrawlDatabase, ...]:
        """Return the databases of the crawl, to read. Raises DatabaseError where one is missing."""
        return tuple(self.parts())

    def parts(self) -> Parts:
        """Return the connections of the request that runs: SQLite's are for one thread.

        A thread keeps them for its next request, unless the files were replaced or written into since: to open them
        costs as much as all that a search asks of them.
        """
        if "parts" not in g:
            kept: Parts | None = getattr(self._kept, "parts", None)
            if kept is None or not kept.are_as_opened():
                self.close()
                kept = self._kept.parts = Parts.in_folder(self.data_dir, self.in_words)
                self._kept.version = None
            g.parts = kept
            if (version := kept.version()) != self._kept.version:
                self._kept.version, self._kept.hidden = version, {}
        found: Parts = g.parts
        return found

    def in_words(self, fault: object) -> str:
        """Return an error of the crawl or the index as strangers may read it; the log keeps it whole."""
        places = dict.fromkeys((self.data_dir, self.data_dir.resolve()), "the data folder")
        with suppress(IndexFault):
            if (folder := whoosh_folder(self.data_dir)) is not None:
                places.setdefault(folder, "the folder of the index")
        return self._fault_words.of(fault, places)

    def close(self) -> None:
        """Close the connections of this thread."""
        g.pop("parts", None)
        kept: Parts | None = self._kept.__dict__.pop("parts", None)
        if kept is not None:
            kept.close()

    # The searcher outlives a request, so that it asks the connections of whichever one runs.

    def _is_hidden(self, url: str) -> bool:
        parts = self.parts()
        if parts.divided:
            return parts.is_hidden(url)
        hidden: dict[str, bool] = self._kept.hidden  # by URL, as long as nobody writes into the crawl
        if url not in hidden:
            if len(hidden) >= MAX_REMEMBERED:
                hidden.clear()
            hidden[url] = parts.is_hidden(url)
        return hidden[url]

    def _is_withdrawn(self, url: str) -> bool:
        return self.parts().is_withdrawn(url)

    def _copies(self, url: str) -> tuple[str, ...]:
        return self.parts().copies(url)


def served_crawl() -> ServedCrawl:
    """Return the crawl of the application that answers this request."""
    found: ServedCrawl = current_app.extensions[EXTENSION]
    return found


def after_a_fault(error: BaseException | None) -> None:
    """Close the connections of a request that failed: what it left half read would stay open."""
    if error is not None:
        served_crawl().close()
