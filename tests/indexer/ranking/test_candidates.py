"""The ranking by arrays against a second, plain computation of the formulas in score.py and proximity.py."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import indexer
from indexer.query.parser import parse_query
from indexer.ranking import proximity
from indexer.ranking.weights import Weights
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
SIZES = {"title": 3, "text": 30, "description": 4, "anchors": 3}
FIELDS = {
    "text": IndexField.BODY,
    "title": IndexField.TITLE,
    "description": IndexField.DESCRIPTION,
    "anchors": IndexField.ANCHORS,
}
CALLED = {"title", "anchors"}
QUERY = ["alpha", "gamma", "alpha", "omega"]


def near(words: list[str], first: str, second: str, gap: int) -> float:
    """The nearness of two words in one field, place by place."""
    total = 0.0
    for place in (at for at, word in enumerate(words) if word == first):
        ahead = min((at - place for at, word in enumerate(words) if word == second and at > place), default=99)
        behind = min((place - at for at, word in enumerate(words) if word == second and at < place), default=99)
        forward = 1 / (1 + abs(ahead - gap)) if ahead <= proximity.WINDOW else 0.0
        total += max(forward, proximity.BACKWARD / behind if behind <= proximity.WINDOW else 0.0)
    return total


class Plain:
    """The formulas, written out over lists of words."""

    def __init__(self, pages: list[dict[str, str]], weights: Weights) -> None:
        self.pages = [{field: page[field].split() for field in FIELDS} for page in pages]
        self.weights = weights

    def idf(self, word: str) -> float:
        n = sum(any(word in words for words in page.values()) for page in self.pages)
        return math.log(1 + (len(self.pages) - n + 0.5) / (n + 0.5))

    def norm(self, page: dict[str, list[str]], field: str) -> float:
        b, lengths = self.weights.length_of(FIELDS[field]), [len(one[field]) for one in self.pages]
        return 1 - b + b * len(page[field]) * sum(length > 0 for length in lengths) / sum(lengths)

    def filled(self, page: dict[str, list[str]], word: str, half: float, *, called: bool) -> float:
        found = sum(
            self.weights.of(name, called=called) * page[field].count(word) / self.norm(page, field)
            for field, name in FIELDS.items()
        )
        return found / (found + half)

    def near(self, page: dict[str, list[str]], pair: tuple[str, str], *, called: bool) -> float:
        found = sum(
            self.weights.of(FIELDS[field], called=called) * near(page[field], *pair, 1) / self.norm(page, field)
            for field in (CALLED if called else {"text"})
        )
        return found / (found + self.weights.near)

    def scores(self, query: list[str]) -> list[float]:
        w, asked = self.weights, sum(map(self.idf, query))
        scores = []
        for page in self.pages:
            score = 0.0
            for word in query:
                score += self.idf(word) * self.filled(page, word, w.said, called=False)
                score += self.idf(word) * self.filled(page, word, w.called, called=True) * w.name
            for pair in {pair for pair in pairwise(query) if pair[0] != pair[1]} if score else ():
                rarer = max(map(self.idf, pair))
                score += rarer * w.near_text * self.near(page, pair, called=False)
                score += rarer * w.near_name * self.near(page, pair, called=True)
            if all(any(word in words for words in page.values()) for word in query):
                score += w.all_words * asked
            scores.append(score)
        return scores


def make(seed: int) -> list[dict[str, str]]:
    dice = random.Random(seed)
    return [{f: " ".join(dice.choices(WORDS, k=dice.randint(1, n))) for f, n in SIZES.items()} for _ in range(8)]


def as_pages(page: Callable[..., Page], texts: list[dict[str, str]]) -> list[Page]:
    # The name has no word characters: the URL's words are a field as well.
    return [page("-" * (place + 1), **{**text, "anchors": (text["anchors"],)}) for place, text in enumerate(texts)]


def by_place(searcher: Any, query: list[str]) -> dict[int, float]:
    return {len(hit.url.rpartition("/")[2]) - 1: hit.score for hit in searcher.search(" ".join(query)).hits}


@pytest.mark.parametrize("seed", range(5))
def test_scores_agree_with_a_plain_computation(index: Callable[..., Any], page: Callable[..., Page], seed: int) -> None:
    texts = make(seed)
    pages = as_pages(page, texts)
    index(*pages[:seed])
    shown = by_place(index(*pages[seed:]), QUERY)  # two segments, but for the first seed
    for place, expected in enumerate(Plain(texts, Weights()).scores(QUERY)):
        assert shown.get(place, 0.0) == pytest.approx(expected, abs=0.00006)


def test_replaced_and_removed_pages_leave_no_trace_in_the_scores(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Any
) -> None:
    texts = make(99)
    index(*as_pages(page, make(1)), page("gone", "alpha gamma"))
    with indexer.open_writer(tmp_path) as writer:
        writer.remove("http://site.test/gone")
        for one in as_pages(page, texts):
            writer.put(one)
    shown = by_place(indexer.open_index(tmp_path), QUERY)
    for place, expected in enumerate(Plain(texts, Weights()).scores(QUERY)):
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


def test_words_that_stand_together_as_asked_come_before_words_apart(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    apart = "create one thing and " + "then " * 20 + "a table"
    searcher = index(
        page("apart", apart),
        page("together", f"create table {'then ' * 22}"),
        page("backward", f"table create {'then ' * 22}"),
    )
    assert found(searcher, "create table") == ["together", "backward", "apart"]


def test_every_page_of_results_has_the_order_of_one_long_page(
    index: Callable[..., Any], page: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.ranking.ranker.LOOKED_AT", 7)
    monkeypatch.setattr("indexer.ranking.ranker.SORTED_AT_ONCE", 5)
    dice = random.Random(3)
    searcher = index(*(page(f"p{n}", " ".join(dice.choices(WORDS, k=12))) for n in range(40)))
    whole = searcher.search("alpha gamma", 100).hits
    pieces = [hit for number in range(1, 20) for hit in searcher.search("alpha gamma", 3, number).hits]
    assert [(hit.url, hit.score) for hit in pieces] == [(hit.url, hit.score) for hit in whole]
    assert [hit.score for hit in whole] == sorted((hit.score for hit in whole), reverse=True)


def test_a_name_counts_less_the_more_of_a_sentence_a_question_is(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("named", "beta", title="alpha"), page("other", "gamma"))

    def most(question: str) -> tuple[float, Any]:
        hit = searcher.search(question).hits[0]
        score = hit.explain()
        (part,) = (part for part in score.words if part.called and part.field == "title")
        assert sum(part.value for part in score.parts) == pytest.approx(hit.score)
        return part.most, part

    few, half, sentence = ("alpha " + " ".join(f"w{n}x" for n in range(count)) for count in (3, 5, 7))
    usual = Weights()
    assert most(few)[0] == usual.name
    assert most(half)[0] == pytest.approx((usual.name + usual.sentence_name) / 2)
    assert most(sentence)[0] == most(f"{sentence} more of it")[0] == usual.sentence_name


def test_two_characters_of_a_writing_without_blanks_stand_for_a_word() -> None:
    assert parse_query("eins zwei drei", frozenset({"de"})).length == 3
    assert parse_query("量子力学", frozenset({"ja"})).length == 1.5  # three pairs
