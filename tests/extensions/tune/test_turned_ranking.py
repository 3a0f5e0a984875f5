"""Which results move when a weight is turned, how far, and is the other searcher left as it was?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from extensions.tune.compared_rankings import compare_rankings, moved_hits
from indexer.evaluation import JudgedQuery
from indexer.query.deadline import Deadline
from indexer.ranking.weights import Formula, Weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.searcher import Searcher
    from urls.records import Page

BY_TEXT = Formula(Weights(title=0, title_said=0, url_words=0))
RYE_THEN_WHEAT = ["http://site.test/rye", "http://site.test/wheat"]


def two_breads(index: Callable[..., Searcher], page: Callable[..., Page]) -> Searcher:
    """One page is called bread, the other says it often."""
    return index(page("rye", "A loaf.", title="Bread"), page("wheat", "Bread, bread and more bread: bread."))


def test_results_are_told_with_their_place_in_the_other_list(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    saved = two_breads(index, page)
    turned = saved.ranked_by(BY_TEXT)
    before, after = (searcher.search("bread", 50).hits for searcher in (saved, turned))
    assert [hit.url for hit in before] == RYE_THEN_WHEAT
    assert [hit.url for hit in after] == RYE_THEN_WHEAT[1:], "its title counts nothing: it is no answer"
    assert [(each.place, each.other, each.up) for each in moved_hits(after, before)] == [(1, 2, 1)]
    assert [(each.place, each.other, each.up) for each in moved_hits(before, after)] == [(1, None, None), (2, 1, -1)]
    assert [hit.url for hit in saved.search("bread").hits] == RYE_THEN_WHEAT, "and the first searcher ranks as before"


def test_judged_questions_are_told_before_and_after_the_greatest_change_first(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    saved = two_breads(index, page)
    questions = [
        JudgedQuery("loaf", {RYE_THEN_WHEAT[0]: 1}),
        JudgedQuery("bread", {RYE_THEN_WHEAT[1]: 1}),
    ]
    judged = compare_rankings(saved, saved.ranked_by(BY_TEXT), questions, Deadline())
    assert [(turn.query, turn.after, turn.is_same) for turn in judged.queries] == [
        ("bread", 1.0, False),
        ("loaf", 1.0, True),
    ]
    assert judged.queries[0].before == 1 / math.log2(3), "the second place"
    assert (judged.after, judged.left_out) == (1.0, 0)
    late = compare_rankings(saved, saved, questions, Deadline(0))
    assert ([turn.query for turn in late.queries], late.left_out) == (["loaf"], 1)
