"""What speaks for an option of a site? Stored pages that would be one page under it, and whether they said the same.

A case is one URL under the option with at least two stored pages behind it. The pages of a case agree if all have one
fingerprint. A case counts against the option if its one URL is known to bring no page, such as `/x` that redirects to
`/x/`. An option is proposed where at least `MIN_SAMPLES` cases of different content agree and none counts against it:
one page that is lost would cost more than many that are fetched twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.databases import held_by
from crawldb.figures.alike import fingerprints_of_site, site_names, urls_without_page
from crawldb.tables.sites import options_of
from reports.mirror_evidence import find_mirrors
from reports.option_evidence import MAX_PAGES, SHOWN, AliasEvidence, Pair
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl
from urls.site_options import LEAD_ELSEWHERE, ChosenOption, SiteOption, on_site, rewritten, www_counterpart

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
    try:
        return host.startswith("[") or canonicalize(f"http://{host}/")[7:-1].replace(".", "").isdecimal()
    except UnusableUrl:
        return False
