"""Everything known about a URL, collected once for the terminal, the browser and programs.

The commands and the gateway print what is here and compute nothing themselves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Unpack

from crawldb.figures.one_url import Fetch
from crawldb.tables.links import DiscoveryPath, Inlink, inlinks_to, linkers, names_of, nofollow_pages, path_to
from crawldb.visited import find
from indexer.faults import IndexFault
from indexer.links import NEAR_COPY, OWN_SITE, TEMPLATE, is_template
from pages.content.site_template import LINE_SHARE
from reports.why.controls import ControlEffect, control_effects
from reports.why.gather import MAX_FETCHES, STALE_AFTER, url_record
from reports.why.index_status import IndexEntry, ResultStatus, index_entry, result_status
from reports.why.site_files import RobotsExcerpt, robots_excerpt
from reports.wording import counted, meaning_of_rule
from urls.records import FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from indexer.query.deadline import Deadline
    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.page_terms import PageTerm
    from indexer.retrieval.searcher import Searcher
    from reports.why.record import UrlRecord
    from urls.policy import Policy

_BRINGS_THE_PAGE = frozenset({Rule.FETCHED, Rule.PROBE})
_OLDER = "older requests are not shown"
_SECOND_LOOK = "a second fetch, to find text that changes by itself: "


@dataclass(frozen=True, slots=True)
class PastFetch(Fetch):
    """One request, and what had changed, as a clause."""

    change: str

    @property
    def meaning(self) -> str:
        """What the rule means, as a clause; "" for a word that is no rule of the journal."""
        return meaning_of_rule(self.rule)


def fetch_history(fetches: Iterable[Fetch], *, cut: bool = False) -> tuple[PastFetch, ...]:
    """Return the requests of a record, which begin with the newest, in the order in which they were sent.

    `cut`: there may be older ones, which are not among them.
    """
    history: list[PastFetch] = []
    last_size: int | None = None  # of the last body that came
    for fetch in reversed(tuple(fetches)):
        before = history[-1] if history else None
        change = _OLDER if cut and before is None else _change(before, fetch, last_size)
        history.append(PastFetch(**asdict(fetch), change=change))
        last_size = fetch.size if fetch.rule in _BRINGS_THE_PAGE else last_size
    return tuple(history)


def _change(before: PastFetch | None, now: Fetch, last_size: int | None) -> str:
    if now.rule == Rule.NOT_MODIFIED:
        return "nothing: the server says it is unchanged"
    if before is None:
        return "the first known request"
    if now.status != before.status and before.rule != Rule.NOT_MODIFIED:
        return f"{_named(before.status)} before, {_named(now.status)} now"
    if now.rule in _BRINGS_THE_PAGE and last_size is not None:
        return f"{_SECOND_LOOK if now.rule == Rule.PROBE else ''}{_beside(now.size, last_size)}"
    return f"again: {now.rule}" if now.rule == before.rule else f"{before.rule} before, {now.rule} now"


def _beside(size: int, last: int) -> str:
    if size == last:
        return "as many bytes as last time"
    return f"{counted(abs(size - last), 'byte')} {'more' if size > last else 'fewer'} than last time"


def _named(status: int | None) -> str:
    return "no answer" if status is None else str(status)


SHOWN = 20  # links of a page that are told, those that count most


@dataclass(frozen=True, slots=True)
class WeighedLink:
    """A link with its weight (1: it counts whole) and the reasons, as clauses."""

    url: str
    to: str  # under which name the page is linked: its own URL, or one that leads to it
    words: tuple[str, ...]
    weight: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inlinks:
    """The pages that link to one, `shown` of `pages`; `nofollow` has some that link and vouch for nothing."""

    pages: int = 0
    shown: tuple[WeighedLink, ...] = ()
    nofollow: tuple[str, ...] = ()


def inlinks_of_page(database: CrawlDatabase, url: str, home: Callable[[str], CrawlDatabase] | None = None) -> Inlinks:
    """Return the links to a canonical URL, those that count most first; `home` as of `inlinks_to`."""
    target = find(database.connection, url)
    if target is None:
        return Inlinks(nofollow=nofollow_pages(database, url))
    names = names_of(database, target)
    links = sorted(
        (weighed(link) for link in inlinks_to(database, names, LINE_SHARE, home)), key=lambda link: -link.weight
    )
    return Inlinks(linkers(database, names), tuple(links[:SHOWN]), nofollow_pages(database, url))


def weighed(link: Inlink) -> WeighedLink:
    """Return what a link counts, and why."""
    applied = [
        (OWN_SITE, link.own_site, "the link is within one site"),
        (NEAR_COPY, link.near_copy, "the two pages are near copies"),
        (
            TEMPLATE,
            is_template(link.times, link.linking),
            f"{counted(link.times, 'page')} of {link.site} have the link, like a menu",
        ),
    ]
    weight, reasons = 1.0, []
    for factor, applies, reason in applied:
        if applies:
            weight *= factor
            reasons.append(f"x {factor:g}, as {reason}")
    return WeighedLink(link.url, link.to, link.words, round(weight, 6), tuple(reasons))


HOPS = {  # how a step of the way follows from the one before it
    FoundBy.SEED: "A seed: the crawl started here",
    FoundBy.SUBMIT: "A person submitted it",
    FoundBy.LINK: "The page before links to it",
    FoundBy.REDIRECT: "The one before redirects to it",
    FoundBy.REFRESH: "The page before refreshes to it",
    FoundBy.CANONICAL: "The page before names it as its canonical URL",
    FoundBy.SITEMAP: "It is in this sitemap",
    FoundBy.SITEMAP_LINE: "A robots.txt names it as a sitemap",
    FoundBy.SITEMAP_INDEX: "It is in this index of sitemaps",
    FoundBy.ALIAS: "It is another name of the one before, by an option of its site",
    FoundBy.ARCHIVE: "An archive that was imported holds it",
    FoundBy.PROBE: "Generated from the URL before: does the site have a page for any name?",
    FoundBy.STYLESHEET: "The one before names it as a stylesheet",
}


@dataclass(frozen=True, slots=True)
class UrlFacts:
    """Everything known about a URL. `words` begin with those that tell it from other pages."""

    found: UrlRecord
    place: IndexEntry
    answer: ResultStatus
    way: DiscoveryPath
    inlinks: Inlinks
    history: tuple[PastFetch, ...]
    controls: tuple[ControlEffect, ...]
    excerpt: RobotsExcerpt | None
    words: tuple[PageTerm, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it in the form of `why --json`, ready for `json.dumps`."""
        found, place = self.found, self.place
        counts = dict(place.terms or ())
        weighty = {word.word: counts[word.word] for word in self.words if word.word in counts}
        shown = found.as_dict() | {"answer": _answer_as_dict(self.answer)}
        shown |= {"terms": None if place.terms is None else weighty | counts, "rank": place.as_dict()}
        shown |= {"links": place.standing and asdict(place.standing), "words": [asdict(word) for word in self.words]}
        shown |= {"path": asdict(self.way), "inlinks_told": asdict(self.inlinks)}
        shown |= {"history": [asdict(fetch) for fetch in self.history]}
        shown |= {"controls_told": [asdict(effect) for effect in self.controls]}
        shown |= {"robots_excerpt": self.excerpt and asdict(self.excerpt)}
        return shown | ({"index_fault": place.fault} if place.fault else {})


