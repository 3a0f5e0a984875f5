"""What is the canonical form of a URL, and on which site is it? Spellings that surely mean the same URL become one.

The steps are those of RFC 3986, sections 6.2.2 and 6.2.3, and the first three kinds of alias of *HTTP: The Definitive
Guide*, chapter 9: the default port, escapes, the fragment. Two deviations from the book, on purpose: it adds `:80`
where we take it away (every browser shows it so), and it decodes every escape where we decode the unreserved only. One
from RFC 3986, 6.2.3: an empty query goes, since a program is given an empty query either way (RFC 3875, 4.1.7). Letter
case, index pages and addresses, the other three kinds, have no general cure: they are options of a site
(`site_options.py`).

Percent-escapes mean the same octet where they are those of unreserved characters (RFC 3986, 6.2.2). `%7E` and `~` are
one octet written twice, so the escape goes. `%2F` and `/` are not: one is data, the other structure, and pages that
differ would be merged; so that escape stays. Hex digits are upper case; what may not stand in a URL is escaped as
UTF-8.

A name and password before the host are never sent, shown or kept. A link such as `http://user:secret@example.org/`
gives away what its author forgot there, and nobody gave it to us. The canonical form has none of it (RFC 3986, 3.2.1);
what quotes an address as it was found has to leave it out as well.

A site is a host and its port, as in a seed. It is the unit of budgets, of `forget`, `block` and `site:`.
`http://example.com/` and `https://example.com/` are one site, since each uses its scheme's default port.
`example.com:8080` is another, and so is every other name, including subdomains. The crawl fetches URLs on the sites of
the seeds or, with `SCOPE=domain`, on their whole registered domains.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urls.host import DEFAULT_PORTS, MAX_PORT, BadHost, canonical_host
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule
from urls.wording import whole_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tldextract.tldextract import ExtractResult


MAX_URL = 8_000  # characters of a URL that a person gives; RFC 9110, 4.1 asks for 8,000 octets
SHOWN = 200  # characters of a URL that a message repeats
HIDDEN = "…"  # what is shown in the place of credentials
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
PATH_OCTETS = UNRESERVED | frozenset(b"!$&'()*+,;=:@/")
QUERY_OCTETS = PATH_OCTETS | frozenset(b"?")

# Most links of most pages are canonical already: no escape, dot segment, port, upper-case host or odd character.
_ALREADY_CANONICAL = re.compile(
    r"https?://(?=[^/:]{1,253}[/:])"
    r"(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){0,8}[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
    r"|(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!:|/)|(?=[:/]))){4})"
    r"(?::(?!443/|80/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?/"
    r"(?:[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*(?:/|(?=\?)|\Z))*"
    r"(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?-]+)?\Z"
)
URL_EDGES = "".join(map(chr, range(0x21)))  # C0 controls and the blank, which no browser sends
URL_BREAKS = str.maketrans("", "", "\t\r\n")  # browsers take them out, wherever they stand
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
# Credentials as browsers find them: after http, any number of slashes of either kind; line breaks are taken out before.
_AUTHORITY = re.compile(r"([\x00-\x20]*(?:https?:[/\\]*|[a-z][a-z0-9+.-]*:[/\\]{2}))[^/?#\\]*@", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=//)[^/?#\s<>\\]*(?=@)")  # greedy: a password may have an @ in it


class UnusableUrl(ValueError):
    """A text that can't be fetched as a URL; `refusal` has the rule ("scheme", "host", "port") and the reason."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way to the canonical form: the rule applied, the URL before it and after it."""

    rule: str
    before: str
    after: str


@dataclass(slots=True)
class _Parts:
    scheme: str
    userinfo: str
    host: str
    port: str
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        authority = (f"{self.userinfo}@" if self.userinfo else "") + self.host + (f":{self.port}" if self.port else "")
        query = "" if self.query is None else f"?{self.query}"
        fragment = "" if self.fragment is None else f"#{self.fragment}"
        return f"{self.scheme}://{authority}{self.path}{query}{fragment}"


