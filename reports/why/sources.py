"""Where does each part of a dossier come from? The policy, the tables, and the robots.txt as it was last answered."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

from crawldb.databases import held_by, other_part_refusal
from crawldb.exchange import source_of
from crawldb.figures.one_url import fetches_of, known_url, page_size, site_id_of, visit_counts
from crawldb.learnt.site_templates import site_name
from crawldb.learnt.stylesheets import Stylesheets
from crawldb.pages.clusters import cluster_account, joined_elsewhere
from crawldb.pages.lessons import Lesson, Lessons
from crawldb.pages.link_only import is_forbidden
from crawldb.pages.pages import Pages
from crawldb.pages.signals import signals_of
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import read_host
from crawldb.tables.journal import Journal, entries_naming
from crawldb.tables.link_rows import inlinks_of
from crawldb.tables.links import MAX_ANCHORS, anchors_of
from crawldb.tables.urls import State, Urls
from crawldb.visited import stored_name
from extension_points import called
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from pages.content.similarity import resemblance
from pages.content.volatile import volatile_words
from reports.why.around_text import around_text
from reports.why.difference import TextDifference, difference
from reports.why.dossier import UNDISCOVERED, UNUSABLE, Dossier, Fetch, StoredPage
from reports.why.nearest_url import nearest_known_urls
from reports.why.site_files import robots_answer, sitemap_answer
from urls.canonical import UnusableUrl, canonical_steps, canonicalize
from urls.policy import Ruling
from urls.records import CanonicalUrl, Page, Refusal, reason_hidden
from urls.rules import Rule
from urls.site import host_of, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from crawldb.figures.one_url import KnownUrl
    from urls.policy import Policy

MAX_VOLATILE = 5  # parts of a page, each as its fingerprint leaves it out
MAX_MEMBERS = 20  # others of a cluster, the oldest
MAX_FETCHES = 20  # of a URL, the newest
STALE_AFTER = CrawlJob().stale_after
MAX_SHOWN_URL = 2000  # characters of an unusable text that are repeated

# What a page says of itself, which `StoredPage` has under the same names.
_TOLD_AS_STORED = (
    "encoding_reason", "languages", "keywords", "published", "published_by", "modified", "modified_by", "last_modified",
    "breadcrumbs", "pictures", "alternates", "data_types",
)  # fmt: skip


class _Compared(TypedDict):
    resemblance: float | None
    difference: TextDifference | None


def dossier(
    database: CrawlDatabase,
    url: str,
    product: str = "Breadcrumb",
    *,
    policy: Policy | None = None,
    stale_after: int = STALE_AFTER,
    everywhere: Iterable[CrawlDatabase] = (),
) -> Dossier:
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
        found = Dossier(shown, None, (), UNUSABLE, error.refusal, journal=journal, candidates=candidates)
        return replace(found, sections=tuple(called("why_sections", database=database, url=None)))
    canonical = policy.options.canonical(general)
    steps = (*canonical_steps(url), *policy.options.steps(general))
    name = stored_name(canonical)
    known = known_url(database, name)
    divided = not held_by(database).whole
    found = Dossier(url, canonical, steps, UNDISCOVERED, stale_after=stale_after, divided=divided)
    if known:
        similar = joined_elsewhere(database, known.id, everywhere)
        found = replace(_discovered(database, found, canonical, known), similar_elsewhere=similar)
    else:
        meant = nearest_known_urls(everywhere, url if "://" not in url else canonical)
        found = replace(found, journal=entries_naming(database, canonical, MAX_FETCHES), candidates=meant)
    return replace(
        found,
        robots=robots_answer(database, canonical, product),
        host=read_host(database, host_of(canonical)),
        refusal=_refusal(database, policy, found, canonical),
        sections=tuple(called("why_sections", database=database, url=canonical if known else None)),
        added_rows=tuple(called("why_rows", database=database, url=canonical)),
    )


def _discovered(database: CrawlDatabase, found: Dossier, canonical: CanonicalUrl, known: KnownUrl) -> Dossier:
    identity, visits = known.id, visit_counts(database, known.id)
    page = Pages(database).get(canonical)
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
        sitemap=sitemap_answer(database, identity),
        fetches=tuple(Fetch(*each) for each in fetches_of(database, identity, MAX_FETCHES)),
        page=None if page is None else _stored(database, identity, page),
        inlinks=inlinks_of(database, identity),
        link_only=anchors_of(database, identity, MAX_ANCHORS) if is_forbidden(database, identity) else (),
        duplicate_of=page.duplicate_of if page else None,
        near_duplicate_of=page.near_duplicate_of if page else None,
        cluster=cluster_account(database, identity, MAX_MEMBERS) if page else None,
        **_compared(database, page),
        journal=tuple(Journal(database).about(identity)),
        alarm=next((alarm.reason for alarm in alarms(database, site_of(canonical))), ""),
    )


def _compared(database: CrawlDatabase, page: Page | None) -> _Compared:
    """Compare a page with the canonical of its cluster, as both are stored: exactly, where a crawl only estimates."""
    canonical = Pages(database).get(page.near_duplicate_of) if page and page.near_duplicate_of else None
    if page is None or canonical is None:
        return _Compared(resemblance=None, difference=None)
    return _Compared(
        resemblance=resemblance(page.text, canonical.text), difference=difference(page.text, canonical.text)
    )


def _refusal(database: CrawlDatabase, policy: Policy, found: Dossier, canonical: CanonicalUrl) -> Refusal | None:
    judgement = policy.judge(canonical, found.depth or 0)
    if judgement.ruling is Ruling.OFF_SITE:
        if found.sitemap is not None:
            return None  # a sitemap may be on any host
        site = site_of(canonical)
        return Refusal(Rule.OFF_SITE, f"no seed is on {site}: links to it are counted, not followed")
    if judgement.ruling is not Ruling.UNUSABLE and (refusal := other_part_refusal(database, canonical)):
        return refusal
    return judgement.refusal


def _stored(database: CrawlDatabase, identity: int, page: Page) -> StoredPage:
    size = page_size(database, identity)
    name, by = _site_name(database, identity, page)
    return StoredPage(
        title=page.title,
        description=page.description,
        status=page.status,
        content_type=page.content_type,
        encoding=page.encoding,
        language=page.language,
        fetched_at=page.fetched_at,
        size=size.size,
        words=len(page.text.split()),
        links=size.links,
        off_site=size.off_site,
        anchors=anchors_of(database, identity, MAX_ANCHORS),
        canonical=page.canonical,
        controls=page.controls,
        refusals=page.refusals,
        hidden=reason_hidden(page.refusals, page.controls, datetime.now(UTC)),
        warnings=page.warnings,
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


def _learnt(database: CrawlDatabase, page: Page) -> tuple[Lesson, ...]:
    """Return what of a page its site was learnt to change by itself, each as it stands on this page."""
    lines = page.text.split("\n")
    known = Lessons(database).learnt(site_of(page.url))
    return tuple(replace(lesson, example=said) for found, lesson in known for said in found.changing(lines))[
        :MAX_VOLATILE
    ]
