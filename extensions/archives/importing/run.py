"""How does the content of an archive get into the crawl database? Filtered and stored like a crawl's pages, in slices.

Each slice and the position in the archive are one transaction, so a kill costs one slice. Importing the same file again
continues there. Each record ends in one way, and is counted: the account adds up to the records read.

A capture is read or not by its method, its URL, the policy, its date, and the robots.txt of its origin. A robots.txt of
an archive is kept like a fetched one, and the newest one in the folder decides. Without one, the page is read: its
robot has fetched it, and reading it sends no request (decision 0030). Of several responses for a URL the newest one
rules.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.pages.pages import Pages
from crawldb.tables.journal import GrowingRows, Journal
from crawldb.tables.robots_files import read_robots
from crawldb.tables.runs import latest_run
from crawldb.tables.urls import Urls
from crawldb.visited import find
from extensions.archives.captures import Capture, DamagedStretch, NoCapture
from extensions.archives.importing.reading import head_of_capture
from extensions.archives.tables import Imports, rule_of_url
from frontier.discovery import Provenance
from frontier.store import LeaseWriter
from robots import X_ROBOTS_TAG, Access, RobotsCache, Verdict, origin_of, robots_url, wishes_from
from spiders.outcome import outcome_of_fault
from urls.canonical import UnusableUrl, canonical_or_none, canonicalize
from urls.records import CanonicalUrl, FoundBy, LeaseEnd, Outcome, Page
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ImportedArchive
    from frontier.store import LeasedUrl, Response
    from frontier.writer import CrawlWriter
    from pipelines.filters import PageFilters
    from robots import AccessState

    Entry = Capture | NoCapture | DamagedStretch
    Read = Callable[[Capture, CanonicalUrl], Page | Outcome]

# How records end, in the account of an archive; some with a word after a colon.
STORED, ROBOTS, OLDER, KNOWN, RENEWED = "stored", "robots.txt", "older", "known", "renewed"
NOT_A_PAGE, REFUSED, ENDED, UNREAD, DAMAGED = "not a page", "refused", "ended", "unread", "damaged"
NO_ANSWER = f"{NOT_A_PAGE}: answer to another method, or to a made-up address"
NOT_HERE = f"{UNREAD}: revisit, what it refers to is not here"
ELSEWHERE = f"{UNREAD}: robots.txt that redirects, what it leads to is not here"
SITEMAP = f"{NOT_A_PAGE}: sitemap"
UNKNOWN = Verdict(allowed=True, line=0, rule="", reason="no robots.txt of its origin is known")


class CaptureAdmission:
    """Decides which captures of an archive are read; `product` is our product token in robots.txt files."""

    def __init__(self, writer: CrawlWriter, imports: Imports, archive: ImportedArchive, product: str) -> None:
        self._database = writer.database
        self._discovery = writer.discovery
        self._imports = imports
        self._archive = archive
        self._product = product
        self._known = RobotsCache()

    def unread(self, capture: Capture, url: CanonicalUrl) -> str:
        """Return how a capture ends that is not to be read; "" for one that is."""
        is_robots = url == robots_url(origin_of(url))
        if self._imports.is_no_page(self._archive.id, capture.record):
            return NOT_HERE if is_robots and capture.same_as else NO_ANSWER
        if is_robots:
            return ROBOTS if self._state(origin_of(url)) is not None else ELSEWHERE
        named = self._named_by_robots(url)
        if named:
            return named
        judged = self._discovery.policy.check(url)
        return f"{REFUSED}: {judged.refusal.rule}" if judged.refusal else self._by_date(capture, url)

    def _named_by_robots(self, url: CanonicalUrl) -> str:
        """Return how a URL ends that robots.txt shows to be no page: the file after a redirect, or a sitemap."""
        state = self._state(origin_of(url))
        if state is None or state.copy is None:
            return ""
        if state.copy.address == url:
            return ROBOTS
        return SITEMAP if url in state.copy.file.sitemaps else ""

    def _by_date(self, capture: Capture, url: CanonicalUrl) -> str:
        imports, identity = self._imports, find(self._database.connection, url)
        if identity is None:
            return ""
        rule = rule_of_url(self._database, identity)
        if imports.is_known(identity, capture):
            return KNOWN
        if rule == Rule.FORGOTTEN and capture.at <= imports.forgotten_at(identity, Rule.FORGOTTEN):
            return f"{REFUSED}: {Rule.FORGOTTEN}"
        return OLDER if capture.at < imports.newest(identity) else ""

    def verdict(self, url: CanonicalUrl) -> Verdict:
        """Return the verdict of the newest robots.txt that the folder knows for a URL; `UNKNOWN` without one.

        If its latest fetch failed, the copy before that decides. Without a copy the site is closed.
        """
        state = self._state(origin_of(url))
        if state is None:
            return UNKNOWN
        if state.access is Access.CLOSED and state.copy is not None:
            return state.copy.file.decide(self._product, url)
        return state.availability(state.asked_at).decide(self._product, url)

    def _state(self, origin: str) -> AccessState | None:
        state = self._known.get(origin)
        if state is None and (record := read_robots(self._database, origin)) is not None:
            state = record.access_state
            self._known.put(origin, state)
        return state


SLICE = 50  # captures of a transaction: some 200 ms, for which all other writers wait
SLICE_BYTES = 16 * 1024 * 1024  # … or so many bytes of bodies
SLICE_RECORDS = 1000  # … or so many records of any kind
NOT_HTTP = "response"  # how the kind of a `NoCapture` begins that should have been a capture
ENDS_TOLD = 20  # in the journal, of an archive
MAX_ENDS = 100  # of an account: an archive can name any number of record types
REFERS = "a revisit record refers to an answer that is not here; import the archive that holds it, too"
_OK = range(200, 300)  # a revisit of another status, such as 404, needs no body
PACKING = frozenset({"content-encoding", "transfer-encoding"})  # header lines that do not hold for a stored body


class CaptureLeaseWriter(LeaseWriter):
    """Ends leases with the content of an archive: `archive` is its id, `capture` the current capture.

    A response becomes a capture, with its place in the archive: no request was sent. The proof of politeness, the
    alarms over failing sites and the numbers of a run count only requests, so they leave captures out. The journal's
    entries belong to no run of a crawl.
    """

    def __init__(self, database: CrawlDatabase, archive: int) -> None:
        super().__init__(database, latest_run(database), Journal(database))
        self.imports = Imports(database)
        self.archive = archive
        self.capture: Capture | None = None

    def note_request(self, leased: LeasedUrl, response: Response, rule: Rule) -> None:
        """Note the current capture, with its rule."""
        if self.capture is not None:
            status, size = response.status, response.size
            self.imports.note_capture(self.archive, leased.id, self.capture, rule, status=status, size=size)


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry of an archive before it is stored: its URL, and the item read from it, or None if it is not read yet."""

    entry: Entry
    url: CanonicalUrl | None = None
    item: Page | Outcome | None = None


