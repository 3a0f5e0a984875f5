"""How does the crawl log in with a form? It fetches the login page, fills in the form, posts it once, and looks.

Each request waits for its turn like one for a page. None goes to another origin, and none to a page that robots.txt
disallows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from extensions.logins.login_form import LoginError, filled_form, same_origin, second_factor_of, shows_login
from pages.links import BaseUrl

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.http import Response

    from extensions.logins.site_session import SiteSession
    from extensions.logins.sites import FormLogin

LOGIN = "login"  # key of Request.meta: the session whose login this request is part of
MAX_HOPS = 5  # redirects in a row, before the form and after it
MAX_PAGE_BYTES = 1024 * 1024  # of the login page
FORM_TYPE = "application/x-www-form-urlencoded"
_MOVED = frozenset({301, 302, 303})
_SENT_AGAIN = frozenset({307, 308})  # a browser would send the form, and the password, once more
_REFUSED = frozenset({400, 401, 403, 422})
_ERRORS = range(400, 600)
_SUCCESSES = range(200, 300)


@dataclass(frozen=True, slots=True)
class Sender:
    """How requests of a login are sent: `allowed` returns why robots.txt does not allow a URL, or ""."""

    fetch: Callable[[Request], Awaitable[Response]]
    allowed: Callable[[str], str]


async def log_in_by_form(session: SiteSession, login: FormLogin, sender: Sender) -> None:
    """Log in. Raises LoginError, and whatever `sender` raises."""
    session.begin_login()
    page = await _followed(session, sender, await _get(session, sender, login.page))
    if page.status not in _SUCCESSES:
        raise LoginError(f"{page.url} answered {page.status} instead of the login page")
    form = filled_form(page.body, _content_type(page), page.url, login, session.secret)
    headers = {"Content-Type": FORM_TYPE, "Referer": page.url}  # frameworks check the Referer
    posted = await _send(session, sender, Request(form.url, method="POST", body=form.body, headers=headers))
    if posted.status in _SENT_AGAIN:
        raise LoginError(f"{posted.url} answered {posted.status}: the form is not sent a second time")
    _check_success(session, await _followed(session, sender, posted))
    session.is_open = True


async def _followed(session: SiteSession, sender: Sender, response: Response) -> Response:
    """Follow redirects within the origin, by GET. Raises LoginError for any other."""
    for _ in range(MAX_HOPS + 1):
        location = (response.headers.get("Location") or b"").decode("latin-1").strip()
        if response.status not in _MOVED | _SENT_AGAIN or not location:
            return response
        target = BaseUrl.of(response.url).resolve(location)
        url = same_origin(target, response.url, "redirects to no usable URL", "redirects to")
        response = await _get(session, sender, url, response.url)
    raise LoginError(f"{response.url} is one redirect too many in a row")


async def _get(session: SiteSession, sender: Sender, url: str, referer: str = "") -> Response:
    return await _send(session, sender, Request(url, headers={"Referer": referer} if referer else {}))


async def _send(session: SiteSession, sender: Sender, request: Request) -> Response:
    """Send a request of the login. Its response has the URL of the request."""
    if reason := sender.allowed(request.url):
        raise LoginError(f"robots.txt does not allow {request.url} ({reason}): ask its owner to, or give a cookie")
    session.note_login_url(request.url)
    request = request.replace(meta={LOGIN: session}, callback=NO_CALLBACK, dont_filter=True)
    response = await sender.fetch(request)
    if len(response.body) > MAX_PAGE_BYTES:
        raise LoginError(f"{request.url} is longer than {MAX_PAGE_BYTES} bytes")
    return response.replace(url=request.url)


def _check_success(session: SiteSession, after: Response) -> None:
    """Raise LoginError if the page after the login shows that it has failed."""
    kind = _content_type(after)
    if after.status in _REFUSED:
        raise LoginError(f"the server did not accept the user and the password ({after.status})")
    if after.status in _ERRORS:
        raise LoginError(f"{after.url} answered {after.status} after the login")
    if field := second_factor_of(after.body, kind):
        raise LoginError(
            f"the site asks for a second factor (its field is {field!r}): use an account without one, or give a cookie"
        )
    if shows_login(after.body, kind):
        raise LoginError("the site shows its login again: the user or the password may be wrong")
    if not session.has_cookies:
        raise LoginError("the site has set no cookie, so it will not know the crawl again")


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
