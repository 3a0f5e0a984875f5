"""Is the page a result for a query, and at which rank? If not: which step failed, and what would change that?

The steps are those that every result passes (indexer/retrieval/absence.py). The terminal and the browser use the same
texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from indexer.faults import UPDATE, IndexFault, NoIndex
from indexer.query.deadline import Deadline
from indexer.retrieval.absence import Absence, ResultStep
from indexer.retrieval.results import late_sentence
from reports.wording import meaning_of_rule, sentence
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.page_terms import LinkStanding
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher
    from reports.why.record import UrlRecord

MAX_RESULTS_LOOKED_AT = 1_000  # are looked through for the page in question; beyond, nobody asks why
MAX_QUERY = 1_000  # characters of a title that is asked for


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """`terms` is None where the index does not have the page, `hit` where it is not among the first results.

    `absence` says why there is no hit, as a clause; `lateness` what there was no time for, as a sentence.
    """

    query: str
    terms: tuple[tuple[str, int], ...] | None = None
    total: int = 0
    hit: Hit | None = None
    absence: str = ""
    step: ResultStep | None = None  # at which it fell
    lateness: str = ""
    was_asked: bool = True  # whether the question is a person's, and not the page's own title
    standing: LinkStanding | None = None  # by the links to it, as the index knows them
    fault: str = ""  # why the index can't be read

    def as_dict(self) -> dict[str, Any] | None:
        """Return it for JSON; None if there was no query, or the index lacks the page."""
        late = {"lateness": self.lateness} if self.lateness else {}
        if self.hit is not None:
            found = {"place": self.hit.rank, "score": self.hit.score, "explain": self.hit.explain().as_dict()}
            return {"query": self.query, "total": self.total} | found | late
        if self.terms is None and not self.was_asked:
            return None
        rank = {"query": self.query, "total": self.total, "place": None, "absence": self.absence}
        return rank | ({"step": self.step.value} if self.step else {}) | late

    @property
    def passed(self) -> tuple[ResultStep, ...]:
        """The steps that it passed before it fell."""
        return Absence(self.step, self.absence).passed if self.step else ()


def index_entry(
    opened: Callable[[], Searcher],
    found: UrlRecord,
    query: str = "",
    *,
    deadline: Deadline | None = None,
    in_words: Callable[[Exception], str] = str,
    **where: Unpack[SearchFilters],
) -> IndexEntry:
    """Find a page among the results of a query, by default of its own title.

    `opened` returns the searcher. If it raises IndexFault, the entry has the fault `in_words`.
    """
    page, end = found.page, deadline or Deadline()
    own = page.title if page else "".join(found.link_only[:1])
    entry = partial(IndexEntry, query or own[:MAX_QUERY], was_asked=bool(query))
    fallen = None if found.link_only else _before_the_index(found)
    if found.canonical is None or not (page or found.link_only):
        return _at(entry, fallen)
    try:
        searcher = opened()
        stored = searcher.stored(found.canonical)
        terms = stored.terms if stored else None
        entry = partial(entry, standing=searcher.standing(found.canonical))
    except NoIndex:
        return _at(entry, fallen or Absence(ResultStep.INDEXED, "there is no index yet"))
    except IndexFault as error:
        fault = in_words(error)
        return entry(absence=f"the index can't be read: {fault}", fault=fault)
    if fallen is not None:  # the index may not have followed yet: a search hides it all the same
        return _at(entry, fallen)
    if terms is None:
        return _at(entry, Absence(ResultStep.INDEXED, "it is not in the index yet"))
    return _in_the_index(searcher, partial(entry, terms=terms), found.canonical, where, end)


def _in_the_index(
    searcher: Searcher, entry: Callable[..., IndexEntry], url: str, where: SearchFilters, end: Deadline
) -> IndexEntry:
    """Look for a page that the index has."""
    asked = entry().query
    total, hit = searcher.find_hit(url, asked, MAX_RESULTS_LOOKED_AT, deadline=end, **where)
    entry = partial(entry, total=total, lateness=late_sentence(end))
    if hit is not None and not hit.under:
        return entry(hit=hit)
    if hit is not None:
        above = f"result {hit.rank}, {hit.under}, a near copy that matches better"
        return _at(entry, Absence(ResultStep.OWN_PLACE, f"it is under {above}"))
    if end.left_out:
        return entry(absence="it was not found before the time limit")
    absence = searcher.reason_absent(url, asked, **where)
    copies = searcher.copies(url) if absence.step is ResultStep.RANK else ()
    if copies:
        absence = Absence(ResultStep.OWN_PLACE, f"an exact copy ranks above it: {', '.join(copies)}")
    return _at(entry, absence)


def _at(entry: Callable[..., IndexEntry], fallen: Absence | None) -> IndexEntry:
    return entry(absence=fallen.reason, step=fallen.step) if fallen else entry()


def _before_the_index(found: UrlRecord) -> Absence | None:
    """Return at which step of the crawl a URL fell; None where it may be a result."""
    if found.page is not None:
        hidden = found.page.hidden
        step = ResultStep.CURRENT if hidden is not None and hidden.rule == Rule.EXPIRED else ResultStep.KEPT
        return Absence(step, f"{hidden.reason} ({hidden.rule})") if hidden else None
    if not found.discovered:
        refused = f", and would reject it: {found.refusal.reason} ({found.refusal.rule})" if found.refusal else ""
        return Absence(ResultStep.KNOWN, f"the crawl does not know it{refused}")
    if found.state in {"queued", "leased"}:
        waits = "it waits to be fetched again" if found.fetches else "it is not fetched yet"
        return Absence(ResultStep.FETCHED, waits)
    if found.moved_to and found.state == "done":  # and no loop
        return Absence(ResultStep.FETCHED, f"it leads to {found.moved_to}")
    meaning = meaning_of_rule(found.rule or "", "no page of it is stored")
    reason = next((entry.reason for entry in reversed(found.journal) if entry.rule == found.rule), meaning)
    step = ResultStep.ALLOWED if found.state == "suppressed" else ResultStep.FETCHED
    return Absence(step, f"{reason} ({found.rule})" if found.rule else reason)


_OF_A_QUESTION = {  # what a person can change about the question
    ResultStep.CONDITIONS: "Search without that condition.",
    ResultStep.PHRASES: "Search without the quotes.",
    ResultStep.OWN_PLACE: "A search among the similar pages of that result shows it.",
    ResultStep.RANK: "Add words that this page has and others lack.",
}
_SKIPPED = frozenset({ResultStep.ALLOWED, ResultStep.FETCHED, ResultStep.KEPT, ResultStep.CURRENT})
WORDS_SHOWN = 3  # of the page, that could be asked for


@dataclass(frozen=True, slots=True)
class PassedStep:
    """A step, whether the page passed it (None: not checked), and the reason as a clause."""

    step: ResultStep
    passed: bool | None
    told: str


@dataclass(frozen=True, slots=True)
class ResultStatus:
    """The result as a sentence, what would change it (or ""), and the steps. `is_result`: for this query."""

    is_result: bool
    sentence: str
    remedy: str
    steps: tuple[PassedStep, ...]


def result_status(found: UrlRecord, place: IndexEntry, words: tuple[str, ...] = ()) -> ResultStatus:
    """Return the answer for what is known of a URL; `words` of the page are proposed where the question has none."""
    reason = _is_result(found, place) if place.hit is not None else _is_none(found, place)
    return ResultStatus(place.hit is not None, reason, _remedy(found, place, words), _steps(found, place))


def _question(place: IndexEntry) -> str:
    return f"“{place.query}”" if place.was_asked else f"its own title, “{place.query}”"


def _is_result(found: UrlRecord, place: IndexEntry) -> str:
    rank = place.hit.rank if place.hit else 0
    where = "the only result" if place.total == 1 else f"result {rank:,} of {place.total:,}"
    alone = " only by the text of links, because robots.txt disallows it" if found.link_only else ""
    if alone and not place.was_asked:
        return f"Yes, it is in the index{alone}: for the words of a link to it, “{place.query}”, it is {where}."
    return f"Yes, it is in the index{alone}: for {_question(place)}{'' if place.was_asked else ','} it is {where}."


def _is_none(found: UrlRecord, place: IndexEntry) -> str:
    if found.canonical is None and found.refusal is not None:
        return sentence(f"No, this URL can't be fetched: {found.refusal.reason}")
    if place.fault:
        return sentence(f"The index can't be read: {place.fault}")
    if place.step is None:
        result = f"It is no result for {_question(place)}"
        return sentence(f"{result}: {place.absence}" if place.absence else result)
    at = f"it failed at the step “{place.step}”: {place.absence}"
    if place.terms is not None and place.step not in _SKIPPED:
        return sentence(f"It is in the index, but no result for {_question(place)}: {at}")
    return sentence(f"No, it is not in the index: {at}")


def _remedy(found: UrlRecord, place: IndexEntry, words: tuple[str, ...]) -> str:
    if place.hit is not None or place.fault:
        return ""
    if place.step is ResultStep.INDEXED:
        return f"{UPDATE} updates the index."
    if place.step is None and place.absence:
        return "Search with fewer words: there was no time for all of these."
    if place.step is ResultStep.WORDS:
        listed = ", ".join(f"“{word}”" for word in words[:WORDS_SHOWN])
        return f"Search for words that distinguish it from other pages: {listed}." if listed else ""
    return _OF_A_QUESTION.get(place.step, found.advice) if place.step else found.advice


def _steps(found: UrlRecord, place: IndexEntry) -> tuple[PassedStep, ...]:
    if place.hit is None and place.step is None:
        return ()
    fell = list(ResultStep).index(place.step) if place.step else len(ResultStep)
    steps = []
    for number, step in enumerate(ResultStep):
        if found.link_only and step in _SKIPPED and number != fell:
            steps.append(PassedStep(step, None, "not checked: robots.txt disallows it, and only links describe it"))
        elif number == fell:
            steps.append(PassedStep(step, False, place.absence))
        elif number > fell:
            steps.append(PassedStep(step, None, step.explanation))
        else:
            steps.append(PassedStep(step, True, step.explanation))
    return tuple(steps)
