"""Is one site the mirror of another? It is if nearly all of its pages are there too, under the same path.

Two pages say the same if they have one fingerprint, or are in one cluster: mirrors often differ in a name or a date. A
site is proposed as a mirror where at least MIRROR_SHARE of its stored pages say the same as the page with the same path
on the other one. A few that differ are no counter-example: a mirror lags behind. Which of two sites is the mirror? The
one whose pages stand for fewer of the contents that both have, then the smaller one, then the one that was met later.

Two sites may be in two parts of a divided crawl. Clusters of parts are one where a job has joined
them; which of two such pages would stand for both in one crawl no part knows: it is told here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.figures.alike import contents_of_site
from crawldb.tables.sites import options_of
from reports.option_evidence import MAX_PAGES, MIN_SAMPLES, SHOWN, AliasEvidence
from urls.records import CanonicalUrl
from urls.site_options import LEAD_ELSEWHERE, ChosenOption, SiteOption, on_site, www_counterpart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.database import CrawlDatabase

MIRROR_SHARE = 0.9  # of a site's pages that say the same under the same path of the other site
MAX_SITES = 20  # that have one content under one path and are compared: more is what every site has
_Content = tuple[object, ...]  # a fingerprint, a cluster of one database, or one that several have in common


@dataclass(frozen=True, slots=True)
class _KnownPage:
    url: CanonicalUrl
    place: str  # the database that has it
    found_at: float
    fingerprint: _Content
    cluster: _Content
    is_canonical: bool  # it is in the index, and stands for its cluster there

    def says_the_same(self, other: _KnownPage) -> bool:
        return self.fingerprint == other.fingerprint or (bool(self.cluster) and self.cluster == other.cluster)

    def stands_beside(self, other: _KnownPage) -> bool:
        """Return whether this one stands for what it says, or is not known to say what the other one says.

        Of copies in two databases it is the one that was met first, of near copies the one with the shorter URL: what
        is left of the order of crawldb/pages/clusters.py where neither knows the other's links.
        """
        if self.place == other.place or not (self.is_canonical and other.is_canonical and self.says_the_same(other)):
            return self.is_canonical
        length = 0 if self.fingerprint == other.fingerprint else len(self.url) - len(other.url)
        return (length, self.found_at, self.url) < (0, other.found_at, other.url)


_Sites = dict[str, dict[CanonicalUrl, _KnownPage]]


def find_mirrors(holders: Mapping[str, CrawlDatabase]) -> Iterator[AliasEvidence]:
    """Yield the evidence for each site that may be a mirror. `holders`: by site, the database that has its pages."""
    sites = {site: _known_pages(database, site) for site, database in holders.items()}
    for pair in sorted(_pairs(sites)):
        mirror, original = sorted(pair, key=lambda site: _rank(sites, site, pair))
        options = options_of(holders[mirror]).by_site
        on = {each.option for site in pair for each in options.get(site, ())}
        if original != www_counterpart(mirror) and not on & LEAD_ELSEWHERE:
            yield _evidence(sites, mirror, original)


def _known_pages(database: CrawlDatabase, site: str) -> dict[CanonicalUrl, _KnownPage]:
    place = str(database.path)
    return {
        page.url: _KnownPage(
            page.url,
            place,
            page.found_at,
            (page.fingerprint,),
            _named(place, page.cluster, page.joined),
            page.is_canonical,
        )
        for page in contents_of_site(database, site, MAX_PAGES)
    }


def _named(place: str, cluster: int | None, joined: int | None) -> _Content:
    if cluster is None:
        return ()
    return (place, cluster) if joined is None else ("joined", joined)


def _pairs(sites: _Sites) -> set[tuple[str, str]]:
    """Return the pairs of sites that have enough contents in common, each under one path."""
    having: defaultdict[tuple[str, _Content], set[str]] = defaultdict(set)
    for site, pages in sites.items():
        for url, page in pages.items():
            path = on_site(url, "").partition("//")[2]
            for content in (page.fingerprint, page.cluster):
                if content:
                    having[path, content].add(site)
    common: Counter[tuple[str, str]] = Counter()
    for found in having.values():
        if 1 < len(found) <= MAX_SITES:
            common.update((one, other) for one in found for other in found if one < other)
    return {pair for pair, count in common.items() if count >= MIN_SAMPLES}


def _rank(sites: _Sites, site: str, pair: tuple[str, str]) -> tuple[int, int, float, int]:
    """Return what makes a site the original of two: the larger tuple."""
    other = pair[0] if site == pair[1] else pair[1]
    pages, others = sites[site], sites[other]
    twins = ((page, others.get(CanonicalUrl(on_site(url, other)))) for url, page in pages.items())
    stands = sum(page.stands_beside(twin) for page, twin in twins if twin)
    return stands, len(pages), -min(page.found_at for page in pages.values()), -list(sites).index(site)


def _evidence(sites: _Sites, mirror: str, original: str) -> AliasEvidence:
    pages, others = sites[mirror], sites[original]
    pairs = [(url, twin) for url in pages if (twin := CanonicalUrl(on_site(url, original))) in others]
    agreeing = [(url, twin) for url, twin in pairs if pages[url].says_the_same(others[twin])]
    counter = [(url, twin) for url, twin in pairs if not pages[url].says_the_same(others[twin])]
    return AliasEvidence(
        mirror,
        ChosenOption(SiteOption.MIRROR, (original,)),
        agree=len(agreeing),
        differ=len(pages) - len(agreeing),
        contents=len({pages[url].cluster or pages[url].fingerprint for url, _ in agreeing}),
        samples=tuple(agreeing[:SHOWN]),
        counter=tuple(counter[:SHOWN]),
        share=MIRROR_SHARE,
    )
