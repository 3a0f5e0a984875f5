"""Facets: their counts are those of counting by hand, and those of the narrowed query."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import indexer
from indexer.retrieval.facets import MAX_VALUES
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

WORDS = ("rye", "bread", "oats", "yeast", "salt")
QUESTIONS = ("rye", "bread oats", "site:b.test", "rye -salt", "lang:de yeast", "after:2024", "filetype:pdf rye", "none")


def some_pages(count: int) -> list[Page]:
    """Pages of any site, language, type, date and cluster."""
    chance = random.Random(20261122)
    made = []
    for number in range(count):
        site, ending = chance.choice(("a.test", "b.test", "b.test:81")), chance.choice(("", ".pdf", ".html", ".htm"))
        more: dict[str, Any] = {
            "language": chance.choice(("en", "de", "")),
            "languages": chance.choice(((), (("de", 0.6), ("fr", 0.4)))),
            "content_type": chance.choice(("text/html", "application/pdf", "")),
            "fetched_at": datetime(chance.choice((1969, 2024, 2025)), 12, 31, 23, 59, tzinfo=UTC).timestamp(),
            "published": chance.choice((None, datetime(2025, 1, 1, tzinfo=UTC).timestamp())),
            "cluster": chance.choice((None, 1, 2, 3)),
        }
        text = " ".join(chance.sample(WORDS, 3))
        made.append(Page(f"http://{site}/{number}{ending}", "", text, **more))  # type: ignore[arg-type]  # canonical as it is
    return made


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder: Path = tmp_path_factory.mktemp("facets")
    pages = some_pages(90)
    for part in (pages[:50], pages[50:]):  # two segments, and some pages in both: the older ones are deleted
        with indexer.open_writer(folder) as writer:
            for one in (*part, *pages[:5]):
                writer.put(one)
            writer.remove(pages[7].url)
    return indexer.open_index(folder)


def by_hand(searcher: Searcher, question: str) -> dict[str, dict[str, int]]:
    """Count over every page that answers, one by one."""
    found: dict[str, dict[str, set[str]]] = {"site": {}, "language": {}, "file_type": {}, "year": {}}
    heads = [hit.url for hit in searcher.search(question, 100).hits]
    urls = {hit.url for head in heads for hit in searcher.search(question, 100, similar=head).hits}
    for url in urls:
        stored = searcher.stored(url)
        assert stored is not None
        dated = datetime.fromtimestamp(stored.published or stored.modified or stored.fetched_at, UTC)
        result = f"cluster {stored.cluster}" if stored.cluster else url
        values = {"site": [stored.site], "language": stored.languages, "file_type": stored.file_types}
        for name, each in {**values, "year": [str(dated.year)]}.items():
            for value in filter(None, each):
                found[name].setdefault(value, set()).add(result)
    return {name: {value: len(results) for value, results in values.items()} for name, values in found.items()}


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_count_is_what_counting_by_hand_gives(searcher: Searcher, question: str) -> None:
    told = {
        facet.name: {one.value: one.count for one in facet.values} for facet in searcher.search(question, 100).facets
    }
    assert told == by_hand(searcher, question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_count_is_how_many_results_the_narrowed_question_has(searcher: Searcher, question: str) -> None:
    for facet in searcher.search(question, 1).facets:
        for one in facet.values:
            value: Any = int(one.value) if facet.name == "year" else one.value
            where: Any = {facet.name: value}
            assert searcher.search(question, 1, **where).total == one.count


def test_similar_pages_that_are_shown_each_for_itself_are_counted_so(searcher: Searcher) -> None:
    clustered = next(hit for hit in searcher.search("rye", 100).hits if hit.similar)
    results = searcher.search("rye", similar=clustered.url)
    [sites, *_] = results.facets
    assert sum(one.count for one in sites.values) == results.total == clustered.similar + 1


def test_years_come_newest_first_and_other_values_by_their_number(searcher: Searcher) -> None:
    sites, _, _, years = searcher.search("rye").facets
    assert [one.value for one in years.values] == ["2025", "2024", "1969"]
    assert sorted(sites.values, key=lambda one: -one.count) == list(sites.values)


def test_of_many_values_those_with_most_results_are_told_and_how_many_others_there_are(
    index: Callable[..., Any],
) -> None:
    pages = [Page(f"http://s{n}.test/{m}", "", "rye", language="en") for n in range(12) for m in range(n + 1)]  # type: ignore[arg-type]  # canonical as it is
    facet = index(*pages).search("rye").facets[0]
    assert [(one.value, one.count) for one in facet.values] == [(f"s{n}.test", n + 1) for n in range(11, 3, -1)]
    assert (len(facet.values), facet.others) == (MAX_VALUES, 4)


def test_a_date_beyond_any_calendar_is_in_no_year(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    pages = [page(name, "rye", fetched_at=at) for name, at in (("a", 1e300), ("b", -1e18), ("never-fetched", 0.0))]
    results = index(*pages).search("rye")
    assert results.total == 3
    assert not results.facets[3].values
