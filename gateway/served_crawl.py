"""The crawl that a gateway serves: one searcher for all threads, and database connections for each.

The index is enough for results, snippets and dates. With the crawl database, a page that was blocked, forgotten or
rejected since the last commit is hidden at once, and *Why?* and the cached copy have their data.

Views call `served_crawl()` and need not know where a crawl is, or whether it has parts. `PublicErrors` takes the paths
out of an error before a visitor sees it.

An extension may hide areas from some visitors. They get a searcher without these pages, and a page of any other area.
All else covers the whole crawl, with its counts and its links from page to page: it raises NotShown for them.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flask import current_app, g

from crawldb.database import DatabaseError
from crawldb.databases import Parts, open_to_write
from crawldb.pages.pages import Pages
from crawldb.tables.runs import latest_manners
from extension_points import call_extensions
from frontier.submission import propose_block, submit_as_visitor
from indexer import open_index
from indexer.faults import IndexFault
from indexer.query.deadline import Deadline
from indexer.remote import foreign_index
from indexer.retrieval.corpus import Visibility
from indexer.segments.areas import HiddenAreas
from reports.health import crawl_health
from reports.numbers import report_of
from reports.shown_commands import in_folder
from reports.why import url_facts, url_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.blocks import BlockProposal
    from crawldb.tables.runs import Manners
    from extension_points import ForeignIndex, ForeignPage, OptionProposal
    from frontier.submission import Submission
    from gateway.settings import GatewaySettings
    from indexer.libraries import IndexLibrary
    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.searcher import Searcher
    from reports.health import CrawlHealth
    from reports.numbers import Report
    from reports.why import UrlFacts, UrlRecord
    from urls.records import Page


MORE = "For details, the operator can see the gateway's log or run ./breadcrumb check."
LOGGED_SECONDS = 60.0  # before the same error is logged again: visitors can't fill the log
MAX_LOGGED = 1_000  # errors that are remembered as logged


class PublicErrors:
    """Removes paths of this machine from error messages for visitors, and logs the whole message.

    In a terminal the path of a database or an index helps; on a page `…` stands for the folder. Threads may share it.
    `folder` is the option that names the data folder in the commands of the log; `clock` is in seconds.
    """

    def __init__(self, folder: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._logged: dict[str, float] = {}

    def message(self, error: object, folders: Mapping[Path, str]) -> str:
        """Return an error, or its text, without the paths of `folders`, which gives each a name. Log the whole text.

        A message that this method returned before stays as it is.
        """
        text = str(error).strip()
        if text.endswith(MORE):
            return text
        self._log(text)
        for folder in sorted(folders, key=lambda folder: -len(str(folder))):
            text = _without_path(text, str(folder), folders[folder])
        named = text[:1].upper() if text.startswith(tuple(folders.values())) else text[:1]  # a path begins no sentence
        return f"{named}{text[1:].rstrip('.')}. {MORE}"

    def _log(self, text: str) -> None:
        now = self._clock()
        if now - self._logged.get(text, -LOGGED_SECONDS) < LOGGED_SECONDS:
            return
        if len(self._logged) >= MAX_LOGGED:
            self._logged.clear()
        self._logged[text] = now
        logging.getLogger(__name__).error("%s", in_folder(" ".join(text.split()), self._folder))


def _without_path(text: str, folder: str, name: str) -> str:
    """Return a text without the path of a folder; a URL with the same folders keeps them."""
    path = re.compile(rf"(?<![\w/.:~%-]){re.escape(folder.rstrip('/'))}(/|(?![\w.-]))")
    return path.sub(lambda found: "…/" if found[1] else name, text)


Value = TypeVar("Value")


class TimedCache(Generic[Value]):
    """A value that is computed at most every few seconds, by one request at a time. Threads share it."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._computing = threading.Lock()
        self._known: tuple[float, Value] | None = None  # when it was computed, and the value

    def forget(self) -> None:
        """Make the next request compute the value again."""
        self._known = None

    def get(self, compute: Callable[[], Value]) -> Value:
        """Return the value, computed again if it is too old. Other requests get the last value meanwhile."""
        known = self._known
        if not self._computing.acquire(blocking=known is None) and known is not None:
            return known[1]
        try:
            known = self._known
            if known is None or self._clock() - known[0] >= self._seconds:
                known = self._known = (self._clock(), compute())
            return known[1]
        finally:
            self._computing.release()


def kept_in_app(name: str, seconds: float, compute: Callable[[], Value]) -> Value:
    """Return the value of this gateway under a name of app.extensions, at most `seconds` old."""
    kept: TimedCache[Value] = current_app.extensions.setdefault(name, TimedCache(seconds, time.monotonic))
    return kept.get(compute)


