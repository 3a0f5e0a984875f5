"""When does a request wait for a login, and when does a response show one? This file acts; the others decide.

A lease whose response is a login ends without a page: what is stored of the page stays as it is.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from crawldb.clock import RUN_CLOCK
from crawldb.tables.robots_files import read_robots
from extensions.logins.form_login import LOGIN, Sender, log_in_by_form
from extensions.logins.login_form import LoginError
from extensions.logins.report import FAILED, LOGGED_IN, NOT_SEEN
from extensions.logins.site_session import AtWall, SiteSession, session_of_url
from extensions.logins.sites import FormLogin
from extensions.logins.wall import ends_session, has_session, login_wall
from robots import Access
from spiders.downloader.handler import LeaseEndedError, StoppedError
from spiders.downloader.response_limits import seconds_since_sent
from spiders.outcome import fetch_failure
from spiders.robots_gate import PART_OF
from spiders.setting_values import SettingError
from spiders.without_crawl import site_spider
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb.tables.queue import Lease
    from extensions.logins.sites import Site
    from spiders.site import SiteSpider

AFTER_THE_GATE = 105  # in DOWNLOADER_MIDDLEWARES: robots.txt comes first, and bodies are unpacked
SESSION = "login_session"  # key of Request.meta: the number of the session under which it is sent
FIRST = "login_first"  # key of Request.meta: whether it is the first one with the login, and others wait


@dataclass(slots=True)
class LoginRecorder:
    """Logs a crawl in at its sites."""

    sites: tuple[Site, ...]
    setting: str = ""  # without sites there is none
    sessions: list[SiteSession] = field(default_factory=list)

    def prepare(self) -> None:
        """Read the secrets. Raises SettingError."""
        try:
            self.sessions = [SiteSession(site, site.login.secret.read()) for site in self.sites]
        except SettingError as error:
            raise SettingError(f"SITE: {error}") from None

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:
        """Let a crawl that is about to begin send the credentials."""
        spider.credentials = self.credentials
        parts = crawler.settings.getdict("DOWNLOADER_MIDDLEWARES") | {LoginMiddleware: AFTER_THE_GATE}
        crawler.settings.set("DOWNLOADER_MIDDLEWARES", parts, priority="cmdline")

    def credentials(self, url: str) -> list[tuple[bytes, bytes]]:
        """Return the header lines that go with a request to a URL."""
        of_url = session_of_url(url, self.sessions)
        concerned = (each for each in self.sessions if each is of_url or each.is_of_login(url))
        return [line for each in concerned for line in each.lines(url)]


class LoginMiddleware:
    """Logs in before the first page of a site, and again when a page shows the login."""

    def __init__(self, crawler: Crawler, spider: SiteSpider, sessions: list[SiteSession]) -> None:
        self._crawler = crawler
        self._spider = spider
        self._sessions = sessions
        crawler.signals.connect(self._say_what_failed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LoginMiddleware:
        """Build the component for a crawl of the site spider."""
        spider = site_spider(crawler)
        for recorder in spider.crawl_settings.recorders:
            if isinstance(recorder, LoginRecorder):
                return cls(crawler, spider, recorder.sessions)
        raise NotConfigured

    async def process_request(self, request: Request) -> None:
        """Let a request pass when the crawl is logged in, or raise `LeaseEndedError` with the outcome of its lease."""
        lease: Lease | None = request.meta.get("lease")
        whole: Lease | None = lease or request.meta.get(PART_OF)  # a page's script must not log out, either
        session = session_of_url(request.url, self._sessions)
        if whole is None or session is None:
            return
        if ends_session(session.site, request.url):
            reason = f"a request for it would end the session at {session.site.name}"
            raise LeaseEndedError(_not_sent(whole, LeaseEnd.REFUSED, Rule.LOGOUT, reason))
        if lease is None:
            return
        request.meta[FIRST] = await session.turn()
        if not session.is_open and not session.closed:
            await self._open(session, lease)
        if session.closed:
            self._ended(request, session)
            raise LeaseEndedError(_not_sent(lease, LeaseEnd.FAILED, Rule.LOGIN, session.closed))
        request.meta[SESSION] = session.number

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return a response that is no login; else raise `LeaseEndedError` with the outcome of its lease."""
        session = request.meta.get(LOGIN) or session_of_url(request.url, self._sessions)
        if session is None:
            return response
        session.keep_cookies(request, response)
        if LOGIN in request.meta:
            return response
        lease: Lease | None = request.meta.get("lease")
        wall = login_wall(session.site, request.url, response)
        if lease is None:  # for a robots.txt, which may be open to all
            if wall and not has_session(session.site):
                self._at_wall(session, request.url, session.number, wall)
            return response
        if not wall:
            session.accepted(response.status)
            self._ended(request, session)
            return response
        ending = self._at_wall(session, lease.url, request.meta.get(SESSION, 0), wall)
        self._ended(request, session)
        at, seconds = RUN_CLOCK.now(), seconds_since_sent(request.meta)
        fate = LeaseEnd.DEFERRED if ending is AtWall.AGAIN else LeaseEnd.FAILED
        known = Outcome(lease.url, fate, Rule.LOGIN_WALL, _reason(ending, wall, session), response.status)
        wait = self._spider.crawl_settings.retries.delay if ending is AtWall.AGAIN else None
        raise LeaseEndedError(replace(known, retry_after=wait, fetched_at=at, seconds=seconds, size=len(response.body)))

    async def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's hook
        """Let the requests go on that wait for one that has failed."""
        if request.meta.get(FIRST) and (session := session_of_url(request.url, self._sessions)) is not None:
            self._ended(request, session)

    def _ended(self, request: Request, session: SiteSession) -> None:
        if request.meta.pop(FIRST, False):
            session.first_ended()

    def _at_wall(self, session: SiteSession, url: str, number: int, wall: str) -> AtWall:
        ending = session.walled(url, number)
        if ending is AtWall.CLOSED and not session.closed:
            if has_session(session.site) and session.proved:
                self._close(session, f"its session has ended: {wall}")
            else:
                self._close(session, f"the site does not accept it: {wall}")
        return ending

    async def _open(self, session: SiteSession, lease: Lease) -> None:
        """Log in, once for all that wait; raise `LeaseEndedError` if the crawl does not wait for it any longer."""
        if session.logging_in is None:
            session.logging_in = asyncio.ensure_future(self._log_in(session))
        task = session.logging_in
        try:
            await asyncio.shield(task)  # one waiting page that gives up must not end the login for all
        except StoppedError as stopped:
            reason = f"the crawl is not logged in: {stopped.refusal.reason}"
            raise LeaseEndedError(_not_sent(lease, LeaseEnd.DEFERRED, stopped.refusal.rule, reason)) from None
        finally:
            if task.done():
                session.logging_in = None

    async def _log_in(self, session: SiteSession) -> None:
        engine, login = self._crawler.engine, session.site.login
        if engine is None or not isinstance(login, FormLogin):
            raise StoppedError
        try:
            await log_in_by_form(session, login, Sender(engine.download_async, partial(self._refusal, session.site)))
            self._spider.session.store.note(Rule.LOGIN, f"{LOGGED_IN}{session.site.name}")
        except LoginError as error:
            self._close(session, str(error))
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the crawl is not logged in
            failure = fetch_failure(error, login.page, self._spider.refusals)
            self._close(session, f"no login page: {failure.reason}")

    def _refusal(self, site: Site, url: str) -> str:
        """Return why robots.txt does not allow a URL of the login, or ""."""
        record = read_robots(self._spider.session.database, site.origin)
        if record is None:
            return "it is not known yet"
        availability = record.access_state.availability(RUN_CLOCK.now())
        if availability.access is Access.CLOSED:
            return availability.reason
        verdict = availability.decide(self._crawler.settings["PRODUCT"], url)
        return "" if verdict.allowed else str(verdict)

    def _close(self, session: SiteSession, reason: str) -> None:
        """Send no request to the site any more in this run."""
        session.closed = f"{FAILED}{session.site.name} failed: {reason}"
        self._spider.session.store.note(Rule.LOGIN, session.closed)

    def _say_what_failed(self) -> None:
        failed = [each.closed for each in self._sessions if each.closed]
        if failed and not self._spider.session.trouble:
            self._spider.session.trouble = f"{'; '.join(failed)}. Its stored pages stay; docs/logins.md helps"


def _reason(ending: AtWall, wall: str, session: SiteSession) -> str:
    if ending is AtWall.AGAIN:
        return f"{wall}: the crawl logs in again at {session.site.name}"
    if ending is AtWall.FAILED:
        # A secret goes with each request, and a page that everyone may see does not prove it; a form proves itself.
        is_form = isinstance(session.site.login, FormLogin)
        doubt = "" if is_form else ", or its secret is wrong and those pages need none"
        return f"{wall}, and other pages of {session.site.name} do not: {NOT_SEEN}{doubt}"
    return f"{wall}: {session.closed}"


def _not_sent(lease: Lease, fate: LeaseEnd, rule: Rule, reason: str) -> Outcome:
    return Outcome(lease.url, fate, rule, reason, fetched_at=RUN_CLOCK.now(), requested=False)
