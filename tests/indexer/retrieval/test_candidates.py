"""The ranking against a second, plain computation of the formula at the head of `indexer/retrieval/score.py`."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import pytest

from indexer.retrieval.score import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
PARTS = {"title": 3, "text": 30, "description": 4}


def plain_scores(pages: list[dict[str, str]], query: list[str]) -> list[float]:
    weights = {"title": WEIGHTS["title"], "text": WEIGHTS["body"], "description": WEIGHTS["description"]}  # type: ignore[index]  # an object there
    length = [sum(w * len(page[f].split()) for f, w in weights.items()) for page in pages]
    mean = sum(length) / len(pages)
    scores = [0.0] * len(pages)
    for word in query:
        n = sum(any(word in page[f].split() for f in weights) for page in pages)
        idf = math.log(1 + (len(pages) - n + 0.5) / (n + 0.5))
        for place, page in enumerate(pages):
            f = sum(w * page[name].split().count(word) for name, w in weights.items())
            scores[place] += idf * f / (f + 1.2 * (1 - 0.75 + 0.75 * length[place] / mean))
    return scores


def make(seed: int) -> list[dict[str, str]]:
    dice = random.Random(seed)
    return [{f: " ".join(dice.choices(WORDS, k=dice.randint(1, n))) for f, n in PARTS.items()} for _ in range(8)]


def as_pages(page: Callable[..., Page], texts: list[dict[str, str]]) -> list[Page]:
    # The name has no word characters: the URL's words are a field as well.
    return [page("-" * (place + 1), **text) for place, text in enumerate(texts)]


def by_place(searcher: Any, query: list[str]) -> dict[int, float]:
    return {len(hit.url.rpartition("/")[2]) - 1: hit.score for hit in searcher.search(" ".join(query)).hits}


@pytest.mark.parametrize("seed", range(5))
def test_scores_agree_with_a_plain_computation(index: Callable[..., Any], page: Callable[..., Page], seed: int) -> None:
    texts, query = make(seed), ["alpha", "gamma", "alpha"]
    shown = by_place(index(*as_pages(page, texts)), query)
    for place, expected in enumerate(plain_scores(texts, query)):
        assert shown.get(place, 0.0) == pytest.approx(expected, abs=0.00006)


def test_replaced_and_removed_pages_leave_no_trace_in_the_scores(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Any
) -> None:
    import indexer  # noqa: PLC0415  # only here: the other tests write through the fixture

    texts, query = make(99), ["alpha", "gamma"]
    index(*as_pages(page, make(1)), page("gone", "alpha gamma"))
    with indexer.open_writer(tmp_path) as writer:
        writer.remove("http://site.test/gone")
        for one in as_pages(page, texts):
            writer.put(one)
    shown = by_place(indexer.open_index(tmp_path), query)
    for place, expected in enumerate(plain_scores(texts, query)):
        assert shown.get(place, 0.0) == pytest.approx(expected, abs=0.00006)


def test_a_word_in_title_or_anchor_counts_more_than_one_in_the_text(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(
        page("text", "beta alpha", title="gamma"),
        page("title", "beta gamma", title="alpha"),
        page("anchor", "beta gamma", title="gamma", anchors=("alpha",)),
    )
    assert found(searcher, "alpha")[-1] == "text"
