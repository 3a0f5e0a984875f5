"""Which options of a site does the evidence support? Pages with several names, and mirrors.

An alias is one URL under an option that has at least two stored pages. The pages agree if all have one fingerprint. A
case counts against the option if its one URL has no page, such as `/x` that redirects to `/x/`. An option is proposed
if at least `MIN_SAMPLES` cases of different content agree and no case counts against it. Losing one page is worse than
fetching many twice.

A site is proposed as a mirror if at least `MIRROR_SHARE` of its stored pages have the same content as the page with
the same path on the other site. Two pages have the same content if they share a fingerprint or a cluster: mirrors
often differ in a name or a date. A few pages may differ, because a mirror lags behind. Of two sites, the mirror is the
one whose pages are canonical for fewer of the shared contents, then the smaller one, then the one discovered later.

The two sites may be in two parts of a divided crawl. Their clusters are one if a job has joined them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.databases import held_by
from crawldb.tables.sites import options_of, site_names
from extensions.suggest.tables import contents_of_site, fingerprints_of_site, urls_without_page
from urls.canonical import canonical_or_none, canonicalize
from urls.records import CanonicalUrl
from urls.site_options import LEAD_ELSEWHERE, ChosenOption, SiteOption, on_site, rewritten, www_counterpart
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from urls.site_options import Options

MAX_COUNTERPARTS = 50  # sites on the port of an address that are compared with it
_WITHIN = tuple(option for option in SiteOption if option not in LEAD_ELSEWHERE)

Pages = dict[CanonicalUrl, bytes]  # fingerprints by URL
Case = list[CanonicalUrl]  # URLs that would be one under an option


def find_alias_evidence(*databases: CrawlDatabase) -> list[AliasEvidence]:
    """Return what the stored pages say about every option of every site that is not on, where they say anything.

    Of a divided crawl the databases of all parts are given: two names of one site may be in two of them.
    """
    holders = {site: database for database in databases for site in _sites(database)}
    found: list[AliasEvidence] = []
    for site, database in holders.items():
        pages, none = _pages(database, site), urls_without_page(database, site, MAX_PAGES)
        on = set.intersection(*({each.option for each in options_of(one).by_site.get(site, ())} for one in databases))
        found += [_within(site, pages, none, ChosenOption(option)) for option in _WITHIN if option not in on]
        if not on & LEAD_ELSEWHERE:
            found += _across(holders, site, pages, options_of(database))
    known = {each.site for each in found if each.proposed and each.choice.option in LEAD_ELSEWHERE}
    found += (each for each in find_mirrors(holders) if each.site not in known)
    return sorted(
        (each for each in found if each.agree or each.differ), key=lambda each: (not each.proposed, -each.agree)
    )


def _sites(database: CrawlDatabase) -> list[str]:
    """Return the sites of a folder, without those that another part of a divided crawl has."""
    part = held_by(database)
    return [name for name in site_names(database) if part.owns(name)]


def _pages(database: CrawlDatabase, site: str) -> Pages:
    return fingerprints_of_site(database, site, MAX_PAGES)


def _within(site: str, pages: Pages, none: Collection[str], choice: ChosenOption) -> AliasEvidence:
    cases: dict[str, list[CanonicalUrl]] = {}
    for url in pages:
        known = rewritten(url, choice)
        if known != url:  # of most pages, nothing would change
            cases.setdefault(canonicalize(known), []).append(url)
    for known, urls in cases.items():
        if known in pages:
            urls.append(CanonicalUrl(known))
    lost = [(min(urls), CanonicalUrl(known)) for known, urls in cases.items() if known in none]
    return _weighed(site, choice, pages, [sorted(urls) for urls in cases.values() if len(urls) > 1], lost)


def _weighed(site: str, choice: ChosenOption, pages: Pages, cases: list[Case], lost: list[Pair]) -> AliasEvidence:
    """Count cases; `lost` are pages with the name by which they would be known, and under which there is none."""
    agreeing = [case for case in cases if len({pages[url] for url in case}) == 1]
    differing = [case for case in cases if len({pages[url] for url in case}) > 1]
    lost = lost if agreeing else []  # where nothing speaks for the option, nothing has to speak against it
    agreeing = [case for case in agreeing if case[0] not in dict(lost)]
    return AliasEvidence(
        site,
        choice,
        agree=len(agreeing),
        differ=len(differing) + len(lost),
        contents=len({pages[case[0]] for case in agreeing}),
        samples=tuple((case[0], case[1]) for case in agreeing[:SHOWN]),
        counter=(*(_unlike(case, pages) for case in differing[:SHOWN]), *lost)[:SHOWN],
    )


def _unlike(case: Case, pages: Pages) -> Pair:
    return case[0], next(url for url in case if pages[url] != pages[case[0]])


def _across(holders: Mapping[str, CrawlDatabase], site: str, pages: Pages, options: Options) -> Iterator[AliasEvidence]:
    """Compare a site page by page with the site that it may be another name of.

    An address is one name's alone or nobody's: where several sites answer as it does, none is proposed, and where one
    page differs, the server minds which Host it is asked for.
    """
    if site.startswith("www.") and www_counterpart(site) in holders and not options.by_site.get(www_counterpart(site)):
        yield _compared_with(holders, site, pages, ChosenOption(SiteOption.WWW), www_counterpart(site))
    host, port = _host_and_port(site)
    if not _is_address(host):
        return
    names = [
        other for other in holders if _host_and_port(other)[1] == port and not _is_address(_host_and_port(other)[0])
    ]
    found = [
        _compared_with(holders, site, pages, ChosenOption(SiteOption.ADDRESS, (name,)), name)
        for name in names[:MAX_COUNTERPARTS]
    ]
    proposed = [each for each in found if each.proposed]
    yield from (each for each in found if not each.proposed)
    if len(proposed) == 1:
        yield proposed[0]


def _compared_with(
    holders: Mapping[str, CrawlDatabase], site: str, pages: Pages, choice: ChosenOption, other: str
) -> AliasEvidence:
    others = _pages(holders[other], other)
    cases = [[url, twin] for url in pages if (twin := CanonicalUrl(on_site(url, other))) in others]
    none = urls_without_page(holders[other], other, MAX_PAGES)
    lost = [(url, twin) for url in pages if (twin := CanonicalUrl(on_site(url, other))) in none]
    return _weighed(site, choice, pages | others, cases, lost)


def _host_and_port(site: str) -> tuple[str, str]:
    host, colon, port = site.rpartition(":")
    return (host, port) if colon and not site.endswith("]") else (site, "")


def _is_address(host: str) -> bool:
    canonical = canonical_or_none(f"http://{host}/") or ""
    return host.startswith("[") or canonical[7:-1].replace(".", "").isdecimal()


MIN_SAMPLES = 5  # cases: fewer may agree by chance, as five empty folders do
MAX_PAGES = 20_000  # of a site, the newest: the comparison is done within seconds
SHOWN = 3  # samples and counter-examples that are kept

Pair = tuple[CanonicalUrl, CanonicalUrl]


@dataclass(frozen=True, slots=True)
class AliasEvidence:
    """The evidence for an option of a site. `samples` and `counter` are pairs of URLs."""

    site: str
    choice: ChosenOption
    agree: int  # cases in which all pages said the same
    differ: int
    contents: int  # different contents among those that agree
    samples: tuple[Pair, ...]
    counter: tuple[Pair, ...]
    share: float = 1.0  # of the cases, that must agree

    @property
    def proposed(self) -> bool:
        """Whether it is proposed to the operator."""
        return self.contents >= MIN_SAMPLES and self.agree >= self.share * (self.agree + self.differ)

    @property
    def exceptions(self) -> str:
        """How many cases may differ, as a phrase."""
        return "no exception" if self.share == 1 else f"at most {1 - self.share:.0%} exceptions"

    @property
    def reason(self) -> str:
        """The evidence as a sentence's end."""
        one, other = (self.counter or self.samples)[0]
        verb = "differ" if self.counter else "are the same"
        total = self.agree + self.differ
        if self.choice.option is SiteOption.MIRROR:
            where = f"have the same content under the same path on {self.choice.names[0]}"
            return f"of {counted(total, 'page')} {self.agree} {where}; {one} and {other} {verb}"
        return f"the same page in {self.agree} of {total} cases; {one} and {other} {verb}"

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence ready for `json.dumps`."""
        return {
            "site": self.site,
            "option": self.choice.option.value,
            "names": self.choice.names,
            "agree": self.agree,
            "differ": self.differ,
            "contents": self.contents,
            "proposed": self.proposed,
            "samples": self.samples,
            "counter_examples": self.counter,
            "reason": self.reason,
        }


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
