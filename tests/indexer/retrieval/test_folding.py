"""Of pages that say nearly the same the best answer is shown, and the numbers add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from indexer.retrieval.results import results_as_dict

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

SITE = "http://site.test/"


@pytest.fixture
def notes(index: Callable[..., Any], page: Callable[..., Page]) -> Callable[..., Any]:
    """Four release notes of one cluster, of which the later ones answer better, two guides of another, and a page."""

    def write(**options: Any) -> Any:
        release = [page(f"note-{n}", "beta " + "alpha " * n + f"version{n}", cluster=1) for n in range(1, 5)]
        guides = [page(f"guide-{n}", "alpha gamma delta epsilon " * n, cluster=2) for n in (1, 2)]
        return index(*release, *guides, page("alone", "alpha alpha beta beta zeta eta", cluster=3), **options)

    return write


def named(results: Any) -> list[tuple[str, int]]:
    return [(hit.url.removeprefix(SITE), hit.similar) for hit in results.hits]


def test_the_member_that_answers_best_stands_for_the_others(notes: Callable[..., Any]) -> None:
    searcher = notes()
    assert named(searcher.search("version2")) == [("note-2", 0)]
    results = searcher.search("version2 beta")
    assert named(results) == [("note-2", 3), ("alone", 0)]
    assert (results.total, results.folded) == (2, 3)
    assert dict(named(searcher.search("alpha"))).keys() >= {"note-4", "alone"}


def test_total_and_folded_are_all_that_answers_on_every_page_of_results(notes: Callable[..., Any]) -> None:
    searcher = notes()
    pages = [searcher.search("alpha", 1, number) for number in (1, 2, 3, 4)]
    assert [(one.total, one.folded) for one in pages] == [(3, 4)] * 4
    assert [len(one.hits) for one in pages] == [1, 1, 1, 0]
    assert [hit.rank for one in pages for hit in one.hits] == [1, 2, 3]
    assert sum(hit.similar for one in pages for hit in one.hits) == 4
    assert len({hit.url for one in pages for hit in one.hits}) == 3


def test_similar_pages_are_shown_on_request_each_for_itself(notes: Callable[..., Any]) -> None:
    searcher = notes()
    results = searcher.search("alpha", similar=f"{SITE}note-4")
    assert sorted(named(results)) == [(f"note-{n}", 0) for n in range(1, 5)]
    assert (results.total, results.folded) == (4, 0)
    assert named(searcher.search("version2", similar=f"{SITE}note-4")) == [("note-2", 0)]
    assert named(searcher.search("alpha", similar=f"{SITE}alone")) == [("alone", 0)]
    assert searcher.search("alpha", similar=f"{SITE}unknown").total == 0


def test_a_page_that_may_not_be_shown_stands_for_nobody(notes: Callable[..., Any]) -> None:
    blocked: set[str] = set()
    searcher = notes(blocked=blocked.__contains__)
    [(best, _)] = named(searcher.search("version2 version3", 1))
    blocked.add(SITE + best)
    [(second, similar)] = named(searcher.search("version2 version3", 1))
    assert (similar, {best, second}) == (0, {"note-2", "note-3"})
    assert searcher.search("version2 version3").total == 1
    blocked.add(SITE + second)
    assert (searcher.search("version2 version3").total, searcher.search("version2 version3").hits) == (0, ())


def test_a_filter_comes_before_folding(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    german = page("de", "alpha", cluster=1, language="de")
    searcher = index(page("en", "alpha alpha", cluster=1, language="en"), german)
    assert named(searcher.search("alpha", language="de")) == [("de", 0)]
    assert searcher.search("alpha").total == 1


def test_where_a_page_stands_that_is_folded(notes: Callable[..., Any]) -> None:
    searcher = notes()
    total, hit = searcher.find_hit(f"{SITE}note-3", "version2 beta", 100)
    assert (total, hit.url, hit.rank, hit.under) == (2, f"{SITE}note-3", 1, f"{SITE}note-2")
    assert searcher.find_hit(f"{SITE}note-2", "version2 beta", 100)[1].under == ""


def test_clusters_survive_merges_and_a_page_that_changes_its_cluster_is_folded_there(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    for number in range(12):  # a segment each, some of which are merged
        searcher = index(page(f"p{number}", "alpha", cluster=1 + number % 2))
    assert [similar for _, similar in named(searcher.search("alpha"))] == [5, 5]
    searcher = index(page("p3", "alpha", cluster=1))
    assert sorted(similar for _, similar in named(searcher.search("alpha"))) == [4, 6]
    searcher = index(page("p3", "alpha"))
    assert sorted(similar for _, similar in named(searcher.search("alpha"))) == [0, 4, 5]


def test_a_program_is_told_how_many_stand_under_each(notes: Callable[..., Any]) -> None:
    told = results_as_dict(notes().search("version2 beta"), 0.1)
    assert (told["total"], told["folded"]) == (2, 3)
    assert [hit["similar"] for hit in told["hits"]] == [3, 0]
