"""Which numbers of the ranking can be turned, how far, and what do they mean? A slider each, in groups.

A slider begins at the number that the gateway ranks by. It reaches twice as far where that number is beyond its usual
end, and goes in steps on which that number lies: a browser would move it to a step by itself.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from extension_points import added_weights
from gateway.inside.source_files import source_files_of
from gateway.search_request import MAX_QUERY, InvalidParameter, read_search_request
from gateway.served_crawl import served_crawl
from gateway.template_filters import public_error
from indexer import evaluation
from indexer.faults import IndexFault
from indexer.query.deadline import Deadline
from indexer.ranking import score, weights
from indexer.ranking.weights import MIN_HALF, NAMES, Formula, changes_in, weights_from
from indexer.retrieval.corpus import UnreadablePart
from indexer.retrieval.results import late_sentence
from indexer.whoosh_door import comparison
from indexer.whoosh_door.comparison import WhooshColumns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gateway.search_request import SearchRequest
    from gateway.served_crawl import ServedCrawl
    from indexer.evaluation import MovedHit, RankingComparison
    from indexer.ranking.demotion import Penalty
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher


MAX_NUMBER = 30  # characters; a float is written in fewer
PENALTY = "penalty"  # the slider of SPOOF_PENALTY; the others have the names of weights
_STEPS = (0.1, 0.05, 0.01)
_GROUPS: Mapping[str, Mapping[str, tuple[str, float, float]]] = {  # name: what it means, from, to
    "What a page says": {
        "body": ("main text", 0, 5),
        "headings": ("headings", 0, 5),
        "title_said": ("title, as a sentence of the text", 0, 5),
        "description": ("description", 0, 5),
        "reading": ("how its Japanese is spoken", 0, 5),
        "spoken": ("most that a reading gives", 0, 5),
        "template": ("menus, header, footer", 0, 5),
    },
    "What it is called": {
        "title": ("title", 0, 5),
        "anchors": ("words of links to it", 0, 5),
        "url_words": ("words of its address", 0, 5),
        "name": ("most that a name gives", 0, 5),
        "sentence_name": ("the same for a question that is a sentence", 0, 5),
    },
    "Saturation (k1): so often gives half of the most": {
        "said": ("of what it says", MIN_HALF, 5),
        "called": ("of what it is called", MIN_HALF, 5),
    },
    "Words that stand together": {
        "near_text": ("in the text", 0, 5),
        "near_name": ("in title, links, address", 0, 5),
        "near": ("how much nearness gives half of the most", MIN_HALF, 5),
    },
    "The page, whatever the words": {
        "pagerank": ("PageRank", 0, 2),
        "entrance": ("first page of the site that is named", 0, 5),
        "all_words": ("it has all words", 0, 2),
        "other_form": ("another form of a word, beside 1 for the word", 0, 2),
        "sentence_form": ("the same for a question that is a sentence", 0, 2),
        "language": ("the question's language", 0, 2),
        PENALTY: ("what a sign of spoofing takes", 0, 1),
    },
    "Length (b): a longer field must say it more often": {
        "body_length": ("main text", 0, 1),
        "headings_length": ("headings", 0, 1),
        "title_length": ("title", 0, 1),
        "anchors_length": ("words of links", 0, 1),
        "url_words_length": ("address", 0, 1),
        "description_length": ("description", 0, 1),
        "reading_length": ("how its Japanese is spoken", 0, 1),
        "template_length": ("menus, header, footer", 0, 1),
    },
}


@dataclass(frozen=True, slots=True)
class Slider:
    """One number of the ranking: what it is now, what the gateway ranks by, and between which ends it is turned."""

    name: str
    meaning: str
    least: float
    most: float
    step: str
    value: float
    saved: float


@dataclass(frozen=True, slots=True)
class SliderGroup:
    """Sliders that belong together."""

    title: str
    sliders: tuple[Slider, ...]

    @property
    def is_changed(self) -> bool:
        """Whether one of them is."""
        return any(each.value != each.saved for each in self.sliders)


def tuned_formula(saved: Formula, parameters: Mapping[str, str]) -> Formula:
    """Return the formula that the parameters of a request make of the saved one, for this request alone.

    Raises InvalidParameter for a number that can't hold.
    """
    given = [f"{name}={parameters[name].strip()[:MAX_NUMBER]}" for name in NAMES if parameters.get(name, "").strip()]
    try:
        weights = weights_from([*changes_in(saved.weights), *given])
    except ValueError as error:
        raise InvalidParameter(str(error)) from None
    return replace(saved, weights=weights, penalty=_penalty(saved.penalty, parameters.get(PENALTY, "").strip()))


def _penalty(saved: Penalty, text: str) -> Penalty:
    if not text:
        return saved
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidParameter(
            f"{PENALTY}={text[:MAX_NUMBER]}: give a share of a score from 0, nothing, to 1, all of it"
        )
    return replace(saved, share=share)


def slider_groups(saved: Formula, turned: Formula) -> tuple[SliderGroup, ...]:
    """Return all sliders as they stand; what an extension adds to scores has one where it does."""
    contributors = {each.name for each in saved.contributors}
    groups = dict(_GROUPS) | {
        each.name.capitalize(): {each.name: (each.label, 0, each.most)}
        for each in added_weights()
        if each.name in contributors
    }
    return tuple(
        SliderGroup(title, tuple(_slider(name, *told, saved, turned) for name, told in some.items()))
        for title, some in groups.items()
    )


def _slider(name: str, meaning: str, least: float, most: float, saved: Formula, turned: Formula) -> Slider:
    before, now = _number(saved, name), _number(turned, name)
    while most < max(before, now):
        most *= 2
    least = min(least, before, now)
    step = next((each for each in _STEPS if all(_is_on(value, each, least) for value in (before, now))), None)
    return Slider(name, meaning, least, most, f"{step:g}" if step else "any", now, before)


def _is_on(value: float, step: float, least: float) -> bool:
    steps = (value - least) / step
    return abs(steps - round(steps)) < 1e-6  # noqa: PLR2004 - the error of a division


def _number(formula: Formula, name: str) -> float:
    return formula.penalty.share if name == PENALTY else float(getattr(formula.weights, name))


def changes(saved: Formula, turned: Formula) -> dict[str, str]:
    """Return the parameters that make the turned formula of the saved one."""
    sliders = (each for group in slider_groups(saved, turned) for each in group.sliders)
    return {each.name: f"{each.value!r}".removesuffix(".0") for each in sliders if each.value != each.saved}


def settings_for(saved: Formula, turned: Formula) -> Iterator[str]:
    """Yield the settings, as NAME=VALUE, under which every search ranks by the turned formula."""
    if turned.weights != saved.weights:
        yield f"RANKING={','.join(changes_in(turned.weights))}"
    if turned.penalty != saved.penalty:
        yield f"SPOOF_PENALTY={turned.penalty.share!r}".removesuffix(".0")


TURNS_SHOWN = 30  # judged questions whose nDCG changes, of the greatest changes

IN_CLUSTER = (
    "Whoosh's columns are missing: the index is in OpenSearch, and Whoosh's formulas read the index of a data folder."
)
NARROWED = "Whoosh's columns are missing: they rank the whole index. Search without a site or language to see them."

ranking_view = Blueprint("inside_ranking", __name__)


@dataclass(frozen=True, slots=True)
class ComparedRankings:
    """The first results by the saved ranking, by the turned one and by Whoosh's formulas.

    `grades` are those of the query where it is judged, `notice` tells what there was no time for.
    """

    saved: list[MovedHit]
    turned: list[MovedHit]
    total: int
    saved_ends: bool  # all results of the saved ranking were looked at
    turned_ends: bool
    whoosh: WhooshColumns
    grades: Mapping[str, int] | None
    notice: str

    @property
    def is_same(self) -> bool:
        """Whether the same results stand in the same places."""
        return [each.hit.url for each in self.saved] == [each.hit.url for each in self.turned]

    def ndcg(self, hits: list[MovedHit]) -> float | None:
        """Return the nDCG@10 of a list; None where nobody judged the query."""
        return None if self.grades is None else evaluation.ndcg([each.hit.url for each in hits], self.grades)


@ranking_view.get("/inside/ranking")
def inside_ranking() -> Response:
    """Show the results of `q` by the saved ranking, by what the other parameters make of it, and by Whoosh's formulas.

    With `format=json` as an object.
    """
    crawl = served_crawl()
    question = read_search_request(request.args)
    saved = crawl.settings.formula
    turned = tuned_formula(saved, request.args)
    changed = changes(saved, turned)
    searcher, seconds = crawl.searcher, crawl.settings.search_timeout
    other = searcher.ranked_by(turned)
    judged = crawl.settings.judgements
    lists = _lists(crawl, other, question, Deadline(seconds)) if not question.is_empty else None
    verdict = evaluation.compare_rankings(searcher, other, judged, Deadline(seconds)) if judged and changed else None
    if request.args.get("format") == "json":
        kept_by = settings_for(saved, turned)
        return jsonify(query=question.query, changed=changed, kept_by=list(kept_by), **_as_dict(lists, verdict))
    page = render_template(
        "inside/ranking.html",
        question=question,
        max_query=MAX_QUERY,
        groups=slider_groups(saved, turned),
        changed=changed,
        changes=urlencode(changed),
        kept_by=tuple(settings_for(saved, turned)),
        lists=lists,
        looked_at=evaluation.LOOKED_AT,
        judged=judged,
        verdict=verdict,
        turns_shown=TURNS_SHOWN,
        sources=source_files_of(score, weights, evaluation, comparison),
    )
    return make_response(page)


def _lists(crawl: ServedCrawl, other: Searcher, question: SearchRequest, deadline: Deadline) -> ComparedRankings:
    total, before = _found(crawl.searcher, question, deadline)
    _, after = _found(other, question, deadline)
    saved, turned = evaluation.moved_hits(before, after), evaluation.moved_hits(after, before)
    most = evaluation.LOOKED_AT
    grades = next((judged.grades for judged in crawl.settings.judgements if judged.text == question.query), None)
    whoosh = _by_whoosh(crawl, question, before, grades, deadline)
    ends = len(before) < most, len(after) < most
    return ComparedRankings(saved, turned, total, *ends, whoosh, grades, late_sentence(deadline))


def _by_whoosh(
    crawl: ServedCrawl,
    question: SearchRequest,
    ours: tuple[Hit, ...],
    grades: Mapping[str, int] | None,
    deadline: Deadline,
) -> WhooshColumns:
    """Return the columns of Whoosh's formulas, or why there are none: our own lists stand without them."""
    if crawl.searcher.elsewhere:
        return WhooshColumns(missing=IN_CLUSTER)
    if question.narrowed:
        return WhooshColumns(missing=NARROWED)
    try:
        urls = [hit.url for hit in ours]
        return comparison.whoosh_columns(crawl.whoosh_index, question.query, urls, grades, deadline)
    except (IndexFault, UnreadablePart) as fault:
        return WhooshColumns(missing=f"Whoosh's columns are missing: {public_error(str(fault))}")


