"""A score: its parts add up to it, rare words say more, and more of the same word counts less each time."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.retrieval.score import Formula, inverse_document_frequency, round_parts, saturation

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page


WORDS = ["rust", "compiler", "checker", "python", "sqlite", "index", "os.path", "the", "東京", "книга"]


@given(st.lists(st.floats(0, 1_000), max_size=40))
def test_rounded_parts_add_up_to_the_rounded_sum(values: list[float]) -> None:
    total, parts = round_parts(values)
    assert sum((Decimal(str(part)) for part in parts), Decimal(0)) == Decimal(str(total))
    assert abs(total - sum(values)) <= 0.00005 + 1e-9 * sum(values)
    assert all(abs(part - value) <= 0.0001 + 1e-9 * value for part, value in zip(parts, values, strict=True))


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
        shown = [line.split()[0] for line in score.lines()[:-1]]
        assert sum(map(Decimal, shown[1:]), Decimal(0)) == Decimal(shown[0])
        assert json.loads(json.dumps(score.as_dict()))["total"] == hit.score
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_an_explanation_names_term_field_and_every_factor(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    (hit,) = index(page("a", "python python", title="Python"), page("b", "rust")).search("python").hits
    in_fields = {part.field: part for part in hit.explain().parts}
    assert set(in_fields) == {"body", "title"}
    body = in_fields["body"]
    assert (body.term, body.frequency, body.field_length) == ("python", 2, 2)
    assert abs(body.value - body.term_weight * body.idf * body.saturation * body.share) < 0.0002
    assert "python in body: 2 x 1 in 2 words" in str(body)


def test_a_term_of_every_page_says_next_to_nothing_but_never_less() -> None:
    assert 0 < inverse_document_frequency(1_000, 1_000) < 0.001 < inverse_document_frequency(1_000, 10)


def test_more_of_the_same_word_counts_less_each_time() -> None:
    gains = [saturation(n + 1, 10, 10, Formula()) - saturation(n, 10, 10, Formula()) for n in range(10)]
    assert gains == sorted(gains, reverse=True)
    assert saturation(1_000, 10, 10, Formula()) < 1
