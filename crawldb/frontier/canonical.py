"""Under which one name is a URL known? Its canonical form: what surely means the same is spelt the same.

The steps are those of RFC 3986, section 6.2.2 and 6.2.3, and the first three kinds of alias of *HTTP: The
Definitive Guide*, chapter 9: the default port, escapes, the fragment. Two deviations from the book, on purpose:
it adds `:80` where we take it away (every browser shows it so), and it decodes every escape where we decode the
unreserved only (`%2F` and `%3F` are data, and decoding them would merge pages that differ). One from RFC 3986, 6.2.3:
an empty query goes, since a program is given an empty query either way (RFC 3875, 4.1.7). Letter case, index pages
and addresses, the other three kinds, have no general cure: they are options of a site (frontier/options).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.credentials import hidden_in
from crawldb.frontier.host import DEFAULT_PORTS, MAX_PORT, BadHost, canonical_host
from crawldb.frontier.percent import normalize_path, normalize_query
from crawldb.page import CanonicalUrl, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 200  # characters of a URL that a message repeats

# Most links of most pages are canonical already: no escape, dot segment, port, upper-case host or odd character.
_ALREADY_CANONICAL = re.compile(
    r"https?://(?=[^/:]{1,253}[/:])"
    r"(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){0,8}[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
    r"|(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!:|/)|(?=[:/]))){4})"
    r"(?::(?!443/|80/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?/"
    r"(?:[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@-]*(?:/|(?=\?)|\Z))*"
    r"(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?-]+)?\Z"
)
_EDGES = "".join(map(chr, range(0x21)))  # C0 controls and the blank, which no browser sends
_REMOVED = str.maketrans("", "", "\t\r\n")


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
    trimmed = url.strip(_EDGES).translate(_REMOVED)
    yield "white space around it goes", trimmed
    parts = _split(trimmed)
    yield "the scheme is lower case, and slashes lean forward", str(parts)
    parts.userinfo = ""
    yield "credentials are never sent", str(parts)
    host = canonical_host(parts.host)
    if isinstance(host, BadHost):
        raise UnusableUrl(Refusal("host", f"{_shown(trimmed)} can't be fetched: {host.reason}"))
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
            Refusal("scheme", f"{_shown(url)} has {what}: only http:// and https:// addresses are fetched")
        )
    rest, sharp, fragment = rest.partition("#")
    rest, mark, query = rest.partition("?")
    rest = rest.replace("\\", "/")
    authority, slash, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
    userinfo, _, address = authority.rpartition("@")
    host, port = _host_and_port(address)
    return _Parts(
        scheme, userinfo, host, port, slash + path, query if mark else None, fragment if sharp else None
    )  # fmt: skip


def _shown(url: str) -> str:
    return repr(hidden_in(url)[:SHOWN])


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
        raise UnusableUrl(Refusal("port", reason))
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
