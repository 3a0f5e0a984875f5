"""How does a site respond to a URL that doesn't exist? It gets a probe, and the response becomes its soft-404 template.

A site that has shown PROBE_AFTER pages at its root, in its folders, or under queries gets a probe of that kind. A
smaller site gets one once it has shown FEW_PAGES, if one of them has as little text as an apology. The probe is a row
of `url` like any other: robots.txt, pace and journal apply. If robots.txt forbids it, there is no template.

Its response is never a page. Its text becomes the template (`pages/content/soft404.py`), which filters the stored pages
again (`pipelines/review.py`). After MAX_REVISIT the crawl requests the same URL again, since the site may have another
template by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State, Urls
from crawldb.visited import find
from pages.content.soft404 import (
    UrlPlace,
    count_content_words,
    is_home,
    missing_url,
    not_found_profile,
    numbered_lines,
    repeats_url_name,
    url_place,
)
from robots.page_controls import HTML_TYPES
from urls.canonical import canonical_or_none, canonicalize, mask_credentials
from urls.records import FoundBy, LeaseEnd, Page
from urls.rules import Rule
from urls.traps.novelty import TELLS_NOTHING
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.learnt.probes import SiteProbes
    from crawldb.pages.probe_findings import ProbeFindings
    from frontier.discovery import Discovery
    from frontier.followers.order import WrittenPage
    from frontier.job import CrawlJob
    from frontier.outcomes.lease import LeasedUrl, LeaseWriter
    from urls.records import CanonicalUrl, Outcome

OTHERS = 12  # stored pages of a site, those nearest to a seed, from which its template is learnt
MOST_TOLD = 0.5  # of them: a page without an apology that so many have is what the site says anyway
LITTLE_WORDS = 30  # of a page without its menus: an apology has no more
FEW_PAGES = 5  # of a site, from which its template can be learnt
NO_SUCH_PAGE = range(400, 500)  # status codes: what was requested is not there, or not for us
_NOTHING_LEARNT = "no usable response"


class MissingPageProbe:
    """Requests a page that cannot be there, and learns from the response."""

    def __init__(
        self,
        database: CrawlDatabase,
        discovery: Discovery,
        leases: LeaseWriter,
        probes: SiteProbes,
        findings: ProbeFindings,
        job: CrawlJob,
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._leases = leases
        self._journal = leases.journal
        self._probes = probes
        self._findings = findings
        self._urls = Urls(database)
        self._probe_after = job.probe_after
        self._most_revisit = job.revisits.most

    def page_stored(self, stored: WrittenPage) -> None:
        """Request a probe of a site, if it is time to; a page that was fetched a second time requests none."""
        page, leased = stored.page, stored.leased
        if page.content_type not in HTML_TYPES or not (stored.is_new or stored.is_visit):
            return
        place, questions = url_place(page.url), self._probes.questions(leased.site)
        _, asked_at = questions.get(place, (0, None))
        if asked_at is not None:
            if page.fetched_at >= asked_at + self._most_revisit:
                stored.asks |= self._send_probe(leased, page, place, "its last probe was long ago")
        elif stored.is_new:
            shown = self._probes.count_page(leased.site, place)
            if shown >= self._probe_after:
                why = f"its site has shown {counted(shown, 'page')} ({place})"
                stored.asks |= self._send_probe(leased, page, place, why)
            else:
                stored.asks |= self._probe_small_site(leased, page, questions)

    def _probe_small_site(
        self, leased: LeasedUrl, page: Page, questions: Mapping[str, tuple[int, float | None]]
    ) -> bool:
        """Request a probe if a page has as little text as an apology: this one, or an earlier one."""
        suspected = {place for place in UrlPlace if _suspicion(place) in questions}
        if not is_home(page.url) and count_content_words(page, LITTLE_WORDS) <= LITTLE_WORDS:
            suspected.add(url_place(page.url))
            self._probes.count_page(leased.site, _suspicion(url_place(page.url)))
        shown = 1 + sum(questions.get(place, (0, None))[0] for place in UrlPlace)
        if shown < FEW_PAGES:
            return False
        due = [place for place in UrlPlace if place in suspected and questions.get(place, (0, None))[1] is None]
        if not due:
            return False
        why = f"its site has shown {counted(shown, 'page')}, and one that says little"
        asked = [self._send_probe(leased, page, place, why) for place in due]
        return any(asked)

    def _send_probe(self, leased: LeasedUrl, page: Page, place: UrlPlace, why: str) -> bool:
        probes, connection = self._probes, self._database.connection
        probes.note_asked(leased.site, place, page.fetched_at)
        earlier = [url for url in probes.made_up(leased.site) if url_place(url) is place]
        beside = next((url for url in probes.nearest(leased.site) if url_place(url) is place), page.url)
        name = earlier[0] if earlier else missing_url(beside)
        if name is None:
            return False
        url = canonicalize(name)
        known = find(connection, url)
        if earlier and known is not None:
            self._urls.requeue([known])
        elif known is not None or self._may_not_be_requested(leased.site, url):
            return False
        else:
            found_on = find(connection, beside)
            new = NewUrl(url, leased.site, FoundBy.PROBE, found_on, leased.depth, urgency=SITEMAP_URGENCY)
            probes.add(self._urls.enqueue(new), Purpose.MISSING, page.fetched_at)
        self._journal.write(leased.id, Rule.PROBE, f"{why}: what does it say where there is no page?", [url])
        return True

    def _may_not_be_requested(self, site: int, url: CanonicalUrl) -> bool:
        return bool(self._discovery.policy.blocked(url, url)) or self._discovery.budgets.is_full(site)

    # -- What the response teaches

    def response_stored(self, leased: LeasedUrl, response: Page | Outcome) -> None:
        """End the lease of a probe, and keep what its response shows."""
        if isinstance(response, Page) or response.requested:
            self._leases.note_request(leased, response, Rule.PROBE)
        if isinstance(response, Page):
            learnt = self._learnt_from_page(leased, response)
        else:
            learnt = self._learnt(leased, response)
        reason = f"a probe of a URL that no page links to, to see how its site responds: {learnt}"
        row = self._journal.write(leased.id, Rule.PROBE, reason)
        self._leases.end(leased.id, State.SUPPRESSED, Rule.PROBE, because=row)

    def _learnt(self, leased: LeasedUrl, outcome: Outcome) -> str:
        if outcome.fate is LeaseEnd.MOVED:
            return self._learnt_redirect(leased, outcome.target or "", outcome.fetched_at)
        if outcome.fate is LeaseEnd.GONE or outcome.status in NO_SUCH_PAGE:
            self._findings.forget_lie(leased.id)
            return f"the truth, by status {outcome.status}"
        return _NOTHING_LEARNT

    def _learnt_redirect(self, leased: LeasedUrl, target: str, at: float) -> str:
        canonical = canonical_or_none(target)
        if canonical is None:
            return _NOTHING_LEARNT
        self._findings.put_redirect(leased.id, leased.site, at, canonical)
        return f"a redirect to {mask_credentials(target)[:200]}"

    def _learnt_from_page(self, leased: LeasedUrl, page: Page) -> str:
        rules = {refusal.rule for refusal in page.refusals}
        if Rule.MOVED in rules and page.refresh:
            return self._learnt_redirect(leased, page.refresh[1], page.fetched_at)
        if rules & TELLS_NOTHING:
            return _NOTHING_LEARNT
        others = list(self._pages(leased.site))
        homes: list[tuple[int, Page]] = []
        if Rule.SOFT_404 not in rules and not repeats_url_name(page):  # no apology: it may be a page of the site
            alone = not_found_profile(page, ())
            homes = [home for home in self._pages(leased.site, seeds=True) if alone.matches(home[1])]
            same = [other for _, other in others if alone.matches(other)]
            found_on = self._findings.led_by(leased.id)
            # A program may ignore what it does not know. What a path alone brings again and again is an apology.
            may_be_apology = (
                url_place(page.url) is not UrlPlace.QUERY and count_content_words(page, LITTLE_WORDS) <= LITTLE_WORDS
            )
            is_copy = bool(page.duplicate_of and not homes) and not may_be_apology
            is_a_page = is_copy or (found_on is not None and alone.matches(found_on))
            if is_a_page or len(same) >= max(2, MOST_TOLD * len(others)):
                self._findings.forget_lie(leased.id)
                return "a page that it has under other URLs too, so it proves nothing"
        shows = homes[0][0] if homes else None
        lie = not_found_profile(page, [numbered_lines(other) for url, other in others if url != shows])
        self._findings.put_lie(leased.id, leased.site, page.fetched_at, lie, shows=shows)
        self._findings.let_filter_again(leased.site)
        home = f", as {homes[0][1].url} has it" if homes else ""
        return f"a page with status {page.status}{home}: other pages that say the same are none"

    def _pages(self, site: int, *, seeds: bool = False) -> Iterator[tuple[int, Page]]:
        """Yield the stored pages of a site nearest to a seed; `seeds`: only seeds and what they redirect to."""
        for url, address in self._probes.first_pages(site, OTHERS, seeds=seeds):
            page = self._findings.page(url, address)
            if page is not None:
                yield url, page


def _suspicion(place: UrlPlace) -> str:
    """Return the topic under which pages that say little are counted."""
    return f"{place}, which say little"
