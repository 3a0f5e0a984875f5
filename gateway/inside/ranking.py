"""What if something else counted? The saved list beside the one that turned weights give, and the setting to keep it.

    /inside/ranking?q=rye+bread&anchors=0&penalty=0.5

Each request has a formula of its own: nobody else's results move. The same query is also ranked by Whoosh's formulas.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from gateway.inside.sliders import changes, settings_that_keep, slider_groups, turned_formula
from gateway.inside.source_files import computed_by
from gateway.searching.question import MAX_QUERY, read_question
from gateway.served_crawl import served_crawl
from gateway.template_filters import fault_in_words
from indexer import evaluation
from indexer.faults import IndexFault
from indexer.query.deadline import Deadline
from indexer.ranking import score, weights
from indexer.retrieval.corpus import UnreadablePart
from indexer.retrieval.results import late_sentence
from indexer.whoosh_door import comparison
from indexer.whoosh_door.comparison import WhooshColumns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gateway.searching.question import Question
    from gateway.served_crawl import ServedCrawl
    from indexer.evaluation import MovedHit, RankingComparison
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

TURNS_SHOWN = 30  # judged questions whose nDCG changes, of the greatest changes

IN_CLUSTER = (
    "Whoosh's columns are missing: the index is in OpenSearch, and Whoosh's formulas read the index of a data folder."
)
NARROWED = "Whoosh's columns are missing: they rank the whole index. Search without a site or language to see them."

ranking_view = Blueprint("inside_ranking", __name__)


@dataclass(frozen=True, slots=True)
class TurnedLists:
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
    question = read_question(request.args)
    saved = crawl.settings.formula
    turned = turned_formula(saved, request.args)
    changed = changes(saved, turned)
    searcher, seconds = crawl.searcher, crawl.settings.search_timeout
    other = searcher.ranked_by(turned)
    judged = crawl.settings.judgements
    lists = _lists(crawl, other, question, Deadline(seconds)) if not question.is_empty else None
    verdict = evaluation.compare_rankings(searcher, other, judged, Deadline(seconds)) if judged and changed else None
    if request.args.get("format") == "json":
        kept_by = settings_that_keep(saved, turned)
        return jsonify(query=question.query, changed=changed, kept_by=list(kept_by), **_as_dict(lists, verdict))
    page = render_template(
        "inside/ranking.html",
        question=question,
        max_query=MAX_QUERY,
        groups=slider_groups(saved, turned),
        changed=changed,
        changes=urlencode(changed),
        kept_by=tuple(settings_that_keep(saved, turned)),
        lists=lists,
        looked_at=evaluation.LOOKED_AT,
        judged=judged,
        verdict=verdict,
        turns_shown=TURNS_SHOWN,
        sources=computed_by(score, weights, evaluation, comparison),
    )
    return make_response(page)


def _lists(crawl: ServedCrawl, other: Searcher, question: Question, deadline: Deadline) -> TurnedLists:
    total, before = _found(crawl.searcher, question, deadline)
    _, after = _found(other, question, deadline)
    saved, turned = evaluation.moved_hits(before, after), evaluation.moved_hits(after, before)
    most = evaluation.LOOKED_AT
    grades = next((judged.grades for judged in crawl.settings.judgements if judged.text == question.query), None)
    whoosh = _by_whoosh(crawl, question, before, grades, deadline)
    ends = len(before) < most, len(after) < most
    return TurnedLists(saved, turned, total, *ends, whoosh, grades, late_sentence(deadline))


def _by_whoosh(
    crawl: ServedCrawl,
    question: Question,
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
        return comparison.whoosh_columns(crawl.door, question.query, urls, grades, deadline)
    except (IndexFault, UnreadablePart) as fault:
        return WhooshColumns(missing=f"Whoosh's columns are missing: {fault_in_words(str(fault))}")


def _found(searcher: Searcher, question: Question, deadline: Deadline) -> tuple[int, tuple[Hit, ...]]:
    results = searcher.search(
        question.query,
        evaluation.LOOKED_AT,
        site=question.site,
        language=question.language,
        exact=question.exact,
        deadline=deadline,
    )
    return results.total, results.hits


def _as_dict(lists: TurnedLists | None, verdict: RankingComparison | None) -> dict[str, Any]:
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


def _list_as_dict(lists: TurnedLists, hits: list[MovedHit]) -> dict[str, Any]:
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
