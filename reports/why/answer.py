"""Is it a result, and at which place? Else: at which step did it fall, and what would change that? One sentence each.

What stands on top of the page Why?, and first in the terminal. The steps are those that every result passes
(indexer/retrieval/absence.py); a page that only links tell of has passed fewer of them, and its steps say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.retrieval.absence import ResultStep
from reports.wording import sentence

if TYPE_CHECKING:
    from reports.why.dossier import Dossier
    from reports.why.index_entry import IndexEntry

_OF_A_QUESTION = {  # what a person can change about the question
    ResultStep.CONDITIONS: "Ask without that condition.",
    ResultStep.PHRASES: "Ask without the quotes.",
    ResultStep.OWN_PLACE: "A search among the similar pages of that result shows it for itself.",
    ResultStep.RANK: "More words that this page has, and others lack, bring it further up.",
}
_SKIPPED = frozenset({ResultStep.ALLOWED, ResultStep.FETCHED, ResultStep.KEPT, ResultStep.CURRENT})
WORDS_SHOWN = 3  # of the page, that could be asked for


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A step, whether the page passed it (None: it was not asked that far), and what that means, as a clause."""

    step: ResultStep
    passed: bool | None
    told: str


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """The answer in a sentence, what would change it (or empty), and the steps. `is_result`: for the question asked."""

    is_result: bool
    sentence: str
    remedy: str
    steps: tuple[StepTaken, ...]


def answer_of(found: Dossier, place: IndexEntry, words: tuple[str, ...] = ()) -> WhyAnswer:
    """Return the answer for what is known of a URL; `words` of the page are proposed where the question has none."""
    told = _is_result(found, place) if place.hit is not None else _is_none(found, place)
    return WhyAnswer(place.hit is not None, told, _remedy(found, place, words), _steps(found, place))


def _question(place: IndexEntry) -> str:
    return f"“{place.query}”" if place.was_asked else f"its own title, “{place.query}”"


def _is_result(found: Dossier, place: IndexEntry) -> str:
    rank = place.hit.rank if place.hit else 0
    where = "the only result" if place.total == 1 else f"result {rank:,} of {place.total:,}"
    alone = " by the words of links alone, as robots.txt forbids to fetch it" if found.link_only else ""
    if alone and not place.was_asked:
        return f"Yes, it is in the index{alone}: for the words of a link to it, “{place.query}”, it is {where}."
    return f"Yes, it is in the index{alone}: for {_question(place)}{'' if place.was_asked else ','} it is {where}."


def _is_none(found: Dossier, place: IndexEntry) -> str:
    if found.canonical is None and found.refusal is not None:
        return sentence(f"No, this is no address that can be fetched: {found.refusal.reason}")
    if place.fault:
        return sentence(f"Whether it is in the index can't be told: {place.fault}")
    if place.step is None:
        told = f"It is no result for {_question(place)}"
        return sentence(f"{told}: {place.absence}" if place.absence else told)
    at = f"it fell at the step “{place.step}”: {place.absence}"
    if place.terms is not None and place.step not in _SKIPPED:
        return sentence(f"It is in the index, but no result for {_question(place)}: {at}")
    return sentence(f"No, it is not in the index: {at}")


def _remedy(found: Dossier, place: IndexEntry, words: tuple[str, ...]) -> str:
    if place.hit is not None or place.fault:
        return ""
    if place.step is ResultStep.INDEXED:
        return "./breadcrumb index brings the index up to date."
    if place.step is None and place.absence:
        return "Ask with fewer words: there was no time for all of these."
    if place.step is ResultStep.WORDS:
        listed = ", ".join(f"“{word}”" for word in words[:WORDS_SHOWN])
        return f"Ask for words that tell it from other pages: {listed}." if listed else ""
    return _OF_A_QUESTION.get(place.step, found.advice) if place.step else found.advice


def _steps(found: Dossier, place: IndexEntry) -> tuple[StepTaken, ...]:
    if place.hit is None and place.step is None:
        return ()
    fell = list(ResultStep).index(place.step) if place.step else len(ResultStep)
    told = []
    for number, step in enumerate(ResultStep):
        if found.link_only and step in _SKIPPED and number != fell:
            told.append(StepTaken(step, None, "not asked: it may not be fetched, and only links tell of it"))
        elif number == fell:
            told.append(StepTaken(step, False, place.absence))
        elif number > fell:
            told.append(StepTaken(step, None, step.explanation))
        else:
            told.append(StepTaken(step, True, step.explanation))
    return tuple(told)
