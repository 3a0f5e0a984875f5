"""`weighting=Breadcrumb()` gives each page that a query of Whoosh finds the score that our own search gives it."""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query
from whoosh.collectors import TimeLimitCollector
from whoosh.fields import TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.qparser import FuzzyTermPlugin, MultifieldParser, OrGroup, QueryParser

import indexer
from extensions.whoosh.searcher import Breadcrumb, searched_terms
from indexer.faults import IndexFault
from indexer.ranking.weights import Formula, weights_from
from tests.extensions.whoosh.oracle import pages, plain_words
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.whoosh.searcher import PageSearcher
    from indexer.retrieval.searcher import Searcher

QUERIES = 40
SAID = ["title", "body", "headings", "description", "anchors", "url_words"]  # what our own search finds pages by
ENGLISH = (
    ("running", "Running shoes", "Shoes for runners who run far. A run a day keeps them running."),
    ("shoes", "Shoes", "Run in good shoes. Shops sell shoes of all kinds for a good run."),
    ("far", "Far away", "Nobody runs there, and nobody ran. Far from any shop, a shoe is of use."),
    ("shop", "The shop", "We sell what runs well: engines, clocks and a good pair of running shoes."),
)


@pytest.fixture(scope="module")
def words() -> list[str]:
    """Words of which none is a stop word, or two others together: our own search reads these in a way of its own."""
    return [f"{word}x" for word in plain_words(random.Random(7))]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """Made-up pages without a language in several segments, some of them deleted."""
    folder, chance = tmp_path_factory.mktemp("ours"), random.Random(8)
    for numbers in (range(120), range(90, 200), range(200, 240)):
        with indexer.open_writer(folder) as writer:
            for page in pages(chance, words, numbers):
                writer.put(page)
            writer.remove(f"http://a.test/p{numbers.start + 3}")
    return folder


@pytest.fixture
def english(tmp_path: Path) -> Path:
    with indexer.open_writer(tmp_path) as writer:
        for name, title, text in ENGLISH:
            writer.put(Page(CanonicalUrl(f"http://site.test/{name}"), title, text, language="en"))
    return tmp_path


def told(searcher: Searcher, text: str) -> list[tuple[str, float]]:
    """All results of our own search."""
    found, page = [], 1
    while hits := searcher.search(text, 100, page, exact=True).hits:
        found += [(hit.url, hit.score) for hit in hits]
        page += 1
    return found


def hits(searcher: PageSearcher, asked: Any, **options: Any) -> list[tuple[str, float]]:
    return [(hit["url"], hit.score) for hit in searcher.search(asked, **({"limit": None} | options))]


@pytest.mark.slow
def test_words_in_any_field_find_the_same_pages_in_the_same_order_with_the_same_scores(
    data_dir: Path, words: list[str]
) -> None:
    ours, chance = indexer.open_index(data_dir), random.Random(9)
    with indexer.open_whoosh(data_dir).searcher(weighting=Breadcrumb()) as searcher:
        parser = MultifieldParser(SAID, searcher.schema, group=OrGroup)
        for number in range(QUERIES):
            text = " ".join(dict.fromkeys(chance.choices(words[: 40 if number % 2 else None], k=chance.randint(1, 7))))
            found = told(ours, text)
            assert hits(searcher, parser.parse(text)) == found, text
            assert hits(searcher, parser.parse(text), limit=10) == found[:10], text


@pytest.mark.parametrize(
    "text", ["run", "good shoes", "running shoes far", "shop OR run", '"good run" shoes', "run -far"]
)
def test_the_pages_of_any_query_keep_our_order_and_scores(english: Path, text: str) -> None:
    with indexer.open_whoosh(english).searcher(weighting=Breadcrumb()) as searcher:
        asked = QueryParser("content", searcher.schema).parse(text.replace("-", "NOT "))
        found = hits(searcher, asked)
        urls = {url for url, _ in found}
        assert found
        assert found == [one for one in told(indexer.open_index(english), text.replace("OR ", "")) if one[0] in urls]


