"""Does a response show a login instead of the page? Pure: status, headers and body in, the reason out.

- Any login: status 401 (RFC 9110, 15.5.2).
- A form or a cookie, whose session may have ended: 403 too, a redirect to the login page or to a URL with such a name,
  and a page with a form for one password.

The login page itself is no wall: it is what was requested.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from extensions.logins.login_form import shows_login
from extensions.logins.sites import CookieLogin, FormLogin
from pages.links import BaseUrl, Unusable
from urls.canonical import mask_credentials
from urls.records import REDIRECTS

if TYPE_CHECKING:
    from scrapy.http import Response

    from extensions.logins.sites import Site

UNAUTHORIZED, FORBIDDEN = 401, 403
_SUCCESSES = range(200, 300)
_LOGIN_PATH = re.compile(
    r"(?:^|[/_.-])(?:log[_-]?[io]n|sign[_-]?[io]n|sso|authenticate|two[_-]?factor|2fa|mfa)(?:$|[/_.;-])", re.IGNORECASE
)
_LOGOUT = re.compile(r"(?:^|[/_.=&:-])(?:user)?(?:log|sign)[_-]?(?:out|off)(?:$|[/_.&;-])", re.IGNORECASE)


def has_session(site: Site) -> bool:
    """Return whether the login of a site is a session, which can end."""
    return isinstance(site.login, (CookieLogin, FormLogin))


def ends_session(site: Site, url: str) -> bool:
    """Return whether a request for a URL would end the session, by its last name or its query: `/logout`."""
    parts = urlsplit(url)
    last = parts.path.rstrip("/").rpartition("/")[2]
    return has_session(site) and _LOGOUT.search(f"/{last}&{parts.query}") is not None


def login_wall(site: Site, url: str, response: Response) -> str:
    """Return why the response for `url` is a login instead of a page, as a clause; "" if it is none."""
    status = response.status
    if status == UNAUTHORIZED or (status == FORBIDDEN and has_session(site)):
        return f"the server answered {status}"
    if not has_session(site) or is_login_page(site, url):
        return ""
    kind, location = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Content-Type", "Location"))
    if status in REDIRECTS and location:
        target = BaseUrl.of(url).resolve(location.strip())
        if not isinstance(target, Unusable) and (is_login_page(site, target) or _is_page_of_form(site, target)):
            return f"it redirects to the login at {mask_credentials(target).partition('?')[0][:200]}"
    return "it shows a login form" if status in _SUCCESSES and shows_login(response.body, kind) else ""


def is_login_page(site: Site, url: str) -> bool:
    """Return whether a URL is the login page of a site, or below it, or has the name of one.

    A login page that is the home page is none here: whoever is logged in reads it.
    """
    path = urlsplit(url).path
    page = _login_path(site)
    return (page != "/" and f"{path}/".startswith(f"{page.rstrip('/')}/")) or _LOGIN_PATH.search(path) is not None


def _login_path(site: Site) -> str:
    """Return the path of the login page, "/" if there is none."""
    return urlsplit(site.login.page).path if isinstance(site.login, FormLogin) else "/"


def _is_page_of_form(site: Site, url: str) -> bool:
    return isinstance(site.login, FormLogin) and url.partition("?")[0] == site.login.page.partition("?")[0]
