"""The door finds what a plain Whoosh index of the same texts finds: pages, scores, order, groups and highlights."""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import random
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query
from whoosh.qparser import MultifieldParser, QueryParser

import indexer
from tests.extensions.whoosh.oracle import Both, Queries, compare, pages, scores, urls, vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from whoosh.searching import Searcher

QUERIES = 240  # of them two thirds of the time is Whoosh's own; test_real_pages.py asks 10,000 of 3,000 pages


@pytest.fixture(scope="module")
def chance() -> random.Random:
    return random.Random(20)


@pytest.fixture(scope="module")
def words(chance: random.Random) -> list[str]:
    return vocabulary(chance)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory, chance: random.Random, words: list[str]) -> Path:
    """An index of several segments, some of whose pages were replaced or deleted."""
    folder = tmp_path_factory.mktemp("ours")
    for numbers in (range(150), range(120, 260), range(260, 300)):
        with indexer.open_writer(folder) as writer:
            for page in pages(chance, words, numbers):
                writer.put(page)
            for number in range(numbers.start, numbers.stop, 17):
                writer.remove(f"http://a.test/p{number}")
    return folder


@pytest.fixture(scope="module")
def both(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Both:
    return Both(data_dir, tmp_path_factory.mktemp("oracle") / "plain")


@pytest.mark.slow
def test_random_queries_find_the_same_pages_with_the_same_scores(
    both: Both, chance: random.Random, words: list[str]
) -> None:
    compare(both, Queries(chance, words), QUERIES)


def test_the_ten_best_are_the_same_though_the_others_are_skipped(
    both: Both, chance: random.Random, words: list[str]
) -> None:
    queries = Queries(chance, words)
    for kind in ("term", "and", "or", "and maybe", "best of") * 12:
        asked = queries.kinds[kind]()
        every = both.plain.search(asked, limit=None)
        best = [hit.score for hit in every][:10]
        assert [hit.score for hit in both.ours.search(asked, limit=10)] == pytest.approx(best, abs=1e-6), asked


@pytest.mark.parametrize(
    "options",
    [
        {"sortedby": "url"},
        {"sortedby": "url", "reverse": True},
        {"sortedby": ["site", "url"]},
        {"sortedby": "title", "limit": 20},
        {"filter": query.Term("site", "a.test")},
        {"mask": query.Prefix("title", "ba")},
        {"filter": query.Term("site", "b.test"), "mask": query.Term("body", "cra")},
        {"terms": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("text", ["ba", "e-mail OR café", "title:cra AND NOT do", "getUserName", "lem*", '"ba be"~5'])
def test_options_of_a_search_give_the_same(both: Both, text: str, options: dict[str, Any]) -> None:
    asked = QueryParser("body", both.ours.schema).parse(text)
    ours, plain = (searcher.search(asked, **({"limit": None} | options)) for searcher in both.each())
    assert len(ours) == len(plain)
    if "sortedby" in options:
        assert urls(ours) == urls(plain)
    else:
        assert scores(ours) == pytest.approx(scores(plain), abs=1e-6)
    marked, wanted = ([hit.highlights("body") for hit in islice(results, 5)] for results in (ours, plain))
    assert marked == wanted


def test_the_best_of_a_required_word_are_found_where_whoosh_stops_with_an_error(both: Both, words: list[str]) -> None:
    for word in words[:20]:
        asked = query.Require(query.Term("body", word, boost=2.5), query.Prefix("title", word[:1]))
        every = [hit.score for hit in both.plain.search(asked, limit=None)]
        assert [hit.score for hit in both.ours.search(asked, limit=2)] == pytest.approx(every[:2], abs=1e-6)
        nested = query.Or([asked, query.Term("title", word)])
        assert len(both.ours.search(nested, limit=2)) == len(both.plain.search(nested, limit=None))


def test_pages_of_results_are_the_same(both: Both) -> None:
    asked = MultifieldParser(["title", "body"], both.ours.schema).parse("ba cra")
    for number in (1, 2, 3):
        ours, plain = (searcher.search_page(asked, number, pagelen=7) for searcher in both.each())
        assert (ours.total, ours.pagecount, urls(ours)) == (plain.total, plain.pagecount, urls(plain))


def test_groups_are_the_same(both: Both) -> None:
    groups = [
        {
            name: len(some)
            for name, some in searcher.search(query.Every(), groupedby="site", limit=None).groups().items()
        }
        for searcher in both.each()
    ]
    assert groups[0] == groups[1]


def test_statistics_and_lists_of_terms_are_the_same(both: Both) -> None:
    ours, plain = (searcher.reader() for searcher in both.each())
    for field in ("body", "title"):
        assert list(ours.lexicon(field)) == list(plain.lexicon(field))
        assert ours.field_length(field) == plain.field_length(field)
        assert ours.max_field_length(field) == plain.max_field_length(field)
        assert ours.most_frequent_terms(field, 20) == plain.most_frequent_terms(field, 20)
        assert ours.most_distinctive_terms(field, 20) == plain.most_distinctive_terms(field, 20)
        lengths = [
            [reader.doc_field_length(n, field) or 0 for n in range(reader.doc_count())] for reader in (ours, plain)
        ]
        assert lengths[0] == lengths[1]


def test_corrections_and_similar_pages_are_the_same(both: Both) -> None:
    for word in ("crab", "stat", "moka"):
        ours, plain = (searcher.corrector("body").suggest(word, limit=5) for searcher in both.each())
        assert ours == plain
    similar = [urls(next(iter(s.search(query.Term("body", "ba")))).more_like_this("body")) for s in both.each()]
    assert similar[0] == similar[1]


@pytest.mark.slow
def test_a_searcher_sees_one_generation_while_pages_come_and_go(tmp_path: Path, words: list[str]) -> None:
    chance = random.Random(21)
    queries = Queries(chance, words)
    old: list[tuple[Searcher, Any, dict[str, float]]] = []
    for turn in range(6):  # small segments, which the writer merges
        with indexer.open_writer(tmp_path / "ours") as writer:
            for page in pages(chance, words, range(turn * 20, turn * 20 + 35), longest=60):
                writer.put(page)
            writer.remove(f"http://a.test/p{turn * 3}")
        now = Both(tmp_path / "ours", tmp_path / f"plain{turn}")
        for _ in range(8):
            kind, asked = queries.one()
            ours, plain = (scores(searcher.search(asked, limit=None)) for searcher in now.each())
            assert ours == pytest.approx(plain, abs=1e-6), (turn, kind, asked)
            old.append((now.ours, asked, ours))
    for searcher, asked, before in old:
        assert scores(searcher.search(asked, limit=None)) == before
    assert not old[0][0].up_to_date()
    assert old[0][0].refresh().up_to_date()
