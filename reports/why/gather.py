"""Reads a `UrlRecord` from the policy, the tables and the stored robots.txt, and suggests known URLs for unknown ones.

A URL may be mistyped in a letter, the port, the scheme, `www.`, a slash at the end, or upper case. A shell cuts a URL
without quotes at the first `&`. People also remember only a part of a path. Suggestions are URLs that the crawl knows.
The rules run in a fixed order, each only if the earlier ones found nothing. So the first suggestion is the likeliest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING

from crawldb.databases import held_by, other_part_refusal
from crawldb.exchange import source_of
from crawldb.figures.one_url import (
    fetches_of,
    first_sites,
    known_url,
    page_size,
    pages_of_site,
    site_id_of,
    urls_with_part,
    visit_counts,
)
from crawldb.learnt import SiteTemplates, Stylesheets, site_name
from crawldb.pages.bodies import is_withheld
from crawldb.pages.clusters import cluster_members, joined_elsewhere
from crawldb.pages.feed import inlinks_of
from crawldb.pages.link_only import is_forbidden
from crawldb.pages.pages import Pages, signals_of
from crawldb.pages.probe_findings import ProbeFindings, VolatileLineEvidence
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import read_host
from crawldb.tables.journal import Journal, entries_naming
from crawldb.tables.links import MAX_ANCHORS, anchors_of
from crawldb.tables.urls import State, Urls
from crawldb.visited import find, stored_name
from extension_points import call_extensions
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from pages.content.similarity import resemblance
from pages.content.volatile import volatile_words
from pages.text.layout import REPEATED, SIGNED, text_lines
from reports.why.differences import difference
from reports.why.record import UNDISCOVERED, UNUSABLE, AroundText, StoredPage, UrlRecord
from reports.why.site_files import robots_status, sitemap_status
from urls.canonical import UnusableUrl, canonical_or_none, canonical_steps, canonicalize, host_of, site_of
from urls.policy import Ruling
from urls.records import CanonicalUrl, Page, Refusal, reason_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.figures.one_url import KnownUrl
    from urls.policy import Policy

    PagesOf = Callable[[CrawlDatabase, str], list[str]]  # the stored pages of a site

MAX_PAGES = 20_000  # stored pages that are looked through for those of the site
MAX_COMPARED = 2_000  # of them, that are compared letter by letter: a tenth of a second
MAX_EFFORT = 3_000_000  # pairs of equal letters in compared texts, which difflib looks at some times: a second at most
LIKENESS = 0.8  # of two paths or sites, by difflib's ratio: one letter in five may be wrong
MAX_SITES = 10_000
MAX_LOOKED_THROUGH = 200_000  # URLs among which a part of a path is looked for: a tenth of a second
MIN_PART = 3  # letters of a path: fewer stand in nearly every address
MAX_TEXT = 2_000  # characters that are looked at
CANDIDATES = 5  # that are proposed


def nearest_known_urls(databases: Iterable[CrawlDatabase], text: str) -> tuple[str, ...]:
    """Return known URLs that are similar to the unknown `text`, the likeliest first.

    `databases` are those of all parts of a crawl: which part has a URL hangs on its spelling.
    """
    asked, text = tuple(databases), text.strip()[:MAX_TEXT]
    pages_of = cache(_pages_of)  # two rules and both schemes ask for the same ones
    for rule in (_other_spellings, partial(_cut_off, pages_of), partial(_nearly_so, pages_of), _part_of_path):
        found = [url for database in asked for url in rule(database, text)]
        if found:
            return tuple(dict.fromkeys(found))[:CANDIDATES]
    return ()


def _other_spellings(database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield the same page at another scheme, port or host, in lower case, with or without a slash at its end."""
    for url in _spellings(text):
        for near in (url, *_on_other_sites(database, url)):
            for same in dict.fromkeys((near, *_slips_of_path(near))):
                if find(database.connection, same) is not None:
                    yield same


