"""Which sites need a login, and who may see their pages? Each `[[site]]` table of breadcrumb.toml describes one.

    [[site]]
    url = "https://wiki.example.org/staff/"
    basic = { user = "crawler", password = "env:WIKI_PASSWORD" }
    read = ["staff"]

A table has a reference to each secret, never the secret itself: `env:NAME` is an environment variable, `file:PATH` a
file that only its owner may read. No message here repeats a value that may be a secret by mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from extensions.logins.secret import Secret
from robots.origin import origin_of
from spiders.setting_values import SettingError
from urls.canonical import UnusableUrl, canonicalize, has_credentials
from urls.wording import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spiders.setting_values import ReadableSettings

SETTING = "SITE"
MAX_SITES = 100
MAX_GROUPS = 20  # that may read one site
MAX_NAME_CHARS = 100  # of a user, a group, a header or a field of a form
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*")
# Headers that frame a message, or that the crawl sends itself.
_OWN_HEADERS = frozenset({
    "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "cookie", "expect",
    "from", "host", "if-modified-since", "if-none-match", "keep-alive", "proxy-authorization", "range", "referer", "te",
    "trailer", "transfer-encoding", "upgrade", "user-agent",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class BasicLogin:
    """A user and a password, sent with each request (RFC 7617)."""

    user: str
    secret: Secret  # the password


@dataclass(frozen=True, slots=True)
class TokenLogin:
    """A token, sent with each request as `Authorization: Bearer` (RFC 6750)."""

    secret: Secret


@dataclass(frozen=True, slots=True)
class HeaderLogin:
    """A header of the site's own, such as `X-Api-Key`."""

    name: str
    secret: Secret  # its value


@dataclass(frozen=True, slots=True)
class CookieLogin:
    """A cookie that a person has copied from a browser."""

    name: str
    secret: Secret  # its value


@dataclass(frozen=True, slots=True)
class FormLogin:
    """A login page with a form: it is fetched, filled in and posted, and the cookies that it sets are sent then.

    `page` is the canonical URL of the login page, of the site's origin. Without the name of a field, it is found in the
    form: the one of type password, and the text or email field before it.
    """

    page: str
    user: str
    secret: Secret  # the password
    user_field: str = ""
    password_field: str = ""


Login: TypeAlias = BasicLogin | TokenLogin | HeaderLogin | CookieLogin | FormLogin


@dataclass(frozen=True, slots=True)
class Site:
    """A part of an origin that needs a login: the URLs of `origin` whose path is `below` or under it.

    `origin` is "https://wiki.example.org:443", with the port, as robots.origin has it. `read` are the groups whose
    members may see the pages.
    """

    origin: str
    below: str  # a path such as "/staff/"; "/": the whole origin
    login: Login
    read: frozenset[str]

    def covers(self, url: str) -> bool:
        """Return whether a canonical URL is one of this site."""
        try:
            if origin_of(url) != self.origin:
                return False
        except ValueError:
            return False
        path = _path_of(url)
        return path == self.below.rstrip("/") or path.startswith(self.below.rstrip("/") + "/")

    @property
    def name(self) -> str:
        """The URL without a port that goes without saying, for messages."""
        scheme, _, host = self.origin.partition("://")
        port = {"http": ":80", "https": ":443"}[scheme]
        return f"{scheme}://{host.removesuffix(port)}{self.below}"


def site_of_url(url: str, sites: Iterable[Site]) -> Site | None:
    """Return the site that a canonical URL is of. Of several, the one whose path is longest counts."""
    return max((site for site in sites if site.covers(url)), key=lambda site: len(site.below), default=None)


def read_sites(settings: ReadableSettings) -> tuple[Site, ...]:
    """Return the sites of the settings. Raises SettingError, which begins with SITE."""
    given = settings.getlist(SETTING)
    if len(given) > MAX_SITES:
        raise SettingError(f"{SETTING}: {counted(len(given), 'table')} [[site]], and at most {MAX_SITES} are possible")
    sites = tuple(_read_site(number, table) for number, table in enumerate(given, 1))
    for number, site in enumerate(sites, 1):
        if site.name in (each.name for each in sites[: number - 1]):
            raise SettingError(f"{SETTING}: table {number} [[site]] repeats {site.name}: leave it out")
    return sites


def _read_site(number: int, table: object) -> Site:
    place = f"{SETTING}: table {number} [[site]]"
    if not isinstance(table, dict):
        raise SettingError(f"{place} is no table: write [[site]] in breadcrumb.toml, and url, a login and read below")
    _only(place, table, ("url", *_LOGINS, "read"))
    url = _url(place, table)
    origin, below = origin_of(url), _path_of(url)
    given = [name for name in _LOGINS if name in table]
    if len(given) != 1:
        found = f"has {enumerated(given, 'and')}" if given else "has no login"
        raise SettingError(f"{place} {found}: give one of {enumerated(list(_LOGINS), 'or')}")
    login = _LOGINS[given[0]](f"{place}: {given[0]}", table[given[0]], url)
    return Site(origin, below, login, _groups(place, table.get("read", [])))


