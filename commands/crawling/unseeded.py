"""Which sites of imported archives does a crawl not reach? Those at private addresses where no seed is.

An archive brings sites into a crawl, and no permission: whoever made it would else choose what is asked in the
operator's own network. A seed there is the operator's word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.tables.journal import sites_with_reason
from crawldb.tables.seeds import unseeded_sites
from spiders.downloader.address_policy import NO_SEED_THERE, is_local_name, is_public, literal_address
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase


def private_roots(database: CrawlDatabase) -> list[str]:
    """Return the root URLs of such sites as far as their names tell: no name is looked up."""
    return [
        root for root in map(_root, unseeded_sites(database).values()) if _is_private(urlsplit(root).hostname or "")
    ]


def unreached_roots(database: CrawlDatabase, run: int) -> list[str]:
    """Return the root URLs of such sites of which a run wanted something."""
    wanted = sites_with_reason(database, run, NO_SEED_THERE)
    return [_root(url) for site, url in unseeded_sites(database).items() if site in wanted]


def seeds_word(roots: Sequence[str]) -> str:
    """Return the argument that makes them seeds."""
    return f"-a {shell_word('seeds=' + ','.join(roots))}"


def unreached_sentence(roots: Sequence[str]) -> str:
    """Return what a crawl says that reached no URL, for want of seeds."""
    return f"No URL was asked for: a private address is only fetched where a seed is. Crawl with {seeds_word(roots)}"


def _root(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def _is_private(host: str) -> bool:
    address = literal_address(host)
    return is_local_name(host) if address is None else not is_public(address)
