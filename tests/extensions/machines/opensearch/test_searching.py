"""Cases of OpenSearch only: more pages than are ranked, shards that don't respond, a cluster that is away."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from extensions.machines.opensearch.retrieval import choosing, searcher
from extensions.machines.opensearch.retrieval.collection import notice_of
from extensions.machines.opensearch.retrieval.requests import QueryRequests
from gateway import GatewaySettings, create_app
from indexer.faults import IndexUnreachable
from indexer.query.terms import Variants
from indexer.ranking.weights import Formula, Weights
from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.gateway.conftest import PAGES as GATEWAY_PAGES
from tests.gateway.conftest import SITE, crawl
from tests.indexer.library import PAGES, RANKS, Engine, a_page, ranks_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.ranking.contribution import Contribution


@pytest.fixture(scope="module")
def engines(host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    """The collection in a data folder, and in OpenSearch."""
    here, there = Engine(tmp_path_factory.mktemp("here")), ClusterEngine(tmp_path_factory.mktemp("there"), host)
    for engine in (here, there):
        engine.write(*PAGES, ranks=ranks_of(RANKS))
    yield here, there
    there.drop()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (choosing, searcher):
        monkeypatch.setattr(module, "CANDIDATES", 5)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("question", ["bread", "cake", "oven cake", "mill", '"cake slowly"', "-site:oven.test bread"])
def test_pages_beyond_those_that_are_ranked_are_counted_as_the_folder_counts_them(
    engines: tuple[Engine, Engine], question: str
) -> None:
    here, there = (engine.searcher() for engine in engines)
    found, all_of_it = there.search(question, 3), here.search(question, 50)
    assert (found.total, found.folded, found.facets) == (all_of_it.total, all_of_it.folded, all_of_it.facets)
    scores = {hit.url: hit.explain() for hit in all_of_it.hits}
    for hit in found.hits:
        assert hit.explain().total == pytest.approx(scores[hit.url].total, abs=1e-9)
    beyond = there.search(question, 5, 2)
    tells = "Only the first 5 pages that OpenSearch brings up are ranked" in beyond.notice
    assert tells is (beyond.total + beyond.folded > 5)


@pytest.mark.usefixtures("few")
def test_a_page_that_was_not_brought_up_is_told_so(engines: tuple[Engine, Engine]) -> None:
    there = engines[1].searcher()
    shown = {hit.url for hit in there.search("oven", 5).hits}
    missing = next(page.url for page in PAGES if "oven.test" in page.url and page.url not in shown)
    assert "it is not among the 5 pages" in there.reason_absent(missing, "oven").reason
    assert "number" in there.reason_absent(next(iter(shown)), "oven").reason


def test_a_word_of_many_forms_is_as_rare_as_all_of_them_for_opensearch_too(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each form of "bake" is rarer than "mill", and all together are not: pages with "mill" are wanted."""
    forms = [f"We {form} number {n}." for form in ("bake", "bakes", "baked", "baking") for n in range(9)]
    texts = [*forms, *(f"A mill, number {n}." for n in range(12)), *(f"Nothing {n}." for n in range(30))]
    here, there = Engine(tmp_path / "here"), ClusterEngine(tmp_path / "there", host)
    for engine in (here, there):
        engine.write(*(a_page(f"a.test/{n}", f"Page {n}", text) for n, text in enumerate(texts)))
    for module in (choosing, searcher):
        monkeypatch.setattr(module, "CANDIDATES", 12)
    found, wanted = (engine.searcher().search("baking mill", 10) for engine in (there, here))
    assert (found.total, [hit.score for hit in found.hits]) == (wanted.total, [hit.score for hit in wanted.hits])
    there.drop()


class AddsAtHome:
    """A contributor of an extension that needs the files of the index."""

    name, notice_key, elsewhere = "body", "not_added", "Nothing is added to an index in OpenSearch."

    def ask(self, *_: object) -> Contribution:
        raise AssertionError("it is not asked")


def test_what_extensions_do_not_add_is_said(engines: tuple[Engine, Engine]) -> None:
    found = engines[1].searcher(formula=Formula(contributors=(AddsAtHome(),))).search("where does rye grow")
    assert AddsAtHome.elsewhere in found.notice
    assert not found.hits[0].added_parts


def test_shards_that_do_not_answer_are_told() -> None:
    failed = {"_shards": {"total": 5, "failed": 2}, "timed_out": False}
    assert notice_of(failed).startswith("2 of 5 shards of the index did not answer: their pages are not among")
    assert "may be missing" in notice_of({"_shards": {"failed": 0}, "timed_out": True})
    assert notice_of({"_shards": {"failed": 0}}) == ""


def test_a_word_with_more_forms_than_a_request_may_have_is_cut_and_told() -> None:
    cut: list[str] = []
    asking = QueryRequests(lambda _: [f"word{n}" for n in range(2_000)], Weights(), cut)
    asked = asking.standing(Variants(("word0",)))
    assert str(asked).count("\\x1f") == 2 * 499
    assert "after the first 500" in cut[0]


@pytest.fixture
def nobody() -> str:
    """A port at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_with_the_cluster_away_a_search_is_a_sentence_and_the_gateway_goes_on(tmp_path: Path, nobody: str) -> None:
    pytest.importorskip("opensearchpy", reason="OpenSearch needs its client here")
    engine = ClusterEngine(tmp_path, nobody)
    with pytest.raises(IndexUnreachable, match="does not respond"):
        engine.searcher()
    crawl(tmp_path)
    with engine.chosen():
        client = create_app(tmp_path, GatewaySettings()).test_client()
        answer = client.get("/search?q=rye")
        assert answer.status_code == 503
        assert engine.address in answer.text
        assert "<form" in answer.text
        assert client.get("/why?url=http://bakery.localhost:8400/rye.html").status_code == 200
        assert client.get("/bot").status_code == 200


def test_the_gateway_shows_an_index_in_opensearch(host: str, tmp_path: Path) -> None:
    crawl(tmp_path)
    engine = ClusterEngine(tmp_path, host)
    engine.write(*(page for page in GATEWAY_PAGES if not page.refusals))
    here = Engine(tmp_path / "here")
    here.write(*(page for page in GATEWAY_PAGES if not page.refusals))
    with engine.chosen():
        client = create_app(tmp_path, GatewaySettings()).test_client()
        found = client.get("/api/search?q=rye+bread").get_json()
        wanted = here.searcher().search("rye bread").hits
        assert [(hit["url"], hit["score"]) for hit in found["hits"]] == [(hit.url, hit.score) for hit in wanted]
        assert "Its postings and segments are OpenSearch" in client.get("/inside/index?term=rye").text
        assert "<p>Rank 1 of " in client.get(f"/why?url={SITE}/rye.html&q=rye+bread").text
        assert client.get("/healthz").status_code == 200
        ranked = client.get("/inside/ranking?q=rye+bread&anchors=0")
        assert (ranked.status_code, "the index is in OpenSearch" in ranked.text) == (200, True)
    engine.drop()
