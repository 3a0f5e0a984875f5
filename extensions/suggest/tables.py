"""Which contents do the pages of a site have? The evidence for an option of a site, such as a mirror."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import in_index
from crawldb.tables.urls import State
from urls.records import CanonicalUrl
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_ITS_SITE = "site = (SELECT id FROM site WHERE name = ?)"
# Pages whose content says something about an option; what was refused otherwise proves nothing.
_KNOWN_CONTENT = f"length(fingerprint) > 0 AND ({in_index('page.url')} OR refusals LIKE '[[\"{Rule.DUPLICATE}\"%')"
# Rules under which a fetched URL is no page; a server without a response proves nothing.
_NO_PAGE = (
    Rule.GONE, Rule.MOVED, Rule.REDIRECT_LOOP, Rule.REDIRECT_LIMIT, Rule.BAD_LOCATION, Rule.OFF_SITE, Rule.FORBIDDEN,
    Rule.AUTH, Rule.STATUS, Rule.NO_PAGE, Rule.ROBOTS,
)  # fmt: skip
_A_COPY = (Rule.DUPLICATE, Rule.CANONICAL)  # another page stands for it


def fingerprints_of_site(database: CrawlDatabase, site: str, most: int) -> dict[CanonicalUrl, bytes]:
    """Return the fingerprints of a site's newest pages whose content is known, the newest first."""
    rows = database.connection.execute(
        f"SELECT url.url, fingerprint FROM url JOIN page ON page.url = url.id WHERE {_ITS_SITE} AND {_KNOWN_CONTENT} "
        "ORDER BY url.id DESC LIMIT ?",
        (site, most),
    )
    return {CanonicalUrl(url): fingerprint for url, fingerprint in rows}


def urls_without_page(database: CrawlDatabase, site: str, most: int) -> frozenset[str]:
    """Return the URLs of a site under which there is no page to be kept: what became known by one would be lost."""
    named = f"{_ITS_SITE} AND kind = 0"
    no_page, a_copy = (", ".join(f"'{rule}'" for rule in rules) for rules in (_NO_PAGE, _A_COPY))
    rows = database.connection.execute(  # first by the index on state and rule, then by the pages: few are meant
        f"SELECT url FROM url WHERE state IN ({State.DONE:d}, {State.FAILED:d}, {State.SUPPRESSED:d}) "
        f"AND rule IN ({no_page}) AND {named} AND id NOT IN (SELECT url FROM page) "
        f"UNION ALL SELECT url.url FROM page JOIN url ON url.id = page.url "
        f"WHERE json_extract(refusals, '$[0][0]') NOT IN ({a_copy}) AND {named} LIMIT ?",
        (site, site, most),
    )
    return frozenset(url for (url,) in rows)


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of a page, to be compared with pages of another site."""

    url: CanonicalUrl
    found_at: float  # seconds since the epoch
    fingerprint: bytes
    cluster: int | None
    joined: int | None  # the number that clusters of several parts share
    is_canonical: bool  # it is in the index, and stands for its cluster there


def contents_of_site(database: CrawlDatabase, site: str, most: int) -> list[PageContent]:
    """Return the contents of a site's newest pages where they are known, the newest first."""
    rows = database.connection.execute(
        "SELECT url.url, found_at, fingerprint, page.cluster, joined, "
        f"{in_index('page.url')} AND coalesce(cluster.canonical, url.id) = url.id "
        "FROM url JOIN page ON page.url = url.id LEFT JOIN cluster ON cluster.id = page.cluster "
        f"WHERE {_ITS_SITE} AND {_KNOWN_CONTENT} ORDER BY url.id DESC LIMIT ?",
        (site, most),
    )
    return [
        PageContent(CanonicalUrl(url), found_at, mark, cluster, joined, bool(is_canonical))
        for url, found_at, mark, cluster, joined, is_canonical in rows
    ]
