"""Pages that can't be among the first results are neither scored nor examined: the results are those of doing both."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indexer
from indexer.query.deadline import Deadline
from indexer.query.parser import parse_query
from indexer.ranking.examination import Examination, least_of_best
from indexer.ranking.ranker import rank
from indexer.ranking.weights import Formula
from pages.text.layout import TextLines, with_lines
from urls.records import CanonicalUrl, Page
from urls.signals import Signal, SignalName

if TYPE_CHECKING:
    from indexer.ranking.ranker import Ranking
    from indexer.retrieval.searcher import Searcher

WORDS = ["rye", "oats", "corn", "wheat", "the", "of", "rest"]
PAGES = 150
HERE = "indexer.ranking.examination"
RANKER, EXAMINATION = "indexer.ranking.ranker", "indexer.ranking.examination"
EVERY = 10**6  # pages at first: all are examined at once


def written(dice: random.Random, most: int) -> str:
    return " ".join(dice.choices(WORDS, [1, 2, 3, 1, 8, 5, 30], k=dice.randint(1, most)))


def drawn(dice: random.Random, number: int, *, sections: bool) -> Page:
    """A page; some have a signal of spoofing, some are near copies, and half have `sections`."""
    page = Page(
        CanonicalUrl(f"http://site.test/{number}"),
        written(dice, 4),
        "",
        headings=(written(dice, 3),),
        anchors=(written(dice, 3),),
        language="en",
        signals=(Signal(SignalName.STUFFING, 0.5, "it repeats itself"),) if not number % 11 else (),
        cluster=number % 7 if not number % 3 else 0,
    )
    lines = [written(dice, length) for _ in range(dice.randint(1, 6)) for length in (3, 40)]
    begins = tuple((2 * place, 2, f"s{place}") for place in range(len(lines) // 2)) if sections and number % 2 else ()
    return with_lines(page, TextLines(tuple(lines), "ht" * (len(lines) // 2), (), begins))


@pytest.fixture(scope="module", params=[True, False], ids=["sections", "no sections"])
def searcher(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder, dice = tmp_path_factory.mktemp("examined"), random.Random(5)
    for numbers in (range(100), range(90, PAGES)):  # two segments; some pages of the first are replaced
        with indexer.open_writer(folder) as writer:
            for number in numbers:
                writer.put(drawn(dice, number, sections=request.param))
    return indexer.open_index(folder)


def shown(searcher: Searcher, query: str, limit: int, number: int) -> list[Any]:
    results = searcher.search(query, limit, number, exact=True)
    hits = [
        (hit.url, hit.score, hit.explain(), hit.rank, hit.similar, str(hit.snippet), hit.sections, hit.lacks)
        for hit in results.hits
    ]
    return [hits, results.total, results.folded, results.facets]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.sampled_from([0, 2]),
    st.sampled_from([(3, 1), (10, 1), (20, 1), (7, 3)]),
    st.sampled_from([(6, 2), (24, 12)]),
)
def test_the_results_are_those_of_examining_every_page(
    searcher: Searcher, words: list[str], quoted: int, page: tuple[int, int], few: tuple[int, int]
) -> None:
    query = f'"{" ".join(words[:quoted])}" {" ".join(words[quoted:])}' if quoted else " ".join(words)
    with patch(f"{HERE}.AT_FIRST", EVERY):
        expected = shown(searcher, query, *page)
    with patch(f"{HERE}.AT_FIRST", few[0]), patch(f"{HERE}.FIRST", few[1]):
        assert shown(searcher, query, *page) == expected


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, "-oats"]), min_size=1, max_size=5),
    st.sampled_from([0, 2, 3]),
    st.sampled_from([10, 20, 60]),  # more than `matching.ENOUGH` - 1
)
def test_the_scores_and_the_order_are_those_of_scoring_every_page(
    searcher: Searcher, words: list[str], quoted: int, looked_at: int
) -> None:
    query = f'"{" ".join(words[:quoted])}" {" ".join(words[quoted:])}' if quoted else " ".join(words)
    expected, ranking = ranked(searcher, query, looked_at, EVERY), ranked(searcher, query, looked_at, 0)
    assert ranking.total == expected.total
    assert [*ranking.best()] == [*expected.best()]
    assert ranking.scores.tolist() == expected.scores.tolist()


def ranked(searcher: Searcher, query: str, looked_at: int, few: int) -> Ranking:
    asked = parse_query(query, searcher.snapshot.languages)
    with patch(f"{EXAMINATION}.FEW", few), patch(f"{RANKER}.LOOKED_AT", looked_at), patch(f"{EXAMINATION}.SAMPLED", 2):
        return rank(asked, searcher.snapshot, Formula(), 0.0, Deadline())


def test_pages_that_cannot_be_among_the_first_are_not_scored(searcher: Searcher) -> None:
    ranking = ranked(searcher, "rye corn", 10, 0)
    scored = ~ranking.base.left
    assert 10 <= scored.sum() < ranking.total
    least = np.sort(ranking.base.scores[scored])[-10]
    assert (ranking.scores[ranking.answers & ~scored] < least).all()


def test_most_pages_are_not_examined_until_somebody_turns_the_page(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[Examination] = []
    begin = Examination.__init__

    def noted(self: Examination, *given: Any) -> None:
        begin(self, *given)
        examined.append(self)

    monkeypatch.setattr(Examination, "__init__", noted)
    first = searcher.search("rye corn", 5, exact=True).hits
    assert len(examined) == 1
    assert examined[0].reach > 0, "pages are left"
    assert min(hit.score for hit in first) >= round(examined[0].reach, 4)
    assert len(searcher.search("rye corn", 100, exact=True).hits) > len(first)
    assert examined[1].reach < 0, "none is left"


@given(st.integers(0, 700), st.integers(1, 60), st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_sample_of_the_scores_leaves_no_better_one_out(count: int, distinct: int, most: int, dice: Any) -> None:
    scores, most = [float(dice.randrange(distinct)) for _ in range(count)], min(most, count)
    least = sorted(scores, reverse=True)[most - 1] if most else 0.0
    assert least_of_best(np.array(scores), most) == least
