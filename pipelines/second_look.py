"""Is a page that is in the index still worth it, after what was learnt of its site since? Judged without a fetch.

A probe may teach what a site says where there is no page, or which lines of its pages change by themselves, after many
of its pages were stored. Both can be judged from what is stored: the first refuses a page, the second gives it another
fingerprint, which may be that of another page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.learnt.lessons import Lessons
from crawldb.pages.copies import same_content
from pipelines.fingerprint import fingerprint
from pipelines.soft404 import redirected_refusal
from urls.content.lies import lie_refusal
from urls.records import Page, Refusal
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


def judged_again(page: Page, database: CrawlDatabase) -> Page:
    """Return a stored page that is in the index, judged by what was learnt of its site since."""
    lessons, site = Lessons(database), site_of(page.url)
    refusal = refusal_by_probe(page, database)
    if refusal is not None:
        return replace(page, refusals=(refusal,))
    digest = fingerprint(page, lessons.learnt_lines(site))
    known = same_content(database, page, digest) if digest != page.fingerprint else None
    refusals = () if known is None else (Refusal(Rule.DUPLICATE, f"it says the same as {known}"),)
    return replace(page, fingerprint=digest, duplicate_of=known, refusals=refusals)


def refusal_by_probe(page: Page, database: CrawlDatabase) -> Refusal | None:
    """Refuse a page by what probes have taught of its site: it is its lie, or where a made-up address redirects to."""
    lessons = Lessons(database)
    probe = lessons.redirecting_probe(page.url)
    refusal = redirected_refusal(page, probe) if probe else None
    return refusal or lie_refusal(page, lessons.lies(site_of(page.url), page.url))
