"""PageRank over all partitions is that of an undivided crawl, and so are the results of a search."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import read_link_rows, read_link_texts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import WHOLE
from extensions.machines.jobs.pagerank import joined_links, links_in, rank_all, shared_ranks
from extensions.machines.tasks.places import PartsInFolder
from indexer import open_index
from indexer.links import pagerank, web_graph, with_link_texts
from indexer.segments.generation import index_folder, read_generation
from indexer.segments.link_ranks import read_link_ranks
from tests.extensions.machines.jobs.divided import HOSTS, PARTS, WORDS, a_web, crawl
from tests.extensions.machines.standalone import needs_spark

if TYPE_CHECKING:
    from extensions.machines.engines.spark import SparkTasks

QUICK = 0.1  # a damping that needs 10 rounds instead of 130
QUERIES = [*WORDS, "rye barley", '"spelt oats"', "home", "bakery next", f"site:{HOSTS[0]} rye"]


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of the same crawl as one, and in three parts."""
    whole, divided = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("divided")
    crawl(whole, (WHOLE,), a_web())
    crawl(divided, PARTS, a_web())
    rank_all(PartsInFolder(divided))
    return whole, divided


def ranks_of_whole(whole: Path) -> dict[str, float]:
    with CrawlDatabase(whole, readonly=True) as database:
        graph = web_graph(read_link_rows(database))
    ranks = pagerank(graph.matrix(), graph.roots)
    return {url: float(ranks[node]) for url, node in zip(graph.urls, graph.node, strict=True) if node >= 0}


def test_the_graph_of_all_parts_has_the_ranks_of_one_crawl(crawled: tuple[Path, Path]) -> None:
    whole, divided = crawled
    graph = web_graph(joined_links([links_in(folder_of(divided, part)) for part in PARTS]))
    ranks = pagerank(graph.matrix(), graph.roots)
    found = {url: float(ranks[node]) for url, node in zip(graph.urls, graph.node, strict=True) if node >= 0}
    assert found == pytest.approx(ranks_of_whole(whole), abs=1e-9)
    assert len(set(found.values())) > len(found) / 2, "they differ, so that equal ones say something"


def test_a_divided_crawl_answers_as_one(crawled: tuple[Path, Path]) -> None:
    one, several = (open_index(folder) for folder in crawled)
    called: set[str] = set()
    for query in QUERIES:
        answers = []
        for searcher in (one, several):
            by_score = defaultdict(set)
            found = searcher.search(query, limit=50)
            for hit in found.hits:
                parts = tuple(sorted((part.term, part.field, part.value) for part in hit.explain().parts))
                by_score[hit.score].add((hit.url, hit.title, str(hit.snippet), parts))
            answers.append((found.total, by_score))
            called |= {part.told for hit in found.hits for part in hit.explain().others if part.term == "link text"}
        assert answers[0][0], query
        assert answers[1] == answers[0], query
    assert called, "the texts of links are queries, too"


@pytest.mark.long
@needs_spark
def test_spark_ranks_as_one_process_does(crawled: tuple[Path, Path], spark_here: SparkTasks, tmp_path: Path) -> None:
    from extensions.machines.jobs import spark_pagerank  # noqa: PLC0415 - pyspark is an extra
    from extensions.machines.jobs.spark_parts import PART_BITS  # noqa: PLC0415

    copytree(crawled[1], tmp_path / "copy")
    place = PartsInFolder(tmp_path / "copy")
    elsewhere = next(host for host in HOSTS if not PARTS[0].owns(host))
    with CrawlDatabase(folder_of(tmp_path / "copy", PARTS[0])) as database, database.transaction() as connection:
        named = "INSERT INTO foreign_canonical (url, target) SELECT url, ? FROM page LIMIT 1"
        connection.execute(named, (f"http://{elsewhere}/1",))
    known = [place.ask(part, links_in) for part in PARTS]
    graph = web_graph(joined_links(known))
    exact = pagerank(graph.matrix(), graph.roots, QUICK)
    begun, shares = shared_ranks(known, QUICK)

    ranked, ranks = spark_pagerank.ranks_of_all(spark_here.session(), place, QUICK)
    ranks = ranks.persist()
    assert ranked == begun
    found = {(row.page >> PART_BITS, row.page & 0xFFFFFFFFFF): row.rank for row in ranks.collect()}
    urls = [(number, int(own)) for number, part in enumerate(known, 1) for own in part.rows.ids]
    compared = [(found[url], exact[node]) for url, node in zip(urls, graph.node, strict=True) if url in found]
    assert len(compared) == graph.pages + 1, "one has two names"
    assert max(abs(mine / graph.pages - theirs) for mine, theirs in compared) < 1e-9

    spark_pagerank.put_ranks_of_all(place, ranked, ranks, QUICK)
    for part, share in zip(PARTS, shares, strict=True):
        folder = index_folder(place.ask(part, Path))
        generation = read_generation(folder)
        put = read_link_ranks(folder / generation.build, generation.ranks)
        with CrawlDatabase(folder_of(tmp_path / "copy", part), readonly=True) as database:
            share = with_link_texts(share, read_link_texts(database))  # noqa: PLW2901 - as the job does
        assert put.texts.links.tolist() == share.texts.links.tolist() != []
        assert (put.state, put.keys.tolist()) == (share.state, share.keys.tolist())
        assert put.inlinks.tolist() == share.inlinks.tolist()
        assert put.other_sites.tolist() == share.other_sites.tolist()
        assert put.ranks.tolist() == pytest.approx(share.ranks.tolist(), rel=1e-6), "4 bytes each"