def canonicalize(url: str) -> CanonicalUrl:
    """Return the canonical form of an absolute http or https URL; raise `UnusableUrl` for anything else."""
    if _ALREADY_CANONICAL.match(url) and "xn--" not in url:
        return CanonicalUrl(url)
    *_, (_, last) = _walk(url)
    return CanonicalUrl(last)


def canonical_or_none(url: str) -> CanonicalUrl | None:
    """Return the canonical form of an absolute http or https URL, or None for anything else."""
    try:
        return canonicalize(url)
    except UnusableUrl:
        return None


def canonical_steps(url: str) -> list[Step]:
    """Return the steps that change `url` on its way to the canonical form, for a person to read."""
    steps: list[Step] = []
    before = url
    for rule, after in _walk(url):
        if after != before:
            steps.append(Step(rule, before, after))
        before = after
    return steps


def _walk(url: str) -> Iterator[tuple[str, str]]:
    trimmed = url.strip(URL_EDGES).translate(URL_BREAKS)
    yield "white space around it goes", trimmed
    parts = _split(trimmed)
    yield "the scheme is lower case, and slashes lean forward", str(parts)
    parts.userinfo = ""
    yield "credentials are never sent", str(parts)
    host = canonical_host(parts.host)
    if isinstance(host, BadHost):
        raise UnusableUrl(Refusal(Rule.HOST, f"{_shown(trimmed)} can't be fetched: {host.reason}"))
    parts.host = host
    yield "the host has one spelling", str(parts)
    parts.port = _port(parts, trimmed)
    yield "the scheme's default port goes", str(parts)
    parts.fragment = None
    yield "the fragment is for the browser alone", str(parts)
    parts.path = normalize_path(parts.path) or "/"
    parts.query = normalize_query(parts.query) if parts.query else None
    yield "escapes of unreserved characters are decoded, unsafe ones escaped", str(parts)
    parts.path = remove_dot_segments(parts.path)
    yield "dot segments are walked", str(parts)


def _split(url: str) -> _Parts:
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    if scheme not in DEFAULT_PORTS or not colon:
        what = f"scheme {scheme[:20]!r}" if colon else "no scheme"
        raise UnusableUrl(
            Refusal(Rule.SCHEME, f"{_shown(url)} has {what}: only http:// and https:// addresses are fetched")
        )
    rest, sharp, fragment = rest.partition("#")
    rest, mark, query = rest.partition("?")
    rest = rest.replace("\\", "/")
    authority, slash, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
    userinfo, _, address = authority.rpartition("@")
    host, port = _host_and_port(address)
    return _Parts(scheme, userinfo, host, port, slash + path, query if mark else None, fragment if sharp else None)


def _shown(url: str) -> str:
    return repr(mask_credentials(url)[:SHOWN])


def _host_and_port(address: str) -> tuple[str, str]:
    if address.startswith("["):
        host, bracket, rest = address.partition("]")
        return (host + bracket, rest[1:]) if rest.startswith(":") else (address, "")
    host, _, port = address.partition(":")
    return host, port


def _port(parts: _Parts, url: str) -> str:
    if not parts.port:
        return ""
    digits = parts.port.lstrip("0") or "0"  # the URL standard reads 0080 as 80
    if not (digits.isascii() and digits.isdecimal()) or not 0 < int(digits[:9]) <= MAX_PORT:
        reason = f"{_shown(url)} can't be fetched: {parts.port[:20]!r} is not a port from 1 to {MAX_PORT}"
        raise UnusableUrl(Refusal(Rule.HOST, reason))
    number = int(digits)
    return "" if number == DEFAULT_PORTS[parts.scheme] else str(number)


