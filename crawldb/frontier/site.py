"""What is one site? A host and its port, as in a seed: the unit of budgets, of `forget`, `block` and `site:`.

`http://example.com/` and `https://example.com/` are one site, since each speaks on its scheme's default port;
`example.com:8080` is another, and so is every other name, a subdomain's too.
"""

from __future__ import annotations

import ipaddress
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tldextract.tldextract import ExtractResult

    from crawldb.page import CanonicalUrl


def site_of(url: CanonicalUrl) -> str:
    """Return the site of a canonical URL: `host`, or `host:port` where the port is not the scheme's default."""
    start = url.index("//") + 2
    return url[start : url.index("/", start)]


@lru_cache(maxsize=4096)
def domain_of(site: str) -> str:
    """Return the registered domain of a site (`bbc.co.uk` for `news.bbc.co.uk`); an address or local name is its own.

    The public suffix list is the one that ships with tldextract: nothing is downloaded.
    """
    host = site.rpartition(":")[0] if ":" in site.rpartition("]")[2] else site
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return _suffixes()(host).top_domain_under_public_suffix or host
    return host


@cache
def _suffixes() -> Callable[[str], ExtractResult]:
    import tldextract  # noqa: PLC0415 - 0.35 s to import, and only SCOPE=domain needs it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
