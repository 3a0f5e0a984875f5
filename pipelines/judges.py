"""Which judges does a page pass, and in which order? Each puts its answer onto the page; the first refusal counts.

A crawl asks them for each page that it fetches, and `reparse` for each page that is stored: both by `Judges`. A judge
asks a pure judgement of this room, and the crawl database where the answer depends on other pages. It writes nothing.

What takes long and depends on the page alone, a judge can `measure` beforehand, in another process. A judge that
changes what was measured has to empty it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from crawldb.learnt.site_templates import SiteTemplates
from crawldb.pages.copies import same_content
from crawldb.pages.lessons import Lessons
from crawldb.pages.pages import Pages
from crawldb.tables.links import led_to
from pages.content.similarity import THRESHOLD
from pages.content.site_template import judged_by_site
from pages.text.layout import arranged, text_lines
from pipelines.admission import admission_refusal, frames_refusal
from pipelines.duplicates import fingerprint, same_template, signature
from pipelines.no_content import (
    WELL_KNOWN_TYPES,
    no_content_refusal,
    redirect_refusal,
    refusal_by_probe,
    soft404_refusal,
    well_known_refusal,
    well_known_urls,
)
from pipelines.spoofing import judge_spoofing
from urls.records import Page, Refusal, revised
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase


class NumberSettings(Protocol):
    """The part of the settings that is read here."""

    def getfloat(self, name: str) -> float:
        """Return a number."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """By what pages are judged: the settings of all judges.

    Settings: NEAR_DUPLICATE_THRESHOLD, the share of word groups; 1 switches that judge off.
    """

    near_duplicate_threshold: float = THRESHOLD

    @classmethod
    def read(cls, settings: NumberSettings) -> Criteria:
        """Read the settings."""
        return cls(settings.getfloat("NEAR_DUPLICATE_THRESHOLD"))


class Judge:
    """One of the judges, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, criteria: Criteria) -> None:
        self._database = database
        self._criteria = criteria

    @classmethod
    def is_needed(cls, criteria: Criteria) -> bool:  # noqa: ARG003 - most judges always are
        """Return whether the settings leave this judge anything to do."""
        return True

    def measure(self, page: Page) -> Page:
        """Put onto a page what takes long, and depends on nothing but the page."""
        return page

    def judge(self, page: Page) -> Page:
        """Put the answer onto a page; one that is refused already passes."""
        raise NotImplementedError


def _refused(page: Page, refusal: Refusal | None) -> Page:
    return page if refusal is None else revised(page, refusals=(refusal,))


class WellKnownFiles(Judge):
    """Refuses humans.txt, ads.txt, security.txt and their like: they are stored, and are no pages."""

    def judge(self, page: Page) -> Page:
        """Judge a page by its address, and by those that redirect to it."""
        if page.content_type not in WELL_KNOWN_TYPES:
            return page  # nearly all are pages of HTML: nobody need look for who redirects to them
        redirecting = led_to(self._database, page.url, well_known_urls(page.url))
        return _refused(page, well_known_refusal(page, redirecting))


class Admission(Judge):
    """Refuses what an index can't hold or may not hold: by type, size, noindex, or having nothing to read."""

    def judge(self, page: Page) -> Page:
        """Judge a page by itself, as of the time when it was fetched."""
        now = datetime.fromtimestamp(page.fetched_at, UTC)
        refusal = redirect_refusal(page) or admission_refusal(page, now=now)
        if refusal is None or refusal.rule is Rule.EMPTY:
            refusal = frames_refusal(page) or no_content_refusal(page) or refusal
        return _refused(page, refusal)


class RepeatedLines(Judge):
    """Takes out of the main text what other pages of the site have as well: the site's template."""

    def __init__(self, database: CrawlDatabase, criteria: Criteria) -> None:
        super().__init__(database, criteria)
        self._templates = SiteTemplates(database)

    def measure(self, page: Page) -> Page:
        """Judge beforehand, or what is measured next would be gone; that is judged again changes nothing."""
        return self.judge(page)

    def judge(self, page: Page) -> Page:
        """Judge the lines of a page by what is known of its site."""
        template = self._templates.of(site_of(page.url))
        before = text_lines(page)
        lines = judged_by_site(before, template.marks)
        page = revised(page, site_template=template.version)
        if lines == before:
            return page
        return revised(arranged(page, lines), fingerprint=b"", signature=b"")  # what they measured is gone


class Fingerprint(Judge):
    """Marks a page that says exactly what another page says, apart from dates and counters that a program writes."""

    def measure(self, page: Page) -> Page:
        """Put the fingerprint onto a page."""
        return revised(page, fingerprint=fingerprint(page))

    def judge(self, page: Page) -> Page:
        """Put the fingerprint onto a page, and the page that it repeats."""
        if page.refusals:
            return revised(page, fingerprint=b"")
        learnt = Lessons(self._database).learnt_lines(site_of(page.url))
        digest = fingerprint(page, learnt) if learnt else page.fingerprint or fingerprint(page)
        known = same_content(self._database, page, digest)
        refusal = None if known is None else Refusal(Rule.DUPLICATE, f"it says the same as {known}")
        return _refused(
            revised(page, fingerprint=digest, duplicate_of=known, own_menu=self._has_own_menu(page, known)), refusal
        )

    def _has_own_menu(self, page: Page, known: str | None) -> bool:
        """Whether a copy stands in another template: a version to print, say, or one with the menu that it lacks."""
        original = None if known is None else Pages(self._database).get(known)
        return original is not None and not same_template(page, original)


class NearDuplicates(Judge):
    """Signs a page, so that the store finds the pages which say nearly the same (crawldb/pages/clusters.py)."""

    @classmethod
    def is_needed(cls, criteria: Criteria) -> bool:
        """Return False for a threshold of 1: no page is nearly like another by that."""
        return criteria.near_duplicate_threshold < 1

    def measure(self, page: Page) -> Page:
        """Put the MinHash signature onto a page."""
        return revised(page, signature=signature(page.text))

    def judge(self, page: Page) -> Page:
        """Put the MinHash signature of its main text onto a page; one that is refused has none."""
        return revised(page, signature=b"" if page.refusals else page.signature or signature(page.text))


class SoftNotFound(Judge):
    """Refuses a page that says "not found" under a status that says "found", or what its site says for no page."""

    def judge(self, page: Page) -> Page:
        """Judge a page by its words, and by what probes have taught of its site."""
        return (
            page if page.refusals else _refused(page, soft404_refusal(page) or refusal_by_probe(page, self._database))
        )


class Spoofing(Judge):
    """Gives a page its signals of spoofing, which lower its score and refuse nothing."""

    def judge(self, page: Page) -> Page:
        """Judge a page by its markup and its words."""
        if page.refusals:
            return revised(page, signals=(), residue=0)
        return judge_spoofing(page)


ORDER: Sequence[type[Judge]] = (
    WellKnownFiles, Admission, RepeatedLines, Fingerprint, NearDuplicates, SoftNotFound, Spoofing,
)  # fmt: skip


class Judges:
    """All judges that the settings need, in their order."""

    def __init__(self, database: CrawlDatabase, criteria: Criteria) -> None:
        self._judges = [judge(database, criteria) for judge in ORDER if judge.is_needed(criteria)]

    def measure(self, page: Page) -> Page:
        """Put onto a page what takes long, and depends on nothing but the page: `judge` need not find it out."""
        for judge in self._judges:
            page = judge.measure(page)
        return page

    def judge(self, page: Page) -> Page:
        """Return `page` with all that the judges say of it. What it says is read, and nothing is written."""
        for judge in self._judges:
            page = judge.judge(page)
        return page