def remove_dot_segments(path: str) -> str:
    """Walk `.` and `..` as RFC 3986, 5.2.4 does: a path never climbs above its root."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for place, segment in enumerate(segments):
        last = place == len(segments) - 1
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
            continue
        if last:
            kept.append("")
    return "/" + "/".join(kept)


def normalize_path(path: str) -> str:
    """Return `path` with unreserved escapes decoded and everything that is not a path octet escaped."""
    return _normalized(path, _PATH_TABLE)


def normalize_query(query: str) -> str:
    """Return `query` with unreserved escapes decoded and everything that is not a query octet escaped."""
    return _normalized(query, _QUERY_TABLE)


def _escapes(allowed: frozenset[int]) -> dict[int, bytes]:
    return {octet: bytes([octet]) if octet in allowed else b"%%%02X" % octet for octet in range(256)}


_PATH_TABLE = _escapes(PATH_OCTETS)
_QUERY_TABLE = _escapes(QUERY_OCTETS)


def _canonical_escape(match: re.Match[bytes]) -> bytes:
    octet = int(match[1], 16)
    return bytes([octet]) if octet in UNRESERVED else b"%%%02X" % octet


def _normalized(text: str, table: dict[int, bytes]) -> str:
    octets = whole_characters(text).encode()
    pieces: list[bytes] = []
    at = 0
    for escape in _ESCAPE.finditer(octets):
        pieces.append(_with_escapes(octets[at : escape.start()], table))
        pieces.append(_canonical_escape(escape))
        at = escape.end()
    pieces.append(_with_escapes(octets[at:], table))
    return b"".join(pieces).decode("ascii")


def _with_escapes(octets: bytes, table: dict[int, bytes]) -> bytes:
    # A percent sign that begins no escape is data, and is escaped: left alone it could become part of a new escape.
    return b"".join(table[octet] for octet in octets)


def has_credentials(url: str) -> bool:
    """Return whether `url` has a user name or password before its host."""
    return "@" in url and _AUTHORITY.match(url.translate(URL_BREAKS)) is not None


def mask_credentials(url: str) -> str:
    """Return a URL with everything before its host hidden, whatever its characters."""
    return _AUTHORITY.sub(rf"\1{HIDDEN}@", url.translate(URL_BREAKS), count=1) if has_credentials(url) else url


def without_credentials(text: str) -> str:
    """Return `text` with everything before the host of each URL in it hidden."""
    return _USERINFO.sub(HIDDEN, text) if "@" in text else text


def site_of(url: CanonicalUrl) -> str:
    """Return the site of a canonical URL: `host`, or `host:port` where the port is not the scheme's default."""
    start = url.index("//") + 2
    return url[start : url.index("/", start)]


def host_of(url: str) -> str:
    """Return the host of a URL or an origin, without the port, as in a URL."""
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


def host_of_site(site: str) -> str:
    """Return the host of a site: the part before the port. An IPv6 address keeps its brackets."""
    host, colon, port = site.rpartition(":")
    return host if colon and port.isdecimal() else site


@lru_cache(maxsize=4096)
def domain_of(site: str) -> str:
    """Return the registered domain of a site (`bbc.co.uk` for `news.bbc.co.uk`); an address or local name is its own.

    The public suffix list is the one that ships with tldextract: nothing is downloaded.
    """
    host = host_of_site(site)
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return _suffixes()(host).top_domain_under_public_suffix or host
    return host


@cache
def _suffixes() -> Callable[[str], ExtractResult]:
    import tldextract  # noqa: PLC0415 - 0.35 s to import, and only SCOPE=domain needs it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


class Breadth(Enum):
    """How far from a seed's site the crawl may go: setting `SCOPE`."""

    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Scope:
    """The sites of the seeds, and whether their whole domains are meant."""

    sites: frozenset[str]
    breadth: Breadth = Breadth.HOST

    def covers(self, site: str) -> bool:
        """Return whether pages of `site` are fetched; links to other sites are only counted."""
        if site in self.sites:
            return True
        return self.breadth is Breadth.DOMAIN and domain_of(site) in {domain_of(seed) for seed in self.sites}
