"""A score: its parts add up to it, rare words say more, and more of the same word counts less each time."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.query.deadline import Deadline
from indexer.query.parser import parse_query
from indexer.ranking.examination import ROUNDING, BaseScores
from indexer.ranking.ranker import rank
from indexer.ranking.score import (
    inverse_document_frequency,
    parts_in_words,
    round_parts,
    saturation,
)
from indexer.ranking.weights import Formula
from indexer.segments.snapshot import IndexReader, length_norm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from urls.records import Page


WORDS = ["rust", "compiler", "checker", "python", "sqlite", "index", "os.path", "the", "東京", "книга"]


@given(st.lists(st.floats(0, 1_000), max_size=40))
def test_rounded_parts_add_up_to_the_rounded_sum(values: list[float]) -> None:
    total, parts = round_parts(values)
    assert sum((Decimal(str(part)) for part in parts), Decimal(0)) == Decimal(str(total))
    assert abs(total - sum(values)) <= 0.00005 + 1e-9 * sum(values)
    assert all(abs(part - value) <= 0.0001 + 1e-9 * value for part, value in zip(parts, values, strict=True))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_parts_of_each_score_add_up_to_it_to_the_last_digit(
    index: Callable[..., Any], page: Callable[..., Page], words: list[str], random: Any
) -> None:
    pages = [
        page(
            str(number),
            " ".join(random.choices(WORDS, k=random.randint(1, 60))),
            title=" ".join(random.choices(WORDS, k=3)),
            headings=tuple(random.choices(WORDS, k=2)),
            anchors=tuple(random.choices(WORDS, k=2)),
        )
        for number in range(6)
    ]
    hits = index(*pages).search(" ".join(words)).hits
    for hit in hits:
        score = hit.explain()
        assert (
            sum((Decimal(str(part.value)) for part in score.parts), Decimal(0))
            == Decimal(str(hit.score))
            == score.value
        )
        shown = [line.split()[0] for line in score.lines()]
        assert sum(map(Decimal, shown[1:]), Decimal(0)) == Decimal(shown[0])
        assert json.loads(json.dumps(score.as_dict()))["total"] == hit.score
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_an_explanation_names_term_field_and_every_factor(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    (hit,) = index(page("a", "python python", title="Python"), page("b", "rust")).search("python").hits
    in_fields = {part.field: part for part in hit.explain().parts}
    assert set(in_fields) == {"body", "title"}
    body = in_fields["body"]
    assert (body.term, body.frequency, body.field_length) == ("python", 2, 2)
    for part in in_fields.values():
        assert abs(part.value - part.term_weight * part.idf * part.most * part.saturation * part.share) < 0.0002
    assert "python in body: 2 x 1 in 2 words, mean 1.5; weight 1 x idf" in str(body)


def test_a_term_of_every_page_says_next_to_nothing_but_never_less() -> None:
    assert 0 < inverse_document_frequency(1_000, 1_000) < 0.001 < inverse_document_frequency(1_000, 10)


def test_more_of_the_same_word_counts_less_each_time() -> None:
    gains = [saturation(n + 1.0, 1.2) - saturation(float(n), 1.2) for n in range(10)]
    assert gains == sorted(gains, reverse=True)
    assert saturation(1_000.0, 1.2) < 1


def test_a_length_counts_as_much_as_it_is_told_to() -> None:
    assert length_norm(10.0, 10.0, 0.7) == pytest.approx(1)
    assert [length_norm(20.0, 10.0, share) for share in (0.0, 0.5, 1.0)] == [1, 1.5, 2]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(st.sampled_from([*WORDS, '"rust compiler"', "-sqlite", "lang:en"]), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_what_is_explained_is_what_was_ranked_by(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path, words: list[str], random: Any
) -> None:
    def some(most: int) -> str:
        return " ".join(random.choices(WORDS, k=random.randint(1, most)))

    for _ in range(2):  # segments
        index(
            *(
                page(
                    str(random.randint(0, 9)),
                    some(40),
                    title=some(3),
                    anchors=(some(2),),
                    template_text=some(3),
                    language=language,
                )
                for language in ("en", "ru", "")
            ),
            page("", some(20), title=some(2)),
        )
    snapshot = IndexReader(tmp_path).current()
    query = parse_query(" ".join(words), snapshot.languages)
    ranking = rank(query, snapshot, Formula(), 0.0, Deadline())
    base = BaseScores(ranking.terms, ranking.priors, snapshot.size)
    base.score(np.arange(snapshot.size))
    bounds, unit = base.bounds()
    assert (bounds * unit * (1 + ROUNDING) >= base.scores).all()
    for number in ranking.best():
        score = ranking.explain(number)
        ranked = float(ranking.scores[number])
        assert sum((Decimal(str(part.value)) for part in score.parts), Decimal(0)) == score.value
        assert abs(ranked - score.total) <= 0.00005 + 1e-9


@pytest.mark.parametrize(
    ("question", "term", "told"),
    [
        pytest.param("send email", "send", "weight 1 x idf", id="a word of the query"),
        pytest.param("email email", "email", "weight 2 (2 x 1 for “email”) x idf", id="typed twice"),
        pytest.param("emails email", "emails", "weight 2 (1 for “emails”, 1 for “email”) x idf", id="in two forms"),
        pytest.param("send-email", "email", "weight 0.5 (0.5 for a part of “send-email”) x idf", id="a part of a word"),
        pytest.param(
            "sendwith",
            "send",
            "weight 1 (1 for a part of “sendwith”, which no page has) x idf",
            id="a part of a word that no page has",
        ),
    ],
)
def test_a_weight_says_how_it_comes_about(
    index: Callable[..., Any], page: Callable[..., Page], question: str, term: str, told: str
) -> None:
    score = index(page("a", "how to send email with sendemail")).search(question, exact=True).hits[0].explain()
    lines = [str(part) for part in score.words if part.term == term]
    assert lines
    assert all(told in line for line in lines)
    assert "weight (1 for a word that was typed once, else with its reasons) x idf" in parts_in_words([score])