def _found(searcher: Searcher, question: SearchRequest, deadline: Deadline) -> tuple[int, tuple[Hit, ...]]:
    results = searcher.search(
        question.query,
        evaluation.LOOKED_AT,
        site=question.site,
        language=question.language,
        exact=question.exact,
        deadline=deadline,
    )
    return results.total, results.hits


def _as_dict(lists: ComparedRankings | None, verdict: RankingComparison | None) -> dict[str, Any]:
    """Return the lists and what judged questions say, for JSON; of what is not there None."""
    told: dict[str, Any] = {"total": None, "saved": None, "turned": None, "whoosh": None, "notice": "", "judged": None}
    if lists:
        told |= {"total": lists.total, "notice": lists.notice, "whoosh": asdict(lists.whoosh)}
        told |= {name: _list_as_dict(lists, getattr(lists, name)) for name in ("saved", "turned")}
    if verdict:
        told["judged"] = {
            "questions": len(verdict.queries),
            "left_out": verdict.left_out,
            "before": verdict.before,
            "after": verdict.after,
        }
    return told


def _list_as_dict(lists: ComparedRankings, hits: list[MovedHit]) -> dict[str, Any]:
    pages = [
        {
            "url": each.hit.url,
            "title": each.hit.title,
            "place": each.place,
            "score": each.hit.score,
            "other": each.other,
        }
        for each in hits
    ]
    return {"pages": pages, "ndcg": lists.ndcg(hits)}