def _answer_as_dict(answer: ResultStatus) -> dict[str, Any]:
    steps = [{"step": each.step.value, "passed": each.passed, "told": each.told} for each in answer.steps]
    return {"is_result": answer.is_result, "sentence": answer.sentence, "remedy": answer.remedy, "steps": steps}


def url_facts(
    parts: Parts,
    url: str,
    opened: Callable[[], Searcher],
    policy_of: Callable[[CrawlDatabase], Policy],
    *,
    product: str = "Breadcrumb",
    stale_after: int = STALE_AFTER,
    query: str = "",
    deadline: Deadline | None = None,
    **narrowing: Unpack[SearchFilters],
) -> UrlFacts:
    """Gather everything about `url`, however it is spelt; with `query`, its rank for that query.

    `parts` are those of the crawl, `opened` gives the searcher, `narrowing` is what a page must be beside the words.
    Raises DatabaseError where the part that has the URL can't be read.
    """
    database, opened = parts.home(url), cache(opened)
    found = url_record(
        database, url, product, policy=policy_of(database), stale_after=stale_after, everywhere=parts.readable()
    )
    place = index_entry(opened, found, query, deadline=deadline, in_words=parts.in_words, **narrowing)
    words = _words(opened, found, place)
    canonical = found.canonical
    return UrlFacts(
        found,
        place,
        result_status(found, place, tuple(word.word for word in words)),
        path_to(parts.home, canonical) if canonical and found.discovered else DiscoveryPath(),
        inlinks_of_page(database, canonical, parts.home) if canonical else Inlinks(),
        fetch_history(found.fetches, cut=len(found.fetches) == MAX_FETCHES),
        control_effects(found),
        robots_excerpt(database, found.robots),
        words,
    )


def _words(opened: Callable[[], Searcher], found: UrlRecord, place: IndexEntry) -> tuple[PageTerm, ...]:
    if place.terms is None or found.canonical is None:
        return ()
    try:
        return opened().page_terms(found.canonical)
    except IndexFault:  # what the index said of the page just now is told all the same
        return ()
