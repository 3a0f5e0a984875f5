"""Which URLs are never fetched because a person said so? Those on the blacklist, from `block` or from a file.

An entry is one URL, which also covers everything below it when it ends with a slash, a site, or a pattern of either
with `*` in it. It is how a complaint ends: the owner of a site asks, one command answers, and the pages are gone from
the results at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.frontier.canonical import UnusableUrl, canonicalize
from crawldb.frontier.site import site_of
from crawldb.frontier.wildcard import STAR, fits
from crawldb.page import Refusal

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

MAX_PATTERN = 1000  # characters, as long as a URL may be
_SITE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]*")


@dataclass(frozen=True, slots=True)
class Target:
    """What is meant: a site (`bakery.example:8080`), a URL and what is below it if it ends in /, or a pattern."""

    kind: str
    name: str

    def __str__(self) -> str:
        return {"site": f"the site {self.name}", "pattern": f"what fits {self.name}"}.get(self.kind, self.name)

    def covers(self, url: CanonicalUrl) -> bool:
        """Return whether a canonical URL is meant."""
        if self.kind == "pattern":
            return fits(self.name, url if "://" in self.name else site_of(url))
        if self.kind == "site":
            return site_of(url) == self.name
        return url == self.name or (self.name.endswith("/") and url.startswith(self.name))


@dataclass(frozen=True, slots=True)
class Blacklist:
    """Blocked sites, canonical URLs and patterns, each with the reason that was given."""

    sites: dict[str, str]
    urls: dict[str, str]
    patterns: dict[str, str] = field(default_factory=dict)

    def refusal(self, url: CanonicalUrl) -> Refusal | None:
        """Return why `url` is blocked, or None."""
        site = site_of(url)
        if site in self.sites:
            return Refusal("blocked", _because(f"the site {site} is on the blacklist", self.sites[site]))
        for prefix in (url, *_folders(url)):
            if prefix in self.urls:
                return Refusal("blocked", _because(f"{prefix} is on the blacklist", self.urls[prefix]))
        for pattern, reason in self.patterns.items():
            if Target("pattern", pattern).covers(url):
                return Refusal("blocked", _because(f"what fits {pattern} is on the blacklist", reason))
        return None


def target_of(text: str) -> Target:
    """Read `text` as a URL, a site or a pattern with `*`; raise `UnusableUrl` where it is none of them."""
    if STAR in text:
        return Target("pattern", _pattern(text.strip()))
    if "://" in text:
        return Target("url", canonicalize(text))
    try:
        site = site_of(canonicalize(f"http://{text.strip().rstrip('/')}/"))
    except UnusableUrl:
        canonicalize(text)  # says why it is no URL either
        raise
    if "/" in text.strip().rstrip("/"):
        raise UnusableUrl(
            Refusal("scheme", f"{text[:200]!r} is no site and no address: did you mean http://{text.strip()[:200]}?")
        )
    return Target("site", site.removesuffix(":443"))


def _pattern(text: str) -> str:
    """Return a pattern in the form in which URLs and sites are known; its stars stay where they are."""
    if len(text) > MAX_PATTERN:
        raise UnusableUrl(Refusal("url-length", f"a pattern has at most {MAX_PATTERN} characters, not {len(text)}"))
    scheme, mark, rest = text.partition("://")
    if not mark:
        site = text.lower().rstrip("/")
        if not set(site) <= _SITE:
            raise UnusableUrl(
                Refusal("host", f"{text!r} is no pattern of a site: *.example.org is one, and http://example.org/a/*")
            )
        return site
    host, slash, path = rest.partition("/")
    if STAR not in host + scheme:
        return canonicalize(text)  # a star may stand in the path and in the query of any URL
    if not slash or scheme.lower() not in {"http", "https", STAR} or not set(host.lower()) <= _SITE:
        raise UnusableUrl(
            Refusal("scheme", f"{text!r} is no pattern of addresses: http://*.example.org/private/* is one")
        )
    whole = canonicalize(f"http://pattern.invalid/{path}")
    return f"{scheme.lower()}://{host.lower()}{whole.removeprefix('http://pattern.invalid')}"


def _because(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what


def _folders(url: CanonicalUrl) -> list[str]:
    root = url.index("/", url.index("//") + 2)
    path = url.partition("?")[0]
    return [path[: at + 1] for at, letter in enumerate(path) if letter == "/" and at >= root]