REPORT_CACHE_SECONDS = 5.0  # counting a million URLs takes one or two seconds
MONITOR_CACHE_SECONDS = 60.0
SUGGESTIONS_CACHE_SECONDS = 600.0  # comparing 100,000 pages takes a second and a half
MAX_LIMITED = 32  # searchers for visitors who may not see all pages
MAX_HIDDEN_CACHED = 10_000  # URLs for which a thread remembers whether they are hidden
EXTENSION = "breadcrumb"  # the key of the served crawl in app.extensions


def hide_all(apart: frozenset[str]) -> HiddenAreas | None:
    """Hide all areas that the index keeps apart."""
    return HiddenAreas(apart, apart) if apart else None


class NotShown(Exception):
    """What was asked covers pages that the present visitor may not see."""

    def __init__(self) -> None:
        super().__init__("This covers pages that not every visitor may see.")


class ServedCrawl:
    """The crawl in a data folder. Its methods raise DatabaseError where there is no readable crawl.

    `hidden` returns what the present visitor may not see, given the areas that the index keeps apart (none where it is
    not read); None: nothing is hidden. Unless an extension decides, it is all that is apart.
    """

    def __init__(self, data_dir: Path, settings: GatewaySettings, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.data_dir = data_dir.absolute()  # errors have this path, so that it can be removed
        self._public_errors = PublicErrors(settings.folder, clock)
        self._report: TimedCache[Report] = TimedCache(REPORT_CACHE_SECONDS, clock)
        self._clock = clock
        self._suggested: TimedCache[list[OptionProposal]] = TimedCache(SUGGESTIONS_CACHE_SECONDS, clock)
        self._thread = threading.local()  # connections of each thread, and what it knows of hidden URLs
        self._opening = threading.Lock()
        self.hidden: Callable[[frozenset[str]], HiddenAreas | None] = hide_all
        self._searcher: Searcher | None = None
        self._limited: dict[HiddenAreas, Searcher] = {}
        self._of_libraries: dict[str, Any] = {}

    @property
    def searcher(self) -> Searcher:
        """The searcher of the present visitor, opened by the first request. Raises IndexFault without an index."""
        searcher = self._whole_searcher()
        hidden = self.hidden(searcher.areas_apart)
        return searcher if hidden is None else self._without(hidden, searcher)

    def _whole_searcher(self) -> Searcher:
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

    def _without(self, hidden: HiddenAreas, searcher: Searcher) -> Searcher:
        if hidden not in self._limited:
            if len(self._limited) >= MAX_LIMITED:
                self._limited.clear()
            self._limited[hidden] = searcher.limited_to(hidden.shows)
        return self._limited[hidden]

    def check_all_shown(self) -> None:
        """Raise NotShown if the present visitor may not see all pages."""
        if self.hidden(frozenset()) is not None:
            raise NotShown

    def hides(self, url: str) -> bool:
        """Return whether the present visitor may not see a page."""
        hidden = self.hidden(frozenset())
        return hidden is not None and hidden.hides(url)

    def index_for(self, library: IndexLibrary) -> Any:
        """Return the same index for the classes of a library. Raises IndexFault without an index."""
        self.check_all_shown()
        with self._opening:
            if library.key not in self._of_libraries:
                link_only = self.settings.link_only_results
                hidden = Visibility(self._is_hidden, withdrawn=self._is_withdrawn, link_only=link_only)
                self._of_libraries[library.key] = library.open(self.data_dir, hidden)
            return self._of_libraries[library.key]

    @property
    def foreign(self) -> ForeignIndex | None:
        """The index of another program, if it is served in place of that of the data folder."""
        return foreign_index(self.data_dir)

    def foreign_page(self, url: str, query: str) -> ForeignPage | None:
        """Return what is known about a URL in the index of another program; None where none is served."""
        foreign = self.foreign
        return foreign.page(url, query, Deadline(self.settings.search_timeout)) if foreign else None

    def warm_up(self) -> None:
        """Read the words for corrections and completions before a visitor needs them: a second for a large index."""
        with suppress(IndexFault):  # a request reports it
            self._whole_searcher().gather_words()  # no visitor asks yet

    def page(self, url: str) -> Page | None:
        """Return the stored page with a canonical URL; None: there is none, or the visitor may not see it."""
        return None if self.hides(url) else Pages(self.all_parts().home(url)).get(url)

    def body(self, url: str) -> bytes | None:
        """Return the stored body of a page; None: none is kept, or the visitor may not see it."""
        return None if self.hides(url) else Pages(self.all_parts().home(url)).body(url)

    def url_record(self, url: str) -> UrlRecord:
        """Return everything known about a URL, by the policy of the next crawl."""
        database = self.parts().home(url)
        policy, stale_after = self.settings.policy_of(database), self.settings.stale_after
        return url_record(database, url, self.settings.product, policy=policy, stale_after=stale_after)

    def facts(self, url: str, query: str, narrowing: SearchFilters) -> UrlFacts:
        """Return everything known about a URL, with its rank among the results of a query."""
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

    def manners(self) -> Manners | GatewaySettings:
        """Return the settings of the robot in its newest run, or of this gateway where there was no run."""
        try:
            return latest_manners(self.all_parts()) or self.settings
        except (DatabaseError, sqlite3.Error):
            return self.settings  # /bot works without a crawl, and with a damaged one

    def report(self) -> Report:
        """Return the crawl report, at most REPORT_CACHE_SECONDS old."""
        self.check_all_shown()
        return self._report.get(lambda: report_of(self.parts()))

    def health(self, *, for_admin: bool = False) -> CrawlHealth:
        """Return the health of the crawl and its alarms; `for_admin` includes the texts of visitors."""
        return crawl_health(self.parts(), self.data_dir, for_admin=for_admin)

    @property
    def divided(self) -> bool:
        """Whether the crawl has several parts."""
        return self.parts().divided

    def suggestions(self) -> list[OptionProposal]:
        """Return the site options that the stored pages suggest, at most SUGGESTIONS_CACHE_SECONDS old."""
        self.check_all_shown()
        return self._suggested.get(lambda: call_extensions("option_proposals", databases=self.read()))

    def forget_suggestions(self) -> None:
        """Compute the suggestions again at the next request: an admin has changed something."""
        self._suggested.forget()

    def submit(self, url: str) -> Submission:
        """Accept a URL from a visitor. Raises TooManySubmissionsError."""
        return submit_as_visitor(self.parts(), self.settings.policy_of, url, self.settings.submits_per_hour)

    def propose_block(self, text: str, reason: str, contact: str) -> BlockProposal:
        """Accept a visitor's request to block a site or page. Raises ProposalRefused."""
        return propose_block(self.parts(), text, reason, contact, self.settings.complaints_per_hour)

    @contextmanager
    def open_to_write(self) -> Iterator[tuple[CrawlDatabase, ...]]:
        """Open the crawl for changes, as a command does. Raises DatabaseError where there is none."""
        self.check_all_shown()
        with open_to_write(self.data_dir) as databases:
            yield databases

    def read(self) -> tuple[CrawlDatabase, ...]:
        """Return the databases of the crawl, read-only. Raises DatabaseError where one is missing."""
        return tuple(self.parts())

    def parts(self) -> Parts:
        """Return the connections of the current request, to all of the crawl. Raises NotShown."""
        self.check_all_shown()
        return self.all_parts()

    def all_parts(self) -> Parts:
        """Return the same for what is filtered by itself. A connection of SQLite belongs to one thread.

        A thread keeps its connections for the next request until the files are replaced. Opening them takes as long as
        all queries of a search.
        """
        if "parts" not in g:
            kept: Parts | None = getattr(self._thread, "parts", None)
            if kept is None or not kept.are_as_opened():
                self.close()
                kept = self._thread.parts = Parts.in_folder(self.data_dir, self.public_error)
                self._thread.version = None
            g.parts = kept
            if (version := kept.version()) != self._thread.version:
                self._thread.version, self._thread.hidden = version, {}
        found: Parts = g.parts
        return found

    def public_error(self, error: object) -> str:
        """Return an error of the crawl or the index without paths, for visitors; the log has the whole message."""
        folders = dict.fromkeys((self.data_dir, self.data_dir.resolve()), "the data folder")
        with suppress(IndexFault):
            if foreign := self.foreign:
                folders.setdefault(foreign.folder, "the folder of the index")
        return self._public_errors.message(error, folders)

    def close(self) -> None:
        """Close the connections of this thread."""
        g.pop("parts", None)
        kept: Parts | None = self._thread.__dict__.pop("parts", None)
        if kept is not None:
            kept.close()

    # The searcher outlives a request. These methods use the connections of the current one.

    def _is_hidden(self, url: str) -> bool:
        parts = self.all_parts()
        if parts.divided:
            return parts.is_hidden(url)
        hidden: dict[str, bool] = self._thread.hidden  # by URL, until somebody writes to the crawl
        if url not in hidden:
            if len(hidden) >= MAX_HIDDEN_CACHED:
                hidden.clear()
            hidden[url] = parts.is_hidden(url)
        return hidden[url]

    def _is_withdrawn(self, url: str) -> bool:
        return self.all_parts().is_withdrawn(url)

    def _copies(self, url: str) -> tuple[str, ...]:
        return tuple(copy for copy in self.all_parts().copies(url) if not self.hides(copy))


def served_crawl() -> ServedCrawl:
    """Return the crawl of the current application."""
    found: ServedCrawl = current_app.extensions[EXTENSION]
    return found


def close_after_error(error: BaseException | None) -> None:
    """Close the connections after a failed request, with what it left half read."""
    if error is not None:
        served_crawl().close()