def _cut_off(pages_of: PagesOf, database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield what a shell left of an address."""
    for url in _spellings(text):
        yield from (page for page in pages_of(database, site_of(url)) if page.startswith(f"{url}&"))


def _nearly_so(pages_of: PagesOf, database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield pages of the site whose path is spelt nearly so."""
    for url in _spellings(text):
        paths = {_path(page).lower(): page for page in pages_of(database, site_of(url))[:MAX_COMPARED]}
        yield from (paths[close] for close in similar_texts(_path(url).lower(), paths, CANDIDATES))


def _part_of_path(database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield known URLs that contain the text, in any case: pages first, the shortest first."""
    if len(text) < MIN_PART or "://" in text or any(map(str.isspace, text)):
        return
    yield from urls_with_part(database, text, MAX_LOOKED_THROUGH, CANDIDATES)


def _spellings(text: str) -> Iterator[CanonicalUrl]:
    """Return the text as an address; where it has no scheme, with each."""
    schemes = ("",) if "://" in text or "@" in text else ("http://", "https://")
    return filter(None, (canonical_or_none(scheme + text) for scheme in schemes))


def _on_other_sites(database: CrawlDatabase, url: CanonicalUrl) -> Iterator[CanonicalUrl]:
    """Return the address with another scheme, on another port of its host, and on a host that is spelt nearly so."""
    scheme, _, rest = url.partition("://")
    site, _, path = rest.partition("/")
    names = first_sites(database, MAX_SITES)
    host = site.partition(":")[0]
    bare = host.removeprefix("www.")
    near = [name for name in names if name.partition(":")[0].removeprefix("www.") == bare]
    near += similar_texts(site, names, 3)
    schemes = dict.fromkeys((scheme, "http", "https"))
    spelt = (f"{other}://{name}/{path}" for name in dict.fromkeys((site, *near)) for other in schemes)
    return filter(None, map(canonical_or_none, spelt))


def similar_texts(text: str, known: Collection[str], most: int) -> list[str]:
    """Return the known texts that are similar to `text`, among the first ones that take no more than MAX_EFFORT."""
    times = Counter(text)
    efforts = accumulate(sum(times[letter] * number for letter, number in Counter(each).items()) for each in known)
    compared = [each for each, effort in zip(known, efforts, strict=True) if effort <= MAX_EFFORT]
    return get_close_matches(text, compared, most, LIKENESS)


def _slips_of_path(url: CanonicalUrl) -> Iterator[CanonicalUrl]:
    """Return the address with a slash more or less at its end, and in lower case."""
    other_end = url.removesuffix("/") if url.endswith("/") else f"{url}/"
    return filter(None, map(canonical_or_none, (other_end, url.lower(), other_end.lower())))


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _pages_of(database: CrawlDatabase, site: str) -> list[str]:
    return pages_of_site(database, site, MAX_PAGES)


MAX_VOLATILE = 5  # parts of a page, each as its fingerprint leaves it out
MAX_MEMBERS = 20  # others of a cluster, the oldest
MAX_FETCHES = 20  # of a URL, the newest
STALE_AFTER = CrawlJob().stale_after
MAX_SHOWN_URL = 2000  # characters of an unusable text that are repeated

# What a page says of itself, which `StoredPage` has under the same names.
_TOLD_AS_STORED = (
    "encoding_reason", "languages", "keywords", "published", "published_by", "modified", "modified_by", "last_modified",
    "breadcrumbs", "pictures", "alternates", "data_types", "title", "description", "status", "content_type", "encoding",
    "language", "fetched_at", "canonical", "controls", "refusals", "warnings",
)  # fmt: skip


FIRST_LINES = 5  # of each rule that are told
LINE_SHOWN = 60  # characters of each


def url_record(
    database: CrawlDatabase,
    url: str,
    product: str = "Breadcrumb",
    *,
    policy: Policy | None = None,
    stale_after: int = STALE_AFTER,
    everywhere: Iterable[CrawlDatabase] = (),
) -> UrlRecord:
    """Gather what is known about `url`, however it is spelt; `product` is the token that a robots.txt calls us by.

    `policy` judges what was never discovered; without one it is that of a crawl with default limits. `stale_after` is
    the setting of that name: what the next round asks for hangs on it. `everywhere` are the databases in which a URL is
    looked for that this one does not know: all parts of a divided crawl.
    """
    url = url.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # octets of a command line that are no text
    policy = policy or policy_in(database)
    everywhere = tuple(everywhere) or (database,)
    try:
        general = canonicalize(url)
    except UnusableUrl as error:
        shown = url[:MAX_SHOWN_URL]
        journal = entries_naming(database, url, MAX_FETCHES)
        candidates = nearest_known_urls(everywhere, shown)
        found = UrlRecord(shown, None, (), UNUSABLE, error.refusal, journal=journal, candidates=candidates)
        return replace(found, sections=tuple(call_extensions("why_sections", database=database, url=None)))
    canonical = policy.options.canonical(general)
    steps = (*canonical_steps(url), *policy.options.steps(general))
    name = stored_name(canonical)
    known = known_url(database, name)
    divided = not held_by(database).whole
    found = UrlRecord(url, canonical, steps, UNDISCOVERED, stale_after=stale_after, divided=divided)
    if known:
        similar = joined_elsewhere(database, known.id, everywhere)
        found = replace(_discovered(database, found, canonical, known), similar_elsewhere=similar)
    else:
        meant = nearest_known_urls(everywhere, url if "://" not in url else canonical)
        found = replace(found, journal=entries_naming(database, canonical, MAX_FETCHES), candidates=meant)
    return replace(
        found,
        robots=robots_status(database, canonical, product),
        host=read_host(database, host_of(canonical)),
        refusal=_refusal(database, policy, found, canonical),
        sections=tuple(call_extensions("why_sections", database=database, url=canonical if known else None)),
        added_rows=tuple(call_extensions("why_rows", database=database, url=canonical)),
    )


def _discovered(database: CrawlDatabase, found: UrlRecord, canonical: CanonicalUrl, known: KnownUrl) -> UrlRecord:
    identity, visits = known.id, visit_counts(database, known.id)
    page = Pages(database).get(canonical)
    # As both are stored: exactly, where a crawl only estimates.
    canonical_page = Pages(database).get(page.near_duplicate_of) if page and page.near_duplicate_of else None
    return replace(
        found,
        state=State(known.state).name.lower(),
        rule=known.rule,
        found_by=known.found_by,
        found_on=known.found_on or source_of(database, identity),
        found_at=known.found_at,
        depth=known.depth,
        due_at=known.due_at,
        misses=known.misses,
        asked_again=Urls(database).is_asked_by_a_round(identity, found.stale_after),
        next_at=known.next_at,
        visits=visits.visits,
        unchanged=visits.unchanged,
        moved_to=known.moved_to or "",
        lastmod=known.lastmod,
        sitemap=sitemap_status(database, identity),
        fetches=tuple(fetches_of(database, identity, MAX_FETCHES)),
        page=None if page is None else _stored(database, identity, page),
        inlinks=inlinks_of(database, identity),
        link_only=anchors_of(database, identity, MAX_ANCHORS) if is_forbidden(database, identity) else (),
        duplicate_of=page.duplicate_of if page else None,
        near_duplicate_of=page.near_duplicate_of if page else None,
        cluster=cluster_members(database, identity, MAX_MEMBERS) if page else None,
        resemblance=resemblance(page.text, canonical_page.text) if page and canonical_page else None,
        difference=difference(page.text, canonical_page.text) if page and canonical_page else None,
        journal=tuple(Journal(database).about(identity)),
        alarm=next((alarm.reason for alarm in alarms(database, site_of(canonical))), ""),
    )


def _refusal(database: CrawlDatabase, policy: Policy, found: UrlRecord, canonical: CanonicalUrl) -> Refusal | None:
    judgement = policy.check(canonical, found.depth or 0)
    if judgement.ruling is Ruling.OFF_SITE:
        return None if found.sitemap is not None else judgement.refusal  # a sitemap may be on any host
    if judgement.ruling is not Ruling.UNUSABLE and (refusal := other_part_refusal(database, canonical)):
        return refusal
    return judgement.refusal


def _stored(database: CrawlDatabase, identity: int, page: Page) -> StoredPage:
    size = page_size(database, identity)
    name, by = _site_name(database, identity, page)
    return StoredPage(
        size=size.size,
        words=None if is_withheld(page) else len(page.text.split()),
        links=size.links,
        off_site=size.off_site,
        anchors=anchors_of(database, identity, MAX_ANCHORS),
        hidden=reason_hidden(page.refusals, page.controls, datetime.now(UTC)),
        volatile=volatile_words(page.text, MAX_VOLATILE) if page.fingerprint else (),
        around=around_text(database, page),
        learnt=_learnt(database, page) if page.fingerprint else (),
        fingerprint=page.fingerprint.hex(),
        **{name: getattr(page, name) for name in _TOLD_AS_STORED},
        site_name=name,
        site_name_by=by,
        signals=signals_of(database, identity, page.signals),
        unread_sheets=tuple(Stylesheets(database).not_used(identity)),
    )


def _site_name(database: CrawlDatabase, identity: int, page: Page) -> tuple[str, str]:
    """Return the name of a page's site, and who says so."""
    if page.site_name:
        return page.site_name, "by its own word"
    learnt = site_name(database, site_id_of(database, identity))
    if learnt is None:
        return "", ""
    return learnt.name, f"as {learnt.shown_by} of {learnt.titles} different titles of the site show"


def _learnt(database: CrawlDatabase, page: Page) -> tuple[VolatileLineEvidence, ...]:
    """Return the texts of a page that change by themselves, as learnt from its site."""
    lines = page.text.split("\n")
    known = ProbeFindings(database).learnt(site_of(page.url))
    return tuple(replace(finding, example=said) for found, finding in known for said in found.changing(lines))[
        :MAX_VOLATILE
    ]


def around_text(database: CrawlDatabase, page: Page) -> AroundText:
    """Return the template text of a stored page."""
    text = text_lines(page)
    by_site = frozenset(REPEATED.values())
    signed = [line for line, kind in zip(text.lines, text.kinds, strict=True) if kind in SIGNED]
    repeated = [line for line, kind in zip(text.lines, text.kinds, strict=True) if kind in by_site]
    learnt_from = SiteTemplates(database).of(site_of(page.url)).learnt_from if repeated else 0
    first, second = (tuple(line[:LINE_SHOWN] for line in lines[:FIRST_LINES]) for lines in (signed, repeated))
    return AroundText(len(signed), first, len(repeated), second, learnt_from)
