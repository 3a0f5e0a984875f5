"""What does a crawl request to learn about a site? A missing page, some pages twice, and stylesheets.

Each probe is a row of `url` like any other: robots.txt, pace and journal apply. After MAX_REVISIT the crawl requests
the same URL again, since the site may have changed by then.

**A missing page** (`MissingPageProbe`). A site that has shown PROBE_AFTER pages at its root, in its folders, or under
queries gets a probe of that kind. A smaller site gets one once it has shown FEW_PAGES, if one of them has as little
text as an apology, or if several have one text. If robots.txt forbids it, there is no template. The response is never
a page. But it may be a copy of one: a program may ignore what it does not know in a URL. Then links or its URL have
words of the page, or most pages link to it, and it is kept. It is an apology if links to several URLs promise different
things, and all URLs show one text with nothing of that. Then its text becomes the site's soft-404 template
(`pages/content/soft404.py`), which filters the stored pages again (`pipelines/review.py`).

**Pages twice** (`SecondFetch`). Which parts of a site's pages change without an edit? Once a site has shown PROBE_AFTER
pages, the crawl requests the first SAMPLE of them again, without conditions. It does so after all other queued URLs of
the site, seconds later. It notes lines that differ (`pages/content/volatile.py`). Fingerprints of the site's pages then
leave out lines that differ on two pages. The page is stored as it came the second time. This is no visit, since seconds
say nothing about how often a page changes.

**Stylesheets** (`SiteStylesheets`). When the first page names a sheet of its own site, the crawl requests the sheet,
once a site, since it may hide text of the site's pages. A sheet is no page, and never indexed. The crawl stores its
rules (crawldb/learnt.py), and reads the pages from the meantime again with it (`pipelines/review.py`). It
reads older pages again when they change, or by `reparse`. If robots.txt forbids a sheet, or it can't be fetched, the
sheets of its site count against no page.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.pages.pages import Pages
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State, Urls, under_way
from crawldb.visited import STORED_URL, find
from pages.content.soft404 import (
    UrlPlace,
    content_lines,
    count_content_words,
    is_home,
    missing_url,
    not_found_profile,
    numbered_lines,
    repeats_url_name,
    url_place,
)
from pages.content.volatile import changed_lines
from pages.hidden.stylesheet import TOO_LARGE
from robots.page_controls import HTML_TYPES
from urls.canonical import canonical_or_none, canonicalize, mask_credentials, site_of
from urls.records import NO_SUCH_PAGE, FoundBy, LeaseEnd, Page, Stylesheet
from urls.rules import Rule
from urls.signals import tokens
from urls.traps import TELLS_NOTHING
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.learnt import SiteProbes, Stylesheets
    from crawldb.pages.probe_findings import ProbeFindings
    from crawldb.tables.journal import Journal
    from frontier.discovery import Discovery
    from frontier.followers.order import WrittenPage
    from frontier.job import CrawlJob
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import CanonicalUrl, Outcome


OTHERS = 12  # stored pages of a site, those nearest to a seed, from which its template is learnt
MOST_TOLD = 0.5  # of them: a page without an apology that so many have is what the site says anyway
LITTLE_WORDS = 30  # of a page without its menus: an apology of more is suspected where it is at several URLs
LEAST_BROKEN = 3  # URLs with one text, whose links promise different things: two may be clumsy names of one page
KEPT_SHARE = 0.5  # of the words of a link, or of a URL's last part: a page with so many of them is what they promise
SHORT = 3  # characters of words that mostly hold a sentence together
FEW_PAGES = 5  # of a site, from which its template can be learnt
_REPEATED = "pages that repeat another one"  # a topic, as are the places of URLs
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
                stored.asks |= self._send_probe(leased, page, place, "its site was last asked long ago")
        elif stored.is_new:
            shown = self._probes.count_page(leased.site, place)
            if shown >= self._probe_after:
                why = f"its site has shown {counted(shown, 'page')} ({place})"
                stored.asks |= self._send_probe(leased, page, place, why)
            else:
                stored.asks |= self._probe_small_site(leased, page, questions)
        if stored.is_new and not stored.asks:
            stored.asks = self._probe_repeated_text(leased, page, questions)

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

    def _probe_repeated_text(
        self, leased: LeasedUrl, page: Page, questions: Mapping[str, tuple[int, float | None]]
    ) -> bool:
        """Request a probe once several URLs of a site show one text."""
        other = page.duplicate_of or page.near_duplicate_of
        if not other or not (page.duplicate_of or repeats_url_name(page)) or site_of(other) != site_of(page.url):
            return False
        repeated = self._probes.count_page(leased.site, _REPEATED)
        shown = sum(questions.get(place, (0, None))[0] for place in UrlPlace)
        is_asked = any(questions.get(topic, (0, None))[1] is not None for topic in (_REPEATED, url_place(page.url)))
        if is_asked or repeated < LEAST_BROKEN - 1 or shown < FEW_PAGES - 1:
            return False
        self._probes.note_asked(leased.site, _REPEATED, page.fetched_at)
        why = f"{counted(repeated, 'page')} of its site repeat another one"
        return self._send_probe(leased, page, url_place(page.url), why)

    def _send_probe(self, leased: LeasedUrl, page: Page, place: UrlPlace, why: str) -> bool:
        probes, discovery, connection = self._probes, self._discovery, self._database.connection
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
        elif known is not None or discovery.policy.blocked(url, url) or discovery.budgets.is_full(leased.site):
            return False
        else:
            found_on = find(connection, beside)
            new = NewUrl(url, leased.site, FoundBy.PROBE, found_on, leased.depth, urgency=SITEMAP_URGENCY)
            probes.add(self._urls.enqueue(new), Purpose.MISSING, page.fetched_at)
        self._journal.write(leased.id, Rule.PROBE, f"{why}: what does it say where there is no page?", [url])
        return True

    # -- What the response teaches

    def response_stored(self, leased: LeasedUrl, response: Page | Outcome) -> None:
        """End the lease of a probe, and keep what its response shows."""
        if isinstance(response, Page) or response.requested:
            self._leases.note_request(leased, response, Rule.PROBE)
        if isinstance(response, Page):
            learnt = self._learnt_from_page(leased, response)
        else:
            learnt = self._learnt(leased, response)
        reason = f"requested to see how its site responds to a URL that no page links to: {learnt}"
        self._leases.suppress(leased, Rule.PROBE, reason)

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
            is_a_page |= len(same) >= max(2, MOST_TOLD * len(others))
            if is_a_page and not self._breaks_promises(page, {url for url, _ in others}):
                self._findings.forget_lie(leased.id)
                return "a page that it has under other URLs too, so it proves nothing"
        shows = homes[0][0] if homes else None
        lie = not_found_profile(page, [numbered_lines(other) for url, other in others if url != shows])
        self._findings.put_lie(leased.id, leased.site, page.fetched_at, lie, shows=shows)
        self._findings.let_filter_again(leased.site)
        home = f", as {homes[0][1].url} has it" if homes else ""
        return f"a page with status {page.status}{home}: other pages that say the same are none"

    def _breaks_promises(self, page: Page, others: set[int]) -> bool:
        """Return whether links promise different things of the URLs that all show the text of `page`, and none is kept.

        `others` are pages of the site.
        """
        if any(find(self._database.connection, page.url.rpartition(mark)[0]) is not None for mark in "/?&"):
            return False  # the page may be at the URL without the part that nobody knows
        words = _telling_words(page.title, *page.headings, *content_lines(page))
        promises: dict[str, set[CanonicalUrl]] = defaultdict(set)
        linking: dict[CanonicalUrl, set[int]] = defaultdict(set)
        for url, source, text in self._findings.links_to_copies(page.duplicate_of or page.url):
            promised = _telling_words(text)
            linking[url].add(source)
            is_menu = len(linking[url] & others) >= max(2, MOST_TOLD * len(others))
            names = promised, _telling_words(url.rstrip("/").rpartition("/")[2].partition(".")[0])
            is_kept = any(name and len(name & words) >= KEPT_SHARE * len(name) for name in names)
            if is_menu or is_kept or page.url.startswith(tuple(f"{url.rstrip('/')}{mark}" for mark in "/?&")):
                return False
            if promised:
                promises[text].add(url)
        return min(len(promises), len(set().union(*promises.values()))) >= LEAST_BROKEN

    def _pages(self, site: int, *, seeds: bool = False) -> Iterator[tuple[int, Page]]:
        """Yield the stored pages of a site nearest to a seed; `seeds`: only seeds and what they redirect to."""
        for url, address in self._probes.first_pages(site, OTHERS, seeds=seeds):
            page = self._findings.page(url, address)
            if page is not None:
                yield url, page


def _telling_words(*texts: str) -> frozenset[str]:
    """Return the words of texts without those that mostly hold a sentence together."""
    return frozenset(word for word in tokens(" ".join(texts)) if len(word) > SHORT or not word.isascii())


def _suspicion(place: UrlPlace) -> str:
    """Return the topic under which pages that say little are counted."""
    return f"{place}, which say little"


SAMPLE = 3  # pages of a site: two have to agree, and one may be missing
SECONDS_BETWEEN = 2.0  # at least, from the decision to the second fetch: time stamps are to the second
MAX_SECONDS_BETWEEN = 3600.0  # a later fetch may show an edit: it is an ordinary visit
TOPIC = "twice"


class SecondFetch:
    """Requests a few pages of a site a second time, and learns the differences."""

    def __init__(
        self, database: CrawlDatabase, journal: Journal, probes: SiteProbes, findings: ProbeFindings, probe_after: int
    ) -> None:
        self._journal = journal
        self._probes = probes
        self._findings = findings
        self._probe_after = probe_after
        self._pages = Pages(database)
        self._urls = Urls(database)

    def is_one(self, leased: LeasedUrl, page: Page) -> bool:
        """Return whether a page that was requested a second time is the second of two fetches, and no visit.

        Both may be long apart, where a run ended in between: then the page is visited as any other.
        """
        return page.fetched_at - self._probes.asked_at(leased.id) <= MAX_SECONDS_BETWEEN

    def page_stored(self, stored: WrittenPage) -> None:
        """Compare a page that was fetched a second time, or request some pages of its site again."""
        if stored.leased.purpose is Purpose.TWICE:
            self._probes.remove(stored.url)
            if not stored.is_visit:
                self._compare(stored)
        if stored.is_new and self._is_time_to_ask(stored):
            stored.asks |= self._send_probe(stored.site, stored.page.fetched_at)

    def no_page(self, leased: LeasedUrl) -> None:
        """End the comparison for a URL without a page: there is nothing to compare."""
        if leased.purpose is Purpose.TWICE:
            self._probes.remove(leased.id)

    def _is_time_to_ask(self, stored: WrittenPage) -> bool:
        page, site = stored.page, stored.site
        if not self._probe_after or page.refusals or page.content_type not in HTML_TYPES:
            return False
        if self._probes.last_asked(site, TOPIC) is not None:
            return False
        return self._probes.count_page(site, TOPIC) >= self._probe_after

    def _send_probe(self, site: int, at: float) -> bool:
        self._probes.note_asked(site, TOPIC, at)
        sample = [url for url, _ in self._probes.first_pages(site, SAMPLE)]
        reason = "it is fetched a second time, to see which lines change without an edit"
        for url in sample:
            self._pages.forget_validators(url)  # it is requested without a condition
            self._probes.add(url, Purpose.TWICE, at)
            self._urls.defer(url, at + SECONDS_BETWEEN, counts=False, last=True)
            self._journal.write(url, Rule.PROBE, reason)
        return bool(sample)

    def _compare(self, stored: WrittenPage) -> None:
        """Note the changes since the first fetch of a page."""
        page, before = stored.page, stored.record_before
        if before is None or page.refusals or before.refusals:
            return
        changed = changed_lines(before.text, page.text)
        agreed = self._findings.note_changes(stored.site, stored.url, changed, page.fetched_at)
        if agreed:
            self._findings.let_filter_again(stored.site)
            shown = ", ".join(f"“{example}”" for example in agreed[:3])
            reason = (
                f"two fetches of this page and of another differ in {shown}: fingerprints of the site leave that out"
            )
            self._journal.write(stored.url, Rule.PROBE, reason)


MAX_OF_SITE = 20  # files that are requested
_MAY_BE_REQUESTED = {  # state, rule and purpose of a known URL
    (State.SUPPRESSED, Rule.TYPE, None),  # a link led to it, and it is no page
    (State.SUPPRESSED, Rule.STYLESHEET, Purpose.STYLESHEET),
}
_NOT_USED = "no page of its site is accused by its stylesheets"


class SiteStylesheets:
    """Requests the stylesheets of a site, and ends their leases."""

    def __init__(
        self,
        database: CrawlDatabase,
        discovery: Discovery,
        leases: LeaseWriter,
        probes: SiteProbes,
        findings: ProbeFindings,
        sheets: Stylesheets,
        job: CrawlJob,
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._leases = leases
        self._journal = leases.journal
        self._probes = probes
        self._findings = findings
        self._sheets = sheets
        self._urls = Urls(database)
        self._most_revisit = job.revisits.most

    def page_stored(self, stored: WrittenPage) -> None:
        """Request the sheets that a page names, if it is time to."""
        page, leased = stored.page, stored.leased
        if not page.sheets:
            return
        known = self._sheets.of_site(site_of(page.url))
        if all(sheet.url in known.usable for sheet in page.sheets) and not all(sheet.is_read for sheet in page.sheets):
            self._filter_again(leased.site, page.fetched_at)  # they came while the page was under way
        oldest = page.fetched_at - self._most_revisit
        due = [sheet.url for sheet in page.sheets if known.asked_at.get(sheet.url, 0.0) <= oldest]
        stored.asks |= bool(due) and self._send_probe(leased, due, page.fetched_at)

    def _filter_again(self, site: int, since: float) -> None:
        """Let pages fetched since a time be read again: none before it waited for the sheet."""
        self._sheets.let_be_read_again(site, since)
        self._findings.let_filter_again(site, whole=False)

    def _send_probe(self, leased: LeasedUrl, due: Iterable[CanonicalUrl], at: float) -> bool:
        asked = [url for url in due if self._queue(leased, url, at)]
        if asked:
            reason = f"it names {counted(len(asked), 'stylesheet')}: which text do they hide?"
            self._journal.write(leased.id, Rule.STYLESHEET, reason, asked)
        return bool(asked)

    def _queue(self, leased: LeasedUrl, url: CanonicalUrl, at: float) -> bool:
        """Queue a sheet; return whether it waits: a URL known as a page stays one."""
        discovery, sheets = self._discovery, self._sheets
        if len(url) > STORED_URL or discovery.policy.blocked(url, url):
            return False
        row = under_way(self._database, url)
        is_known = row is not None and row.purpose == Purpose.STYLESHEET
        if not is_known and (sheets.count(leased.site) >= MAX_OF_SITE or discovery.budgets.is_full(leased.site)):
            return False
        if row is None:
            new = NewUrl(url, leased.site, FoundBy.STYLESHEET, leased.id, leased.depth, urgency=SITEMAP_URGENCY)
            identity = self._urls.enqueue(new)
        elif (row.state, row.rule, row.purpose) in _MAY_BE_REQUESTED:
            identity = row.id
            self._urls.requeue([identity])
        else:
            return False
        self._probes.add(identity, Purpose.STYLESHEET, at)
        sheets.ask(identity, leased.site, at)
        return True

    # -- The end of the lease of a sheet

    def sheet_stored(self, leased: LeasedUrl, sheet: Stylesheet) -> bool:
        """End the lease of a sheet, and store its rules; return whether sheets that it imports are requested."""
        self._leases.note_request(leased, sheet, Rule.PROBE)
        if sheet.css is None:
            self._end(leased, sheet, f"{_NOT_USED}: {sheet.reason}")
            return False
        self._end(leased, sheet, f"it was read as a stylesheet: {counted(len(sheet.css), 'character')} count")
        if not sheet.imports or self._sheets.is_imported(leased.id):
            return False
        known = self._sheets.of_site(site_of(sheet.url)).asked_at
        oldest = sheet.fetched_at - self._most_revisit
        return self._send_probe(
            leased, [url for url in sheet.imports if known.get(url, 0.0) <= oldest], sheet.fetched_at
        )

    def no_sheet(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a sheet that did not come: its earlier rules hold only after "not modified"."""
        if outcome.requested:
            self._leases.note_request(leased, outcome, Rule.PROBE)
        if outcome.fate is LeaseEnd.NOT_MODIFIED and outcome.conditional:
            self._sheets.ask(leased.id, leased.site, outcome.fetched_at)
            self._leases.suppress(leased, Rule.STYLESHEET, "it is the stylesheet that it was")
            return
        none = Stylesheet(outcome.url, None, fetched_at=outcome.fetched_at)
        rule = outcome.rule if outcome.fate is LeaseEnd.REFUSED else Rule.STYLESHEET
        reason = TOO_LARGE if outcome.rule == Rule.SIZE else outcome.reason  # its limit is no setting
        self._end(leased, none, f"{_NOT_USED}: {reason}", rule)

    def _end(self, leased: LeasedUrl, sheet: Stylesheet, reason: str, rule: Rule = Rule.STYLESHEET) -> None:
        self._leases.suppress(leased, rule, reason)
        since = self._sheets.put(leased.id, leased.site, sheet)
        if since is not None:
            self._filter_again(leased.site, since)