def _url(place: str, table: Mapping[str, Any]) -> str:
    """Return the canonical URL of a site. The message of an error does not repeat a password in it."""
    fault = f'{place}: url must be the URL of a site or of a folder, such as url = "https://wiki.example.org/"'
    given = table.get("url")
    if not isinstance(given, str):
        raise SettingError(fault)
    if has_credentials(given):
        raise SettingError(f"{place}: url has a user or a password in it: take them out, and give basic")
    try:
        url = str(canonicalize(given))
    except UnusableUrl as error:
        raise SettingError(f"{fault}; {error}") from None
    if "?" in given or "#" in given:
        raise SettingError(f"{fault}, without ? and #")
    return url


def _groups(place: str, given: object) -> frozenset[str]:
    fault = f'{place}: read must be a list of groups: letters, digits and . _ @ -, such as read = ["staff"]'
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise SettingError(fault)
    if len(given) > MAX_GROUPS or not all(len(each) <= MAX_NAME_CHARS and _GROUP.fullmatch(each) for each in given):
        raise SettingError(f"{fault}; at most {MAX_GROUPS}, of up to {MAX_NAME_CHARS} characters each")
    return frozenset(given)


def _read_basic(place: str, given: object, _: str) -> BasicLogin:
    table = _table(place, given, '{ user = "crawler", password = "env:WIKI_PASSWORD" }', ("user", "password"))
    user = _text(place, table, "user")
    if ":" in user:
        raise SettingError(f"{place}: user has a colon in it, and Basic authentication has no way to send one")
    return BasicLogin(user, _secret(place, table, "password"))


def _read_bearer(place: str, given: object, _: str) -> TokenLogin:
    return TokenLogin(_secret(place, {"bearer": given}, "bearer"))


def _read_header(place: str, given: object, _: str) -> HeaderLogin:
    table = _table(place, given, '{ name = "X-Api-Key", value = "env:WIKI_KEY" }', ("name", "value"))
    name = _text(place, table, "name")
    if not _TOKEN.fullmatch(name):
        raise SettingError(f"{place}: name is no name of a header: give one such as X-Api-Key")
    if name.lower() in _OWN_HEADERS:
        raise SettingError(f"{place}: {name} is set by the crawl itself: use basic, bearer or cookie")
    return HeaderLogin(name, _secret(place, table, "value"))


def _read_cookie(place: str, given: object, _: str) -> CookieLogin:
    table = _table(place, given, '{ name = "session", value = "env:WIKI_SESSION" }', ("name", "value"))
    name = _text(place, table, "name")
    if not _TOKEN.fullmatch(name):
        raise SettingError(f"{place}: name is no name of a cookie: give one such as session")
    return CookieLogin(name, _secret(place, table, "value"))


def _read_form(place: str, given: object, url: str) -> FormLogin:
    example = '{ page = "/login", user = "crawler", password = "env:WIKI_PASSWORD" }'
    keys = ("page", "user", "password", "user_field", "password_field")
    table = _table(place, given, example, keys)
    page = _text(place, table, "page")
    try:
        canonical = str(canonicalize(page if "://" in page else f"{_root(url)}/{page.lstrip('/')}"))
    except UnusableUrl as error:
        raise SettingError(f"{place}: page must be the URL of the login page, such as /login; {error}") from None
    if has_credentials(page) or origin_of(canonical) != origin_of(url):
        raise SettingError(f"{place}: page must be of the same scheme, host and port as url, such as /login")
    fields = [_text(place, table, key) if key in table else "" for key in keys[3:]]
    return FormLogin(canonical, _text(place, table, "user"), _secret(place, table, "password"), *fields)


_LOGINS: dict[str, Callable[[str, object, str], Login]] = {
    "basic": _read_basic,
    "bearer": _read_bearer,
    "header": _read_header,
    "cookie": _read_cookie,
    "form": _read_form,
}


def _table(place: str, given: object, example: str, keys: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise SettingError(f"{place} must be a table: write {place.rpartition(' ')[2]} = {example}")
    _only(place, given, keys)
    return given


def _only(place: str, table: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Raise SettingError for a key that there is not."""
    for key in table:
        if key.isupper() and key not in keys:
            raise SettingError(f"{place} has the setting {key} in it: put settings above the first [[site]]")
        if key not in keys:
            raise SettingError(f"{place} has an unknown key {key!r}: the keys are {enumerated(list(keys), 'and')}")


def _text(place: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME_CHARS or not value.isprintable():
        raise SettingError(f"{place}: {key} must be text of 1 to {MAX_NAME_CHARS} characters")
    return value


def _secret(place: str, table: Mapping[str, Any], key: str) -> Secret:
    secret = Secret.named(table.get(key))
    if secret is None:
        raise SettingError(
            f"{place}: {key} must name where the secret is, and can't be the secret itself: write "
            '"env:NAME" for an environment variable, or "file:PATH" for a file that only its owner may read'
        )
    return secret


def _root(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _path_of(url: str) -> str:
    """Return the path of a canonical URL."""
    return urlsplit(url).path or "/"
