"""Which requests of a page's scripts are sent? Those for its text, by the rules that a page has to pass too.

The browser has no network. It hands over each request, and the crawl sends it, or refuses it by a rule:

    kind        pictures, fonts and media: they add no text
    frame       the document of a frame: its text is not the page's
    navigation  the script leads the browser to another page: the frontier gets that URL, as from a refresh
    window      the script opens a window
    websocket   a connection that stays open
    method      only GET, which changes nothing on a server (RFC 9110, 9.2.1)
    site        neither the site of the page nor in RENDER_SITES
    limit       beyond MAX_SENT requests or MAX_BYTES of a page
    redirects   more than MAX_HOPS redirects, or one that leads nowhere

Then come the rules of any URL: its form and port, the blacklist, robots.txt, the IP address, the pace and the rests of
its host, and MAX_REQUESTS of the run. Each redirect is checked again.

The files of a script and a stylesheet are the same for all pages of a site, so a run requests each once for the site.
Cookies and headers that a script adds are not sent, except those of `PASSED_ON`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from crawldb.tables.blocks import blacklist
from extensions.rendering.tables import NotedRequest
from spiders.downloader.handler import SCRAPYS_LIMIT, LeaseEndedError, StoppedError, header_lines
from spiders.downloader.response_limits import SENT_AT
from spiders.outcome import fetch_failure
from spiders.robots_gate import PART_OF
from spiders.setting_values import SettingError
from spiders.site import MAX_BYTES as LIMIT
from urls.canonical import UnusableUrl, canonicalize, site_of
from urls.records import MAX_HOPS, REDIRECTS, CanonicalUrl
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb.tables.queue import Lease
    from spiders.site import SiteSpider

MAX_SENT = 100  # requests of a page, redirects included
MAX_BYTES = 20 * 1024 * 1024  # of all files of a page
MAX_NOTED = 200  # kinds of requests of a page that are kept: each URL, kind and rule once
MAX_KEPT = 32 * 1024 * 1024  # bytes of scripts and stylesheets that a run keeps
MAX_URL = 2000  # characters of a URL in a note

PASSED_ON = ("accept", "accept-language", "origin", "x-requested-with")  # headers of a browser that are sent
NOT_PASSED_ON = frozenset(  # headers of a response: of its transfer, or what would outlive the page
    {"content-length", "content-encoding", "transfer-encoding", "connection", "set-cookie", "alt-svc", "nel",
     "report-to", "reporting-endpoints", "strict-transport-security", "clear-site-data"}
)  # fmt: skip
SHARED = frozenset({"script", "stylesheet"})  # kinds that all pages of a site have
WITHOUT_TEXT = frozenset(
    {"image", "media", "font", "texttrack", "manifest", "ping", "cspviolationreport", "eventsource"}
)
ONCE = frozenset({"window", "websocket"})  # rules of which the first URL is kept, and the number


class Refused(NamedTuple):
    """Why a request is not sent: a rule of this file or of the journal, and a reason."""

    rule: str
    reason: str


_BEYOND_BYTES = Refused("limit", f"the files of the page may have {MAX_BYTES:,} bytes, and with this one have more")


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """A request that the browser hands over. `kind` is the browser's word for what it is for."""

    url: str
    kind: str
    method: str = "GET"
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ScriptResponse:
    """A response for the browser."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def read_render_sites(given: Iterable[object]) -> frozenset[str]:
    """Read RENDER_SITES; raise SettingError for what is no host, or host and port."""
    sites = set()
    for each in map(str, given):
        try:
            url = canonicalize(f"http://{each.strip()}/")
        except UnusableUrl:
            url = None
        if url is None or "/" in each.strip():
            raise SettingError(f"RENDER_SITES={each!r}: give the host of a site, such as cdn.example.org")
        sites.add(site_of(url))
    return frozenset(sites)


def refusal_by_form(asked: ScriptRequest) -> Refused | None:
    """Return why a request is refused by its kind or method, whatever its URL is."""
    if asked.kind in WITHOUT_TEXT:
        return Refused("kind", f"a file of the kind {asked.kind} adds no text")
    if asked.kind == "document":
        return Refused("frame", "the text of a frame is not the page's")
    if asked.method != "GET":
        return Refused("method", f"only GET is sent, not {asked.method[:20]}")
    return None


def refusal_by_site(url: CanonicalUrl, own: str, sites: frozenset[str]) -> Refused | None:
    """Return why no request goes to the site of a URL: it is not the page's `own`, and not among `sites`."""
    site = site_of(url)
    return (
        None if site == own or site in sites else Refused("site", f"{site} is not the page's site, nor in RENDER_SITES")
    )


class SharedFiles:
    """The scripts and stylesheets that a run has received, for other pages of the same site; the oldest make room.

    Another site may not request them: they may be private, or say which site they are for.
    """

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], ScriptResponse] = {}
        self._size = 0

    def get(self, site: str, url: str) -> ScriptResponse | None:
        """Return the file of a URL that a page of a site has requested."""
        return self._files.get((site, url))

    def put(self, site: str, url: str, answer: ScriptResponse) -> None:
        """Keep a file that a page of a site has requested."""
        if len(answer.body) > MAX_KEPT or (site, url) in self._files:
            return
        self._files[site, url] = answer
        self._size += len(answer.body)
        while self._size > MAX_KEPT:
            self._size -= len(self._files.pop(next(iter(self._files))).body)


