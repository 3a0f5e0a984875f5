"""Which URLs belong to one site, and which sites are crawled? A site is a host and its port, as in a seed.

A site is the unit of budgets, of `forget`, `block` and `site:`. `http://example.com/` and `https://example.com/` are
one site, since each uses its scheme's default port. `example.com:8080` is another, and so is every other name,
including subdomains.

The crawl fetches URLs on the sites of the seeds or, with `SCOPE=domain`, on their whole registered domains.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

    from tldextract.tldextract import ExtractResult

    from urls.records import CanonicalUrl


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
