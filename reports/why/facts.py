"""All that is told of a URL, put together once: for the terminal, for the browser, and for programs.

`dossier` has what the crawl decided, `index_entry` its place among the results; the other files of this folder take one
matter each. The commands and the gateway print what stands here, and work nothing out themselves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Unpack

from crawldb.tables.paths import Way, way_to
from indexer.faults import IndexFault
from reports.why.answer import WhyAnswer, answer_of
from reports.why.control_effects import ControlEffect, control_effects
from reports.why.fetch_history import PastFetch, fetch_history
from reports.why.index_entry import IndexEntry, index_entry
from reports.why.inlinks import Inlinks, inlinks_of_page
from reports.why.robots_excerpt import RobotsExcerpt, robots_excerpt
from reports.why.sources import MAX_FETCHES, STALE_AFTER, dossier
from urls.records import FoundBy

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from indexer.query.deadline import Deadline
    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.page_terms import PageTerm
    from indexer.retrieval.searcher import Searcher
    from reports.why.dossier import Dossier
    from urls.policy import Policy

HOPS = {  # how a step of the way follows from the one before it
    FoundBy.SEED: "A seed: the crawl was told to begin here",
    FoundBy.SUBMIT: "A person handed it in",
    FoundBy.LINK: "The page before links to it",
    FoundBy.REDIRECT: "The one before redirects to it",
    FoundBy.REFRESH: "The page before refreshes to it",
    FoundBy.CANONICAL: "The page before names it as its canonical address",
    FoundBy.SITEMAP: "It is in this sitemap",
    FoundBy.SITEMAP_LINE: "A robots.txt names it as a sitemap",
    FoundBy.SITEMAP_INDEX: "It is in this index of sitemaps",
    FoundBy.ALIAS: "It is the name of the one before, by an option of its site",
    FoundBy.ARCHIVE: "An archive that was imported holds it",
    FoundBy.PROBE: "Breadcrumb made it up after the one before, to see whether there is a page for any name",
    FoundBy.STYLESHEET: "The one before names it as a stylesheet",
}


@dataclass(frozen=True, slots=True)
class UrlFacts:
    """Everything known about a URL. `words` begin with those that tell it from other pages."""

    found: Dossier
    place: IndexEntry
    answer: WhyAnswer
    way: Way
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
        told = found.as_dict() | {"answer": _answer_as_dict(self.answer)}
        told |= {"terms": None if place.terms is None else weighty | counts, "rank": place.as_dict()}
        told |= {"links": place.standing and asdict(place.standing), "words": [asdict(word) for word in self.words]}
        told |= {"path": asdict(self.way), "inlinks_told": asdict(self.inlinks)}
        told |= {"history": [asdict(fetch) for fetch in self.history]}
        told |= {"controls_told": [asdict(effect) for effect in self.controls]}
        told |= {"robots_excerpt": self.excerpt and asdict(self.excerpt)}
        return told | ({"index_fault": place.fault} if place.fault else {})


def _answer_as_dict(answer: WhyAnswer) -> dict[str, Any]:
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
    """Gather everything about `url`, however it is spelt; with `query`, its place for that question.

    `parts` are those of the crawl, `opened` gives the searcher, `narrowing` is what a page must be beside the words.
    Raises DatabaseError where the part that has the URL can't be read.
    """
    database, opened = parts.home(url), cache(opened)
    found = dossier(
        database, url, product, policy=policy_of(database), stale_after=stale_after, everywhere=parts.readable()
    )
    place = index_entry(opened, found, query, deadline=deadline, in_words=parts.in_words, **narrowing)
    words = _words(opened, found, place)
    canonical = found.canonical
    return UrlFacts(
        found,
        place,
        answer_of(found, place, tuple(word.word for word in words)),
        way_to(parts.home, canonical) if canonical and found.discovered else Way(),
        inlinks_of_page(database, canonical, parts.home) if canonical else Inlinks(),
        fetch_history(found.fetches, cut=len(found.fetches) == MAX_FETCHES),
        control_effects(found),
        robots_excerpt(database, found.robots),
        words,
    )


def _words(opened: Callable[[], Searcher], found: Dossier, place: IndexEntry) -> tuple[PageTerm, ...]:
    if place.terms is None or found.canonical is None:
        return ()
    try:
        return opened().page_terms(found.canonical)
    except IndexFault:  # what the index said of the page just now is told all the same
        return ()