class RequestGate:
    """Sends the requests of one page, or refuses them, and notes both."""

    def __init__(
        self,
        crawler: Crawler,
        spider: SiteSpider,
        lease: Lease,
        sites: frozenset[str],
        shared: SharedFiles,
        seconds: float,
    ) -> None:
        self._crawler = crawler
        self._spider = spider
        self._lease = lease
        self._sites = sites
        self._shared = shared
        self._seconds = seconds  # for a response: nobody waits for it any longer
        self._under_way: set[Request] = set()
        self._bytes = 0
        self._notes: dict[tuple[str, str, str], NotedRequest] = {}
        self.sent = 0
        self.count = 0  # of all requests of HTTP that were handed over
        self.beyond = 0  # of those that are not among the notes
        self.leads_to = ""  # where the script led the browser first

    @property
    def notes(self) -> tuple[NotedRequest, ...]:
        """Return what became of the requests, in the order in which they came."""
        return tuple(self._notes.values())

    @property
    def waits(self) -> bool:
        """Whether a request waits for the turn of its host."""
        return any(SENT_AT not in request.meta for request in self._under_way)

    def note(self, noted: NotedRequest) -> None:
        """Note what became of a request; the same again is only counted, and so is each further window."""
        noted = replace(noted, url=noted.url[:MAX_URL])
        key = ("" if noted.rule in ONCE else noted.url, noted.kind, noted.rule)
        if key in self._notes:
            self._notes[key] = replace(self._notes[key], times=self._notes[key].times + 1)
        elif len(self._notes) < MAX_NOTED:
            self._notes[key] = noted
        else:
            self.beyond += 1

    def refuse(self, url: str, kind: str, rule: str, reason: str) -> None:
        """Note a request that is refused before it becomes one of HTTP."""
        self.note(NotedRequest(url, kind, rule, reason))

    def leads(self, url: str) -> None:
        """Take in that the script leads the browser to another page."""
        self.leads_to = self.leads_to or url
        self.refuse(url, "document", "navigation", "the browser stays on this page")

    async def answer(self, asked: ScriptRequest) -> ScriptResponse | None:
        """Return the response to a request, or None if it is refused or has failed."""
        self.count += 1
        refused = refusal_by_form(asked)
        site, is_shared = self._lease.site, asked.kind in SHARED
        if refused is None and is_shared and (kept := self._shared.get(site, asked.url)) is not None:
            self.note(NotedRequest(asked.url, asked.kind, status=kept.status, size=len(kept.body), reused=True))
            return kept
        found = refused or await self._follow(asked)
        if isinstance(found, Refused):
            self.refuse(asked.url, asked.kind, *found)
            return None
        self.note(NotedRequest(asked.url, asked.kind, status=found.status, size=len(found.body)))
        if is_shared and found.status == 200:  # noqa: PLR2004
            self._shared.put(site, asked.url, found)
        return found

    async def _follow(self, asked: ScriptRequest) -> ScriptResponse | Refused:
        """Send a request, and those of its redirects."""
        url = asked.url
        for _ in range(MAX_HOPS + 1):
            response = await self._send(url, asked)
            if isinstance(response, Refused):
                return response
            location = (response.headers.get("Location") or b"").decode("latin-1")
            if response.status not in REDIRECTS or not location:
                headers = {name: value for name, value in header_lines(response) if name not in NOT_PASSED_ON}
                return ScriptResponse(response.status, headers, response.body)
            url = urljoin(url, location)
        return Refused("redirects", f"more than {MAX_HOPS} redirects in a row")

    async def _send(self, url: str, asked: ScriptRequest) -> Response | Refused:
        try:
            canonical = canonicalize(url)
        except UnusableUrl as error:
            return Refused(error.refusal.rule, error.refusal.reason)
        if (refused := self._refusal(canonical)) is not None:
            return refused
        self.sent += 1
        headers = {name: value for name, value in (asked.headers or {}).items() if name in PASSED_ON}
        meta = {PART_OF: replace(self._lease, url=canonical), LIMIT: MAX_BYTES - self._bytes}
        meta[SCRAPYS_LIMIT] = self._seconds
        headers |= {"referer": self._lease.url}
        request = Request(canonical, headers=headers, meta=meta, callback=NO_CALLBACK, dont_filter=True)
        self._under_way.add(request)
        try:
            response: Response = await self._engine.download_async(request)
        except LeaseEndedError as error:
            return Refused(error.outcome.rule, error.outcome.reason)
        except StoppedError as error:
            return Refused(error.refusal.rule, error.refusal.reason)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the script gets no answer
            failure = fetch_failure(error, canonical, self._spider.refusals)
            return _BEYOND_BYTES if failure.rule is Rule.SIZE else Refused(failure.rule, failure.reason)
        finally:
            self._under_way.discard(request)
        self._bytes += len(response.body)
        for waiting in self._under_way:  # they may have been handed over before any was sent
            waiting.meta[LIMIT] = max(MAX_BYTES - self._bytes, 1)  # 0 would be no limit
        return _BEYOND_BYTES if self._bytes > MAX_BYTES else response

    def _refusal(self, url: CanonicalUrl) -> Refused | None:
        """Return why a URL is not requested. What robots.txt, the address and the pace say comes with the request."""
        session = self._spider.session
        site = site_of(url)
        if (refused := refusal_by_site(url, self._lease.site, self._sites)) is not None:
            return refused
        found = session.policy.port_refusal(url, site) or blacklist(session.database).refusal(url)
        if found is not None:
            return Refused(found.rule, found.reason)
        if self.sent >= MAX_SENT:
            return Refused("limit", f"the page has sent {MAX_SENT} requests")
        return _BEYOND_BYTES if self._bytes >= MAX_BYTES else None

    @property
    def _engine(self) -> Any:
        if self._crawler.engine is None:
            raise StoppedError
        return self._crawler.engine
