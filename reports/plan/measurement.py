"""What did the trial of a site show, and was it enough? Counted from the round's fetches, links and sitemaps.

Each site has a record of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING

from crawldb.tables.urls import State
from crawldb.visited import find_row
from reports.plan.actual import GOT_A_PAGE
from reports.plan.growth import Links
from urls.records import FoundBy
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl


FAMILY = 5  # URLs that differ only in numbers, from which on there may be many more
COMMON = 0.5  # a link that stands on this share of the trial's pages is a menu's, and no sign of how much there is
_LISTS = ("urlset", "text", "rss", "atom")  # forms of sitemaps that name pages; an index names other sitemaps
# URLs that the policy accepted: neither made up by Breadcrumb, nor suppressed at once, before any lease.
_ACCEPTED = f"found_by != '{FoundBy.PROBE}' AND (state != {int(State.SUPPRESSED)} OR ended_in IS NOT NULL)"
_WAITS = f"state IN ({int(State.QUEUED)}, {int(State.LEASED)})"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A site in one round: URLs are counted as they stand, `size` in bytes of bodies, times in seconds."""

    site: str
    known: int  # URLs that were asked for, refused by robots.txt, or wait
    queued: int  # of them, those that wait
    ended: int  # of them, those that are through
    requests: int
    pages: int
    size: int
    links: Links
    unread: int  # URLs that wait and were never visited, in this round or before
    read: int  # pages that are stored, of this round or before
    listed: int = 0  # URLs in the sitemaps that were read
    lists: int = 0  # sitemaps that were read
    unread_lists: int = 0  # sitemaps that were not
    families: tuple[int, ...] = ()  # URLs of each family that differs only in numbers
    latency: float = 0.0  # from a request to its answer, on average
    spacing: float = 0.0  # between two answers, on average, but for the longest such gap
    start: float = 0.0  # that gap: the first page waits for what is made ready once in a run
    typical_size: float = math.inf  # the median body; pages near the front are often large, and one may be huge
    typical_spacing: float = math.inf  # the median of the gaps, the longest aside


def measure(database: CrawlDatabase, round_: int) -> list[Measurement]:
    """Measure each site that holds a seed, or has been asked for anything in the round."""
    rows = database.connection.execute(
        "SELECT site.id, name FROM site WHERE EXISTS (SELECT 1 FROM url WHERE url.site = site.id "
        f"AND (seed = 1 OR ended_in = ?) AND {_ACCEPTED}) ORDER BY site.id",
        (round_,),
    ).fetchall()
    return [_one(database, round_, site, name) for site, name in rows]


def _one(database: CrawlDatabase, round_: int, site: int, name: str) -> Measurement:
    row = database.connection.execute
    queued, unread, ended = row(
        f"SELECT count(*) FILTER (WHERE {_WAITS}), count(*) FILTER (WHERE {_WAITS} AND ended_in IS NULL), "
        f"count(*) FILTER (WHERE NOT {_WAITS} AND ended_in = ?) FROM url WHERE site = ? AND {_ACCEPTED}",
        (round_, site),
    ).fetchone()
    fetches = row(
        f"SELECT fetch.rule IN {GOT_A_PAGE}, coalesce(size, 0), coalesce(seconds, 0), at, run "
        "FROM fetch JOIN url ON url.id = fetch.url "
        "WHERE site = ? AND run IN (SELECT id FROM run WHERE round = ?) ORDER BY at",
        (site, round_),
    ).fetchall()
    sizes, latencies = [fetch[1] for fetch in fetches], [fetch[2] for fetch in fetches]
    *gaps, start = sorted(one[3] - other[3] for other, one in pairwise(fetches) if one[4] == other[4]) or [0.0]
    lists, listed = row(
        "SELECT count(*), coalesce(sum(accepted), 0) FROM sitemap JOIN url ON url.id = sitemap.url "
        f"WHERE site = ? AND form IN ({', '.join('?' * len(_LISTS))})",
        (site, *_LISTS),
    ).fetchone()
    unread_lists = database.count(f"SELECT count(*) FROM url WHERE site = ? AND kind = 1 AND {_WAITS}", site)
    families = row("SELECT urls FROM pattern WHERE site = ? AND urls >= ?", (site, FAMILY)).fetchall()
    latency = fmean(latencies) if latencies else 0.0
    return Measurement(
        name,
        known=queued + ended,
        queued=queued,
        ended=ended,
        requests=len(fetches),
        pages=sum(fetch[0] for fetch in fetches),
        size=sum(sizes),
        links=_links(database, round_, site),
        unread=unread,
        read=database.count("SELECT count(*) FROM page JOIN url ON url.id = page.url WHERE site = ?", site),
        listed=listed,
        lists=lists,
        unread_lists=unread_lists,
        families=tuple(urls for (urls,) in families),
        latency=latency,
        spacing=fmean(gaps) if gaps else latency,
        start=start,
        typical_size=median(sizes) if sizes else math.inf,
        typical_spacing=median(gaps) if gaps else math.inf,
    )


def _links(database: CrawlDatabase, round_: int, site: int) -> Links:
    """Count what the links on the later half of the round's pages of a site led to, menus aside.

    A page that has no other links counts as one link to a known URL: it led to nothing new, either.
    """
    rows = database.connection.execute(
        "SELECT DISTINCT fetch.url FROM fetch JOIN url ON url.id = fetch.url "
        f"WHERE site = ? AND fetch.rule IN {GOT_A_PAGE} AND kind = 0 "
        "AND run IN (SELECT id FROM run WHERE round = ?) ORDER BY fetch.id",
        (site, round_),
    )
    pages = [page for (page,) in rows]
    opened_at = database.value("SELECT opened_at FROM round WHERE id = ?", round_)
    found: dict[int, set[int]] = {}  # by target, the pages that link to it
    unknown_before: set[tuple[int, int]] = set()
    for page in pages:
        rows = database.connection.execute(
            "SELECT DISTINCT target, found_on IS source AND found_at >= ? FROM link JOIN url ON url.id = target "
            f"WHERE source = ? AND url.site = ? AND {_ACCEPTED}",
            (opened_at, page, site),
        )
        for target, is_new in rows:
            found.setdefault(target, set()).add(page)
            if is_new:
                unknown_before.add((page, target))
    later = set(pages[len(pages) // 2 :])
    telling = {
        (page, target)
        for target, sources in found.items()
        if len(sources) <= max(1.0, COMMON * len(pages))
        for page in sources & later
    }
    silent = later - {page for page, _ in telling}
    return Links(len(telling) + len(silent), len(telling & unknown_before))


def trial_is_complete(database: CrawlDatabase, seeds: Sequence[CanonicalUrl], requests: int) -> bool:
    """Return whether the latest round has asked each site for so many pages, or for all that it has.

    A seed that the folder does not know yet has not been tried, whatever is known of its site.
    """
    round_ = database.count("SELECT max(id) FROM round")
    tried = {one.site: one.requests >= requests or not one.queued for one in measure(database, round_)}
    known = all(find_row(database.connection, "seed", seed) == (1,) for seed in seeds)
    return bool(tried) and known and all(tried.values()) and all(site_of(seed) in tried for seed in seeds)
