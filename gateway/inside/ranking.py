"""What if something else counted? The saved list beside the one that turned weights give, and the setting to keep it.

    /inside/ranking?q=rye+bread&anchors=0&penalty=0.5

Each request has a formula of its own: nobody else's results move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from gateway.inside.sliders import changes, settings_that_keep, slider_groups, turned_formula
from gateway.inside.source_files import computed_by
from gateway.searching.question import MAX_QUERY, read_question
from gateway.served_crawl import served_crawl
from indexer.evaluation import judgements, turned_ranking
from indexer.question.deadline import Deadline
from indexer.ranking import score, weights
from indexer.retrieval.results import late_sentence

if TYPE_CHECKING:
    from gateway.searching.question import Question
    from indexer.evaluation.turned_ranking import MovedHit
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

TURNS_SHOWN = 30  # judged questions whose nDCG changes, of the greatest changes

ranking_view = Blueprint("inside_ranking", __name__)


@dataclass(frozen=True, slots=True)
class TurnedLists:
    """The first results by the saved ranking and by the turned one; `notice` tells what there was no time for."""

    saved: list[MovedHit]
    turned: list[MovedHit]
    total: int
    saved_ends: bool  # all results of the saved ranking were looked at
    turned_ends: bool
    notice: str

    @property
    def is_same(self) -> bool:
        """Whether the same results stand in the same places."""
        return [each.hit.url for each in self.saved] == [each.hit.url for each in self.turned]


@ranking_view.get("/inside/ranking")
def inside_ranking() -> str:
    """Show the results of `q` by the saved ranking, and by what the other parameters make of it."""
    crawl = served_crawl()
    question = read_question(request.args)
    saved = crawl.settings.formula
    turned = turned_formula(saved, request.args)
    changed = changes(saved, turned)
    searcher, seconds = crawl.searcher, crawl.settings.search_timeout
    other = searcher.ranked_by(turned)
    lists = _lists(searcher, other, question, seconds) if not question.is_empty else None
    judged = crawl.settings.judgements
    verdict = turned_ranking.judge_turn(searcher, other, judged, Deadline(seconds)) if judged and changed else None
    return render_template(
        "inside/ranking.html",
        question=question,
        max_query=MAX_QUERY,
        groups=slider_groups(saved, turned),
        changed=changed,
        changes=urlencode(changed),
        kept_by=tuple(settings_that_keep(saved, turned)),
        lists=lists,
        looked_at=turned_ranking.LOOKED_AT,
        judged=judged,
        verdict=verdict,
        turns_shown=TURNS_SHOWN,
        sources=computed_by(score, weights, turned_ranking, judgements),
    )


def _lists(searcher: Searcher, other: Searcher, question: Question, seconds: float) -> TurnedLists:
    deadline = Deadline(seconds)
    total, before = _found(searcher, question, deadline)
    _, after = _found(other, question, deadline)
    saved, turned = turned_ranking.moved_hits(before, after), turned_ranking.moved_hits(after, before)
    most = turned_ranking.LOOKED_AT
    return TurnedLists(saved, turned, total, len(before) < most, len(after) < most, late_sentence(deadline))


def _found(searcher: Searcher, question: Question, deadline: Deadline) -> tuple[int, tuple[Hit, ...]]:
    results = searcher.search(
        question.query,
        turned_ranking.LOOKED_AT,
        site=question.site,
        language=question.language,
        exact=question.exact,
        deadline=deadline,
    )
    return results.total, results.hits
