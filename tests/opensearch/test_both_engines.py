"""What a search promises holds wherever the index is kept: in a data folder, or in OpenSearch, to the last digit.

The folder's half always runs. The other one runs where a node can be had; it is compared with the folder's answers.
"""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.question.deadline import Deadline
from indexer.ranking.weights import Formula, weights_from
from tests.opensearch.library import PAGES, QUESTIONS, RANKS, Engine, a_page, ranks_of, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

ENGINES = ("folder", "opensearch")
RYE = "http://bakery.test/rye"


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An index of its own, in the engine that a test names."""
    engine = Engine(tmp_path, request.getfixturevalue("host") if request.param == "opensearch" else "")
    yield engine
    engine.drop()


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The collection in one engine."""
    host = request.getfixturevalue("host") if getattr(request, "param", "folder") == "opensearch" else ""
    engine = Engine(tmp_path_factory.mktemp("library"), host)
    engine.write(*PAGES, ranks=ranks_of(RANKS))
    yield engine
    engine.drop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """The collection in a data folder."""
    engine = Engine(tmp_path_factory.mktemp("folder"))
    engine.write(*PAGES, ranks=ranks_of(RANKS))
    return engine.searcher()


@pytest.fixture(scope="module")
def searcher(library: Engine) -> Searcher:
    """The collection, to be searched."""
    return library.searcher()


both = pytest.mark.parametrize("library", ENGINES, indirect=True, scope="module")
each = pytest.mark.parametrize("empty", ENGINES, indirect=True)


@both
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_the_same_results_and_reasons_whose_parts_add_up(
    searcher: Searcher, folder: Searcher, question: str
) -> None:
    found = searcher.search(question, 50)
    assert told(found) == told(folder.search(question, 50))
    for hit in found.hits:
        parts = hit.explain().parts
        assert sum((Decimal(str(part.value)) for part in parts), Decimal(0)) == hit.explain().value


WORDS = [
    "rye",
    "bread",
    "breads",
    "mill",
    "oven",
    "cake",
    "river",
    "brot*",
    "-wheat",
    '"rye_bread"',
    "OR",
    "(",
    ")",
    "site:bakery.test",
    "lang:en",
    "intitle:rye",
    "the",
    "before:2026",
    "Fc",
    "パン",
    "хлеб",
    "filetype:pdf",
    "breda",
    '-"rye_bread"',
    "after:2020",
    "inurl:cakes",
    "of",
    '"by_the_river"',
]


@both
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    limit=st.integers(1, 12),
    page=st.integers(1, 3),
    exact=st.booleans(),
)
def test_whatever_is_asked_is_answered_alike(
    searcher: Searcher, folder: Searcher, words: list[str], limit: int, page: int, exact: bool
) -> None:
    question = " ".join(words).replace("_", " ")
    found, wanted = (one.search(question, limit, page, exact=exact) for one in (searcher, folder))
    assert told(found) == told(wanted)


@both
def test_why_and_why_not_are_the_same(searcher: Searcher, folder: Searcher) -> None:
    for page in PAGES[:17:2]:
        for question in ('"rye bread"', "cake -butter", "lang:de mill"):
            assert searcher.find_hit(page.url, question, 100)[0] == folder.find_hit(page.url, question, 100)[0]
            assert searcher.reason_absent(page.url, question) == folder.reason_absent(page.url, question)
    assert searcher.reason_absent("http://none.test/", "rye") == folder.reason_absent("http://none.test/", "rye")


@both
def test_a_page_is_told_of_alike(searcher: Searcher, folder: Searcher) -> None:
    for page in PAGES[:10]:
        assert searcher.stored(page.url) == folder.stored(page.url)
        assert searcher.page_words(page.url) == folder.page_words(page.url)
        assert searcher.standing(page.url) == folder.standing(page.url)
    assert searcher.stored("http://none.test/") is None
    assert (searcher.documents, searcher.generation) == (folder.documents, folder.generation) == (len(PAGES), 1)


@both
def test_a_question_is_gone_on_with_alike(searcher: Searcher, folder: Searcher) -> None:
    for question in ("rye b", "ry", "the old m", "", "zz", 'intitle:"ca', "wheat "):
        assert set(searcher.complete(question)) == set(folder.complete(question))
    assert searcher.complete("rye b")[0] == folder.complete("rye b")[0] == "rye bread"


@both
def test_copies_of_a_page_are_shown_when_they_are_asked_for(searcher: Searcher, folder: Searcher) -> None:
    for url in ("http://bakery.test/copy", RYE, "http://none.test/"):
        assert told(searcher.search("rye bread", similar=url)) == told(folder.search("rye bread", similar=url))


@both
def test_other_weights_and_narrowings_count_alike(searcher: Searcher, folder: Searcher) -> None:
    for changes in (["anchors=0", "title=0"], ["body=0"], ["other_form=0"], ["near_text=0", "pagerank=2"]):
        formula = Formula(weights_from(changes))
        first, second = (one.ranked_by(formula).search("baked rye breads") for one in (searcher, folder))
        assert told(first) == told(second)
    narrowings: list[dict[str, Any]] = [{"site": "oven.test"}, {"language": "de"}, {"file_type": "pdf"}, {"year": 2026}]
    for narrowing in narrowings:
        assert told(searcher.search("bread oven", **narrowing)) == told(folder.search("bread oven", **narrowing))


@both
def test_what_is_blocked_or_withdrawn_is_hidden_at_once(library: Engine) -> None:
    blocked: set[str] = set()
    searcher = library.searcher(blocked=blocked.__contains__, withdrawn=lambda _: bool(blocked))
    assert RYE in [hit.url for hit in searcher.search("rye").hits]
    blocked.add(RYE)
    found = searcher.search("rye", 50)
    assert not {RYE, "http://spam.test/closed"} & {hit.url for hit in found.hits}
    assert "closed" not in str([hit.url for hit in library.searcher(link_only=False).search("closed oven").hits])


@both
def test_a_question_without_time_says_what_was_left_out(searcher: Searcher) -> None:
    assert "The time for one question" in searcher.search('"rye bread" mill', deadline=Deadline(1e-9)).notice


@each
def test_what_is_put_replaced_and_removed_counts_from_the_commit_on(empty: Engine) -> None:
    empty.write(a_page("a.test/1", "One", "oats and rye"), a_page("a.test/2", "Two", "oats"))
    searcher = empty.searcher()
    with empty.writer() as writer:
        writer.put(a_page("a.test/1", "One", "barley"))
        writer.remove("http://a.test/2")
        assert searcher.search("oats").total == 2
        writer.commit()
        assert [hit.url for hit in searcher.search("barley").hits] == ["http://a.test/1"]
        assert (searcher.search("oats", exact=True).total, searcher.documents) == (0, 1)


@each
def test_a_rebuild_is_searched_as_a_whole_or_not_at_all(empty: Engine) -> None:
    empty.write(*(a_page(f"a.test/{n}", "Old", f"oats {n}") for n in range(20)))
    searcher, ends, seen = empty.searcher(), threading.Event(), set[int]()
    answered = threading.Event()

    def ask() -> None:
        while not ends.is_set():
            seen.add(searcher.search("oats").total)
            answered.set()

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        assert answered.wait(60)  # a busy machine may rebuild before the thread's first question
        with empty.writer(rebuild=True) as writer:
            for n in range(7):
                writer.put(a_page(f"a.test/{n}", "New", f"oats {n}"))
        assert searcher.search("oats").total == 7
    finally:
        ends.set()
        asking.join()
    assert seen <= {20, 7}
    assert 20 in seen
