"""Is the crawl logged in at a site, and what does it do when a page shows the login? The state of one site in one run.

Sessions are in memory alone: the next run logs in again. Every way to try again has a bound, since a site may lock an
account after a few wrong passwords:

- What goes with each request is not sent again in this run if it was refused at first, WALLS_IN_A_ROW times in a row,
  or MAX_REFUSED times: pages that are open to all prove nothing. A form that was refused is not posted again.
- A page that shows the login makes the crawl log in again, MAX_LOGINS times a run. The same page is then requested
  again, MAX_AGAIN times: by chance a session may end with it twice. After that only this page has failed.
- After MAX_USELESS such pages, one page alone proves nothing: WALLS_IN_A_ROW pages have to show the login.
"""

from __future__ import annotations

import asyncio
import base64
from enum import Enum
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.cookies import CookieJar

from extensions.logins.sites import BasicLogin, CookieLogin, FormLogin, HeaderLogin, TokenLogin, site_of_url
from spiders.downloader.exchange_heads import as_sent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.http import Response

    from extensions.logins.secret import SecretText
    from extensions.logins.sites import Login, Site

MAX_LOGINS = 20  # with a form, in one run
MAX_AGAIN = 2  # requests for a page that has shown the login
MAX_USELESS = 3  # logins after which the page showed the login again
WALLS_IN_A_ROW = 3  # pages that show the login, with no other page between
MAX_REFUSED = 10  # requests of a run whose password or token was refused; sites lock accounts after some
MAX_COOKIES = 50  # of one site; as many as RFC 6265, 6.1, asks a browser to keep of a domain
MAX_WALLED = 10_000  # URLs that have shown the login, which are remembered


class AtWall(Enum):
    """What happens to a URL whose response was a login."""

    AGAIN = "again"  # it is requested again, under a new session
    FAILED = "failed"  # it has failed; others of the site may not
    CLOSED = "closed"  # the site gets no request any more in this run


class SiteSession:
    """The login of one site in one run."""

    def __init__(self, site: Site, secret: SecretText) -> None:
        self.site = site
        self.secret = secret
        self.closed = ""  # why no request is sent to the site any more
        self.is_open = not isinstance(site.login, FormLogin)  # what is sent with each request needs no login before
        self.number = 0  # of the session; each login with a form begins a new one
        self.proved = isinstance(site.login, FormLogin)  # the server has accepted the login
        self.logging_in: asyncio.Task[None] | None = None
        self._trial: asyncio.Future[None] | None = None
        self._lines = _header_lines(site.login, secret)
        self._jar = CookieJar()
        self._login_urls: set[str] = set()
        self._walled: dict[str, int] = {}  # how often a URL has shown the login
        self._useless = 0
        self._in_a_row = 0
        self._refused = 0

    def lines(self, url: str) -> list[tuple[bytes, bytes]]:
        """Return the header lines that go with a request to a URL, as it is sent: none for a URL of another site."""
        if not self.site.covers(url) and not self.is_of_login(url):
            return []
        if self._lines or not isinstance(self.site.login, FormLogin):
            return self._lines
        carrier = Request(url)
        self._jar.add_cookie_header(carrier)
        value = carrier.headers.get("Cookie")
        return [(b"Cookie", value)] if value else []

    def is_of_login(self, url: str) -> bool:
        """Return whether the login requests a URL, as it is sent."""
        return url in self._login_urls

    def keep_cookies(self, request: Request, response: Response) -> None:
        """Keep the cookies that a response sets, in memory."""
        if isinstance(self.site.login, FormLogin) and "Set-Cookie" in response.headers:
            self._jar.extract_cookies(response, request)
            if len(self._jar) > MAX_COOKIES:
                self._jar.clear()

    @property
    def has_cookies(self) -> bool:
        """Whether the site has set a cookie."""
        return len(self._jar) > 0

    def begin_login(self) -> None:
        """Forget the session before."""
        self.number += 1
        self._jar.clear()
        self._login_urls.clear()

    def note_login_url(self, url: str) -> None:
        """Let the cookies of the site go to a URL of the login, which may be outside the site's path."""
        self._login_urls.add(as_sent(url))

    # -- The first request with a password is sent alone: many at once would be as many wrong passwords

    async def turn(self) -> bool:
        """Wait while the first request is under way. Return whether the caller's is now the first one."""
        while not self.proved and not self.closed and self._trial is not None:
            await asyncio.shield(self._trial)
        if self.proved or self.closed:
            return False
        self._trial = asyncio.get_running_loop().create_future()
        return True

    def first_ended(self) -> None:
        """Let the others go on, or one of them be the first."""
        trial, self._trial = self._trial, None
        if trial is not None and not trial.done():
            trial.set_result(None)

    # -- What responses show

    def accepted(self, status: int) -> None:
        """Take in a response that is no login."""
        self._in_a_row = 0
        self.proved = self.proved or status < 400  # noqa: PLR2004 - an error may come from anywhere before the login

    def walled(self, url: str, number: int) -> AtWall:
        """Take in that a URL shows the login, as requested under the session of that number."""
        if self.closed:
            return AtWall.CLOSED
        if number < self.number or not self.is_open:
            return AtWall.AGAIN
        self._in_a_row += 1
        return self._form_walled(url) if isinstance(self.site.login, FormLogin) else self._sent_in_vain()

    def _sent_in_vain(self) -> AtWall:
        """Say what follows if what goes with each request was not accepted: there is nothing to renew."""
        self._refused += 1
        is_over = not self.proved or self._in_a_row >= WALLS_IN_A_ROW or self._refused >= MAX_REFUSED
        return AtWall.CLOSED if is_over else AtWall.FAILED

    def _form_walled(self, url: str) -> AtWall:
        """Say what follows if a page shows the login although the crawl has logged in with the form."""
        if self._walled.get(url, 0) >= MAX_AGAIN:
            self._useless += 1
            return AtWall.FAILED
        if self._useless >= MAX_USELESS and self._in_a_row < WALLS_IN_A_ROW:
            return AtWall.FAILED
        if self.number >= MAX_LOGINS:
            return AtWall.CLOSED
        if len(self._walled) < MAX_WALLED:
            self._walled[url] = self._walled.get(url, 0) + 1
        self.is_open = False
        return AtWall.AGAIN


def _header_lines(login: Login, secret: SecretText) -> list[tuple[bytes, bytes]]:
    """Return the header lines of a login that goes with each request."""
    match login:
        case BasicLogin(user=user):
            pair = base64.b64encode(f"{user}:{secret.text}".encode())
            return [(b"Authorization", b"Basic " + pair)]
        case TokenLogin():
            return [(b"Authorization", b"Bearer " + secret.text.encode())]
        case HeaderLogin(name=name):
            return [(name.encode(), secret.text.encode())]
        case CookieLogin(name=name):
            return [(b"Cookie", f"{name}={secret.text}".encode())]
    return []


def session_of_url(url: str, sessions: Sequence[SiteSession]) -> SiteSession | None:
    """Return the session of the site that a canonical URL is of, or None."""
    site = site_of_url(url, [each.site for each in sessions])
    return next((each for each in sessions if each.site is site), None)
