"""The record of a URL: everything that the crawl database knows about it, and advice on what to do next.

The advice belongs to the rule under which the URL or its page ended, unless its state is more specific.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reports.shown_commands import of_url
from reports.wording import counted, moment
from urls.canonical import canonical_or_none
from urls.rules import ASK_FOR_IDENTITY, NO_SEED_THERE, Rule
from urls.wording import shell_word

if TYPE_CHECKING:
    from crawldb.figures.one_url import Fetch
    from crawldb.pages.clusters import ClusterMembers
    from crawldb.pages.probe_findings import VolatileLineEvidence
    from crawldb.tables.hosts import Host
    from crawldb.tables.journal import JournalEntry
    from extension_points import WhySection
    from reports.why.differences import TextDifference
    from reports.why.site_files import RobotsStatus, SitemapStatus
    from reports.wording import Row
    from robots import PageControls
    from urls.canonical import Step
    from urls.records import CanonicalUrl, Refusal
    from urls.signals import Signal

UNUSABLE = "unusable"
UNDISCOVERED = "not discovered"


@dataclass(frozen=True, slots=True)
class AroundText:
    """How many lines of a page are its template by each rule, and the first of them."""

    signed: int = 0
    signed_first: tuple[str, ...] = ()
    repeated: int = 0
    repeated_first: tuple[str, ...] = ()
    learnt_from: int = 0  # pages of its site that taught what repeats there


@dataclass(frozen=True, slots=True)
class StoredPage:
    """The stored page. `refusals` say why a filter rejected it, `hidden` why it is no result now."""

    title: str
    description: str
    status: int
    content_type: str
    encoding: str
    language: str
    fetched_at: float
    size: int  # bytes of the body
    words: int | None  # None: its owner allows none to be stored
    links: int
    off_site: int  # links that lead to sites on which no seed was
    anchors: tuple[str, ...]  # with which words other pages link here
    canonical: str | None  # which address the page itself names
    controls: PageControls
    refusals: tuple[Refusal, ...]
    hidden: Refusal | None  # one of `refusals`, or what has come since: its date has passed
    warnings: tuple[str, ...]
    volatile: tuple[str, ...] = ()  # what the fingerprint leaves out, since a program writes it: the first few
    around: AroundText = field(default_factory=AroundText)  # its main text: lines of the template
    # And what two fetches have shown to change by itself: the first few, as it is here.
    learnt: tuple[VolatileLineEvidence, ...] = ()
    fingerprint: str = ""  # of what it says, in hexadecimal digits: pages that share it are copies
    encoding_reason: str = ""  # why it was read in that encoding, as a clause
    languages: tuple[tuple[str, float], ...] = ()  # where it mixes several: each with its share of the text
    keywords: tuple[str, ...] = ()  # of its meta; counted nowhere
    site_name: str = ""  # by its own word, or as the titles of its site show
    site_name_by: str = ""  # which of the two: a clause
    published: float | None = None
    published_by: str = ""
    modified: float | None = None
    modified_by: str = ""
    last_modified: str = ""  # the header of that name
    breadcrumbs: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    alternates: tuple[tuple[str, str], ...] = ()  # (language, URL) of its translations
    data_types: tuple[str, ...] = ()  # what its structured data describes
    signals: tuple[Signal, ...] = ()  # of spoofing
    unread_sheets: tuple[tuple[str, str], ...] = ()  # stylesheets of its site that are not used: (URL, why not)

    @property
    def indexed(self) -> bool:
        """Whether the page may be a result."""
        return self.hidden is None


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """Everything known about `url`. Times are seconds since the epoch.

    `state` is a `State` in lower case, "not discovered" or "unusable". `refusal` says why the URL policy
    rejects it now. Its rule is "off-site" if the site is not crawled.
    """

    url: str
    canonical: CanonicalUrl | None
    steps: tuple[Step, ...]
    state: str
    refusal: Refusal | None = None
    rule: str = ""  # under which it last ended: a word of `Rule`
    found_by: str = ""  # a word of `FoundBy`
    found_on: str = ""
    found_at: float | None = None
    depth: int | None = None  # links from a seed
    due_at: float = 0.0
    misses: int = 0  # 404 or 410 in a row
    stale_after: int = 0  # of them, after which no round asks any more
    divided: bool = False  # whether the crawl has several parts
    asked_again: bool = False  # whether the next round asks for it, as things stand
    next_at: float = 0.0  # when it is worth another look, with mode=due; 0: in the next round
    visits: int = 0  # later ones, that found the page again
    unchanged: int = 0  # of those, that found nothing new
    moved_to: str = ""
    lastmod: float | None = None  # when it changed, as a sitemap says
    sitemap: SitemapStatus | None = None  # what is known of it as a sitemap; None: it is a page
    robots: RobotsStatus | None = None
    host: Host | None = None  # None: it was never asked for anything
    fetches: tuple[Fetch, ...] = ()  # the newest first
    sections: tuple[WhySection, ...] = ()  # of extensions; JSON has each under a key of its own
    page: StoredPage | None = None
    inlinks: int = 0  # other pages that link to it, by links that are followed
    link_only: tuple[str, ...] = ()  # it may not be fetched, and is a result by these words of links alone
    duplicate_of: str | None = None
    near_duplicate_of: str | None = None  # the canonical of its cluster, if that is another page
    cluster: ClusterMembers | None = None  # the pages that say nearly the same; None: there are no others
    similar_elsewhere: tuple[str, ...] = ()  # of other parts of a divided crawl: what stands for the same there
    resemblance: float | None = None  # to the canonical of its cluster: the share of word groups that both have
    difference: TextDifference | None = None  # to the canonical of its cluster
    journal: tuple[JournalEntry, ...] = ()

    alarm: str = ""  # why its site is one that mostly fails, in the latest round
    added_rows: tuple[Row, ...] = ()  # what extensions know of it
    candidates: tuple[str, ...] = ()  # never discovered: URLs that the crawl knows and that may be meant

    @property
    def is_silent(self) -> bool:
        """Whether its host gave no answer: the next run requests it at once (frontier/rounds.py)."""
        return bool((self.host and self.host.silent) or (self.robots and self.robots.is_silent))

    @property
    def meant(self) -> str:
        """The likeliest of the candidates."""
        return next(iter(self.candidates), "")

    @property
    def discovered(self) -> bool:
        """Whether the crawl knows the URL."""
        return self.state not in {UNUSABLE, UNDISCOVERED}

    @property
    def advice(self) -> str:
        """The next step for a person, as a sentence."""
        text = _advice(self)
        if self.divided:
            text = text.replace("./breadcrumb crawl site -a seeds=", "./breadcrumb farm ")
            text = text.replace("./breadcrumb crawl site", "./breadcrumb farm")
        return of_url(text, self.canonical) if self.canonical else text

    def as_dict(self) -> dict[str, Any]:
        """Return it in the form of `why --json`, ready for `json.dumps`."""
        sections = {section.key: section.value for section in self.sections}
        fields: dict[str, Any] = {}
        for name, value in asdict(replace(self, sections=())).items():
            fields |= sections if name == "sections" else {name: value}
        if self.page is not None:
            expires = self.page.controls.expires
            fields["page"]["controls"]["expires"] = expires.isoformat() if isinstance(expires, datetime) else None
            fields["page"]["indexed"] = self.page.indexed
        return fields | {"meant": self.meant, "advice": self.advice}


# Rules under which a sitemap ends; of a page they say nothing.
_OF_SITEMAPS = frozenset({Rule.SITEMAP, Rule.SITEMAP_UNCHANGED, Rule.SITEMAP_UNNAMED, Rule.NO_SITEMAP})
_STATES = {
    "leased": "A crawl is fetching it. If that crawl was killed, the next one fetches it: ./breadcrumb crawl site",
    UNDISCOVERED: "No fetched page links to it. To add it: ./breadcrumb submit URL",
    UNUSABLE: "Give a complete URL, such as http://bakery.localhost:8400/bread.html",
}


def _advice(found: UrlRecord) -> str:
    """Return the advice; the word URL is a placeholder for the canonical URL."""
    refusal = found.refusal
    if found.meant and (refusal is None or refusal.rule != Rule.BLOCKED):
        others = ", or ".join(("", *found.candidates[1:]))
        knows = "those" if others else "that one"
        return f"Did you mean {found.meant}{others}? The crawl knows {knows}.{_quotes_needed(found.meant)}"
    if refusal is not None and (refusal.rule == Rule.BLOCKED or not found.discovered):
        return _remedy(refusal.rule) or _STATES[UNUSABLE]
    if found.sitemap is not None and found.rule in _OF_SITEMAPS:
        return _remedy(found.rule if found.asked_again or found.rule == Rule.NO_SITEMAP else Rule.SITEMAP_UNNAMED)
    if found.state == "queued":
        return _advice_on_queued(found)
    if found.state in _STATES:
        return _STATES[found.state]
    return _advice_on_outcome(found) if found.page is None else _advice_on_page(found.page)


def _advice_on_queued(found: UrlRecord) -> str:
    if found.robots is not None and found.robots.allowed is False:
        if found.robots.is_silent:  # a rule of ours may have kept the request back
            rules = {NO_SEED_THERE: Rule.ADDRESS, ASK_FOR_IDENTITY: Rule.IDENTITY}
            for words, rule in rules.items():
                if words in found.robots.reason:
                    return rule.remedy
        return "The next crawl requests robots.txt again, and the URL if it is allowed then: ./breadcrumb crawl site"
    host = found.host
    not_before = max(found.due_at, host.rests_until if host else 0.0)
    if not_before > time.time() and not found.is_silent:
        return f"A crawl after {moment(not_before)} fetches it: ./breadcrumb crawl site"
    return "The next crawl fetches it: ./breadcrumb crawl site"


def _remedy(word: str) -> str:
    try:
        return Rule(word).remedy
    except ValueError:
        return ""  # a notice on a robots.txt has a word of its own


def _quotes_needed(url: str) -> str:
    """Return a note if a shell would cut the URL."""
    return f" In a shell, quote it: '{url}'." if any(letter in url for letter in "&;()*$!") else ""


def _advice_on_outcome(found: UrlRecord) -> str:
    if found.moved_to and found.state == "done":  # and no loop
        return f"It redirects to another URL: ./breadcrumb why {shell_word(found.moved_to)}"
    if found.rule == Rule.OFF_SITE and found.state == "done":  # it is the target whose site is missing
        # As it is requested: the journal has it as the server wrote it, without its password.
        samples = [each.samples[0] for each in found.journal if each.rule == Rule.OFF_SITE and each.samples]
        target = canonical_or_none(samples[-1]) if samples else None
        return of_url(_remedy(found.rule), target) if target else _remedy(found.rule)
    if found.misses:
        return _advice_on_misses(found)
    if found.rule == Rule.FORGOTTEN and found.asked_again:
        return "The next round requests it again. To keep it out: ./breadcrumb block URL"
    remedy = "" if found.rule in _OF_SITEMAPS else _remedy(found.rule)
    last = "The next round requests it again: ./breadcrumb crawl site" if found.asked_again else "No round requests it."
    return remedy or last


def _advice_on_misses(found: UrlRecord) -> str:
    seen = "once" if found.misses == 1 else f"{found.misses} times in a row"
    answers = f"Its server returned 404 or 410 ({seen})"
    if not found.asked_again:
        return (
            f"{answers}, and STALE_AFTER is {found.stale_after}: no round requests it again. "
            "To request it: ./breadcrumb submit URL. A seed does the same, and so does a sitemap with a later date."
        )
    left = counted(found.stale_after - found.misses, "more such response")
    return f"{answers}. The next round requests it. After {left}, no round does (STALE_AFTER)."


def _advice_on_page(page: StoredPage) -> str:
    if page.hidden is not None:
        remedy = _remedy(page.hidden.rule)
        return remedy or "The next round checks it again: ./breadcrumb crawl site"
    return "The page can be a result. To remove it: ./breadcrumb forget URL"