class ImportRun:
    """Imports one archive. `read` makes a page or an outcome of a capture, `product` is our token in robots.txt."""

    def __init__(
        self,
        writer: CrawlWriter,
        leases: CaptureLeaseWriter,
        filters: PageFilters,
        archive: ImportedArchive,
        read: Read,
        product: str,
    ) -> None:
        self._writer = writer
        self._leases = leases
        self._imports = leases.imports
        self._journal = leases.journal
        self._database = writer.database
        self._discovery = writer.discovery
        self._pages = Pages(writer.database)
        self._urls = Urls(writer.database)
        self._filters = filters
        self._archive = archive
        self._read = read
        self._product = product
        self._admission = CaptureAdmission(writer, leases.imports, archive, product)
        self._rows = GrowingRows(leases.journal, None)

    def run(self, entries: Iterable[Entry], go_on: Callable[[ImportedArchive], bool]) -> bool:
        """Read, filter and store. `go_on` gets each slice, and may end the run there. Return whether all is read."""
        for entries_read in _slices(self._prepared(entry) for entry in entries):
            with self._writer.transaction():
                for entry in entries_read:
                    self._count(self._end(entry))
                end = entries_read[-1].entry.end
                self._archive.place = self._archive.place if end is None else end
                self._imports.put_progress(self._archive)
            if not go_on(self._archive):
                return False
        with self._writer.transaction():
            self._tell_end()
            self._imports.end(self._archive)
        return True

    def _count(self, end: str) -> None:
        account = self._archive.account
        if end not in account and len(account) >= MAX_ENDS and end.startswith(NOT_A_PAGE):
            end = f"{NOT_A_PAGE}: yet another type"
        account[end] += 1

    # -- Before the transaction: the slow part

    def _prepared(self, entry: Entry) -> ReadEntry:
        """Read a capture, unless it is a revisit or not to be read."""
        if not isinstance(entry, Capture):
            return ReadEntry(entry)
        try:
            url = self._discovery.policy.options.canonical(canonicalize(entry.url))
        except UnusableUrl:
            return ReadEntry(entry)
        if _is_revisit(entry) or self._admission.unread(entry, url) or not self._admission.verdict(url).allowed:
            return ReadEntry(entry, url)
        return ReadEntry(entry, url, self._read(entry, url))

    # -- Within it

    def _end(self, read: ReadEntry) -> str:
        """Store an entry; return how it ended."""
        entry = read.entry
        return self._capture_end(entry, read) if isinstance(entry, Capture) else self._told(entry)

    def _told(self, entry: NoCapture | DamagedStretch) -> str:
        """Journal a record that is no capture, if it is unusual."""
        if isinstance(entry, DamagedStretch):
            until = f"read on at {entry.end}" if entry.end else "the rest of the file can't be read"
            self._journal.write(None, Rule.ARCHIVE, f"{self._archive.name}, {entry.place}: {entry.reason}; {until}")
            return DAMAGED
        if entry.kind.startswith(NOT_HTTP):
            self._tell(f"it holds a {entry.kind}, which is no answer of a web server", entry.url)
        return f"{NOT_A_PAGE}: {entry.kind}"

    def _capture_end(self, entry: Capture, read: ReadEntry) -> str:
        if read.url is None:
            self._tell("it holds an answer under what is no address", entry.url)
            return f"{UNREAD}: no address"
        unread = self._admission.unread(entry, read.url)
        if unread:
            self._tell_unread(entry, read.url, unread)
            return unread
        verdict = self._admission.verdict(read.url)
        item = self._item(entry, read) if verdict.allowed else _disallowed(entry, read.url, verdict)
        identity = None if item is None else self._discovered(read.url)
        if identity is None or item is None:
            self._tell(REFERS, entry.url)
            return NOT_HERE
        self._archive.without_robots += verdict is UNKNOWN and isinstance(item, Page)
        return self._stored(identity, entry, item)

    def _item(self, capture: Capture, read: ReadEntry) -> Page | Outcome | None:
        """Return the item of a capture; None for a revisit of a response that is not stored."""
        if read.item is not None or read.url is None:
            return read.item
        return self._revisited(capture, read.url) if _is_revisit(capture) else self._read(capture, read.url)

    def _discovered(self, url: CanonicalUrl) -> int | None:
        return self._discovery.discover([url], Provenance(FoundBy.ARCHIVE)).ids.get(url)

    def _stored(self, identity: int, capture: Capture, item: Page | Outcome) -> str:
        """End the turn of a URL with the item of its capture."""
        self._leases.capture = capture
        self._urls.requeue([identity])
        try:
            with self._database.savepoint():
                leased = self._leases.leased(item.url)
                if isinstance(item, Page):
                    self._writer.pages.store(leased, self._filters.apply(item))
                else:
                    self._writer.outcomes.store(leased, item)
        except (DatabaseError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 - a filter's fault costs one page; the others are stored
            self._writer.rolled_back()
            fault = outcome_of_fault(item.url, error, head_of_capture(capture))
            self._writer.outcomes.store(self._leases.leased(item.url), fault)
        rule = rule_of_url(self._database, identity)
        if isinstance(item, Page):
            return STORED if rule == Rule.FETCHED else f"{REFUSED}: {rule}"
        if item.fate is LeaseEnd.NOT_MODIFIED:
            return RENEWED
        return f"{REFUSED if item.fate is LeaseEnd.REFUSED else ENDED}: {rule}"

    def _revisited(self, capture: Capture, url: CanonicalUrl) -> Page | Outcome | None:
        """Return the item of a revisit record: the stored page renewed, or a page with the body of another one."""
        if _is_unmodified(capture):  # of its own URL alone
            return None if self._pages.get(url) is None else self._renewed(capture, url)
        holder = self._imports.holder_of(capture.payload)
        if holder is None and not capture.payload:
            holder = canonical_or_none(capture.same_as)
        if holder is None or self._pages.get(CanonicalUrl(holder)) is None:
            return None
        if holder == url:
            return self._renewed(capture, url)
        stored = self._pages.answer(CanonicalUrl(holder))
        if stored is None:
            return None
        headers = capture.headers or stored.headers
        kept = tuple(line for line in headers if line[0] not in PACKING)
        return self._read(replace(capture, headers=kept, body=stored.body, size=len(stored.body)), url)

    def _renewed(self, capture: Capture, url: CanonicalUrl) -> Outcome:
        has_tags = any(name == X_ROBOTS_TAG for name, _ in capture.headers)
        wishes = wishes_from(capture.headers, agent=self._product) if has_tags else None
        reason = "a revisit record of the archive says that the stored copy is current"
        renewed = Outcome(url, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, reason, status=capture.status)
        return replace(renewed, fetched_at=capture.at, wishes=wishes, conditional=True)

    # -- The journal

    def _tell(self, reason: str, url: str) -> None:
        """Count in the journal a reason that concerns no page."""
        self._rows.write(Rule.ARCHIVE, f"{self._archive.name}: {reason}", [url])

    def _tell_unread(self, capture: Capture, url: CanonicalUrl, end: str) -> None:
        """Note a capture that is not read: a refused one with its reason, an older one as a visit."""
        if end == NO_ANSWER:
            self._tell(
                "it holds a response to another method than GET, or to a URL that a robot generated: no page",
                capture.url,
            )
        if end == NOT_HERE:
            self._tell(REFERS, capture.url)
        if end == OLDER:
            identity = find(self._database.connection, url)
        else:
            identity = self._discovered(url) if end.startswith(REFUSED) else None
        if identity is not None:
            rule = end.removeprefix(f"{REFUSED}: ")
            status, size = capture.status, capture.size
            self._imports.note_capture(self._archive.id, identity, capture, rule, status=status, size=size)

    def _tell_end(self) -> None:
        """Sum up in the journal how the records of an archive ended."""
        archive = self._archive
        ends = ", ".join(f"{count:,} {end}" for end, count in archive.account.most_common(ENDS_TOLD))
        self._journal.write(None, Rule.ARCHIVE, f"{archive.name} was imported: {ends or 'it holds nothing'}")
        if archive.without_robots:
            pages = counted(archive.without_robots, "page was", "pages were")
            why = f"{archive.name}: {pages} read though no robots.txt of their origin is known: as if there were none"
            self._journal.write(None, Rule.ARCHIVE, why, count=archive.without_robots)


def _is_unmodified(capture: Capture) -> bool:
    return capture.not_modified or capture.status == HTTPStatus.NOT_MODIFIED


def _is_revisit(capture: Capture) -> bool:
    return _is_unmodified(capture) or (bool(capture.same_as) and capture.status in _OK)


def _disallowed(capture: Capture, url: CanonicalUrl, verdict: Verdict) -> Outcome:
    reason = f"robots.txt: {verdict.with_rule}; an archive holds it all the same"
    refused = Outcome(url, LeaseEnd.REFUSED, Rule.ROBOTS, reason)
    return replace(refused, status=capture.status, fetched_at=capture.at, size=capture.size)


def _slices(entries: Iterable[ReadEntry]) -> Iterator[list[ReadEntry]]:
    taken: list[ReadEntry] = []
    captures = size = 0
    for read in entries:
        taken.append(read)
        if isinstance(read.entry, Capture):
            captures += 1
            size += read.item.size if isinstance(read.item, Page) else len(read.entry.body)
        if captures == SLICE or size >= SLICE_BYTES or len(taken) == SLICE_RECORDS:
            yield taken
            taken, captures, size = [], 0, 0
    if taken:
        yield taken