def test_a_whole_search_of_whoosh_works_with_our_scores(data_dir: Path, words: list[str]) -> None:
    scores = dict(told(indexer.open_index(data_dir), f"{words[0]} {words[1]}"))
    with indexer.open_whoosh(data_dir).searcher(weighting=Breadcrumb()) as searcher:
        asked = QueryParser("content", searcher.schema).parse(f"{words[0]} OR {words[1]}")
        kept = query.Term("site", "a.test")
        limited = hits(searcher, asked, filter=kept, limit=5)
        assert limited == [(url, scores[url]) for url, _ in limited]
        assert limited == hits(searcher, asked, filter=kept)[:5]
        grouped = searcher.search(asked, groupedby="site", limit=None)
        assert sum(len(each) for each in grouped.groups().values()) == len(hits(searcher, asked))
        assert [hit["url"] for hit in searcher.search(asked, sortedby="url", limit=7)] == sorted(
            url for url, _ in hits(searcher, asked)
        )[:7]
        with_terms = searcher.search(asked, terms=True, limit=3)
        assert [hit["url"] for hit in with_terms] == [url for url, _ in hits(searcher, asked)][:3]
        assert with_terms.matched_terms()
        best = searcher.search(asked, collapse="site", limit=None)
        assert best[0]["url"] == hits(searcher, asked)[0][0]
        assert searcher.search_page(asked, 2, pagelen=4)[0].score == hits(searcher, asked)[4][1]
        collector = TimeLimitCollector(searcher.collector(limit=3), 60)
        searcher.search_with_collector(asked, collector)
        assert [hit["url"] for hit in collector.results()] == [hit["url"] for hit in with_terms]


def test_a_query_is_read_for_its_words_and_what_adds_nothing_is_left_out(data_dir: Path) -> None:
    parser = MultifieldParser(["title", "content"], indexer.open_whoosh(data_dir).schema)
    parser.add_plugin(FuzzyTermPlugin())
    for text, words in (
        ("ba be ba", ["ba", "be"]),
        ("ba NOT be site:a.test", ["ba"]),
        ('"ba be" cra* do~ url:http*', ["ba", "be", "cra*"]),
        ("ba ANDNOT be", ["ba"]),
        ("ba REQUIRE be", ["ba"]),
        ("ba ANDMAYBE be", ["ba", "be"]),
        ("[a TO d]", []),
    ):
        assert searched_terms(parser.parse(text)) == words, text
    near = query.SpanNear(query.Term("body", "ba"), query.Term("body", "be"))
    assert searched_terms(query.Or([near, query.SpanNot(query.Term("body", "do"), query.Term("body", "ka"))])) == [
        "ba",
        "be",
        "do",
    ]


def test_a_query_without_words_is_ordered_as_our_own_is(english: Path) -> None:
    with indexer.open_whoosh(english).searcher(weighting=Breadcrumb()) as searcher:
        assert hits(searcher, query.Term("site", "site.test")) == told(indexer.open_index(english), "site:site.test")
        assert hits(searcher, query.Prefix("body", "shoe")) == [
            one for one in told(indexer.open_index(english), "shoe*") if not one[0].endswith("/none")
        ]


def test_a_formula_of_ones_own_ranks_as_it_does_in_our_search(english: Path) -> None:
    formula = Formula(weights_from(["title=9", "near_text=0"]))
    with indexer.open_whoosh(english).searcher(weighting=Breadcrumb(formula)) as searcher:
        found = hits(searcher, QueryParser("content", searcher.schema, group=OrGroup).parse("good shoes"))
    assert found
    wanted = dict(told(indexer.open_index(english, formula=formula), "good shoes"))
    assert found == [(url, wanted[url]) for url, _ in found]
    assert dict(found) != dict(told(indexer.open_index(english), "good shoes"))


def test_an_index_of_whooshs_own_says_that_it_has_other_formulas() -> None:
    index = RamStorage().create_index(Schema(text=TEXT))
    with index.writer() as writer:
        writer.add_document(text="rye bread")
    with index.searcher(weighting=Breadcrumb()) as searcher, pytest.raises(IndexFault, match=r"open_whoosh\(folder\)"):
        searcher.search(query.Term("text", "rye"))
