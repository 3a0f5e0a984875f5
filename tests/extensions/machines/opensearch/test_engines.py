"""A search keeps its contract with each engine: an index in a data folder, in OpenSearch or in a Whoosh folder.

OpenSearch gives the data folder's results, to the last digit; its tests need a node. Whoosh has its own formula and
language: it finds the same pages, and LACKING names its missing features.
"""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extension_points import built_in
from gateway.template_filters import highlighted
from indexer.faults import IndexFault, NotInForeignIndex
from indexer.query.deadline import Deadline
from indexer.ranking.weights import Formula, weights_from
from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.indexer.library import PAGES, QUESTIONS, RANKS, Engine, WhooshEngine, a_page, ranks_of, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

ENGINES = ("folder", "opensearch")
ALL_ENGINES = (*ENGINES, *(["whoosh"] if "whoosh" in built_in() else []))
RYE = "http://bakery.test/rye"


def engine_of(kind: str, folder: Path, request: pytest.FixtureRequest) -> Engine:
    """Return one of ALL_ENGINES, with nothing in it."""
    if kind == "whoosh":
        return WhooshEngine(folder)
    return ClusterEngine(folder, request.getfixturevalue("host")) if kind == "opensearch" else Engine(folder)


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An index of its own, in the engine that a test names."""
    engine = engine_of(request.param, tmp_path, request)
    yield engine
    engine.drop()


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The collection in one engine."""
    engine = engine_of(getattr(request, "param", "folder"), tmp_path_factory.mktemp("library"), request)
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
every = pytest.mark.parametrize("library", ALL_ENGINES, indirect=True, scope="module")
of_whoosh = pytest.mark.parametrize("library", ["whoosh"], indirect=True, scope="module")


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
        assert searcher.page_terms(page.url) == folder.page_terms(page.url)
        assert searcher.standing(page.url) == folder.standing(page.url)
    assert searcher.stored("http://none.test/") is None
    assert (searcher.documents, searcher.generation) == (folder.documents, folder.generation) == (len(PAGES), 1)


@both
def test_a_question_is_gone_on_with_alike(searcher: Searcher, folder: Searcher) -> None:
    for question in ("rye b", "ry", "the old m", "", "zz", 'intitle:"ca', "wheat ", "os.pa", "option e-m", "rye --f"):
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
    assert "The time for one query" in searcher.search('"rye bread" mill', deadline=Deadline(1e-9)).notice


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


# -- all three engines -------------------------------------------------------------------------------------------------

OVENS = {f"http://oven.test/{n}" for n in range(1, 9)}
OLD, HUSH, BRIEF, WHEAT = (f"http://bakery.test/{name}" for name in ("old.pdf", "hush", "brief", "wheat"))
MILL = "http://mill.test/en/index.html"
# A question in our language, the same in Whoosh's, and the pages that have what it asks for.
FINDS: list[tuple[str, str, set[str]]] = [
    ("oats", "oats", {BRIEF, MILL}),
    ("pretzel", "pretzel", {HUSH, BRIEF}),
    ("slowly", "slowly", OVENS),
    ("zzzz", "zzzz", set()),
    ("rolls pretzel", "rolls OR pretzel", {OLD, HUSH, BRIEF}),
    ("rolls OR pretzel", "rolls OR pretzel", {OLD, HUSH, BRIEF}),
    ("oats -pretzel", "oats NOT pretzel", {MILL}),
    ("oats -(pretzel OR sugar)", "oats NOT (pretzel OR sugar)", {MILL}),
    ("(rolls OR white) bread", "(rolls OR white) AND bread", {OLD, WHEAT}),
    ('"wheat bread"', '"wheat bread"', {"http://bakery.test/", WHEAT}),
    (
        '"bread oats"',
        '"bread oats"',
        set(),
    ),  # Whoosh's analysis drops "and": it finds "bread and wheat" as "bread wheat"
    ('slowly -"cake cake"', 'slowly NOT "cake cake"', {"http://oven.test/1"}),
    ("oats site:bakery.test", "oats site:bakery.test", {BRIEF}),
    ("oats -site:bakery.test", "oats NOT site:bakery.test", {MILL}),
    ("intitle:oven", "title:oven", OVENS),
]
HOSTILE = [
    "rye " * 25_000,
    "\x00rye\ud800bread\udfff",
    " ".join(f"w{number}" for number in range(10_000)),
    " OR ".join(["rye"] * 1_000),
    "NOT " * 2_000 + "a",
    '"' * 1_000,
    "(" * 1_000 + "a" + ")" * 1_000,
    "(a OR " * 1_000,
    "(NOT rye) OR NOT (NOT bread)",
    "0 ANDMAYBE ANDMAYBE 0",
    "rye ANDMAYBE AND NOT OR () title: site:() url:",
    'a^nan b^1e999 term~9 r".*" body:* url:* *a*b* [a TO b]',
    "\u202eabc\u202c {{7*7}} <script>alert(1)</script>",
]

WHOOSHS_WORDS = ["AND", "NOT", "ANDMAYBE", "REQUIRE", "title:", '"', "(", ")", "^2", "~1"]


def spelt(library: Engine, ours: str, whooshs: str) -> str:
    """Return a question in the language of an engine."""
    return whooshs if isinstance(library, WhooshEngine) else ours


@every
@pytest.mark.parametrize(("ours", "whooshs", "wanted"), FINDS)
def test_each_engine_finds_the_same_pages_for_reasons_that_add_up(
    library: Engine, searcher: Searcher, ours: str, whooshs: str, wanted: set[str]
) -> None:
    found = searcher.search(spelt(library, ours, whooshs), 50, exact=True)
    having = [hit for hit in found.hits if not hit.lacks]  # ours shows pages without a phrase behind those with it
    assert {hit.url for hit in having} == wanted
    assert found.total == len(found.hits)
    assert [hit.score for hit in having] == sorted((hit.score for hit in having), reverse=True)
    for hit in found.hits:
        explained = hit.explain()
        assert explained.lines()
        assert sum((Decimal(str(part.value)) for part in explained.parts), Decimal(0)) == explained.value


@every
def test_pages_of_results_follow_each_other_in_each_engine(searcher: Searcher) -> None:
    whole = [hit.url for hit in searcher.search("slowly", 50).hits]
    pages = [searcher.search("slowly", 3, number) for number in (1, 2, 3, 4, 99)]
    assert [hit.url for page in pages for hit in page.hits] == whole
    assert [hit.rank for page in pages for hit in page.hits] == list(range(1, len(whole) + 1))
    assert {page.total for page in pages} == {len(OVENS)}


@every
@pytest.mark.parametrize("question", HOSTILE, ids=lambda question: ascii(question[:20]))
def test_whatever_a_person_types_each_engine_answers_within_its_time(searcher: Searcher, question: str) -> None:
    found = searcher.search(question, 5)
    assert len(found.hits) <= found.total
    assert ("characters after the first 2,000" in found.notice) == (len(question) > 2_000)


@every
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from([*WORDS, *WHOOSHS_WORDS]), max_size=9).map(" ".join),
    )
)
def test_no_question_is_a_fault_in_any_engine(searcher: Searcher, question: str) -> None:
    for hit in searcher.search(question, 5).hits:
        assert hit.explain().value is not None
        assert all(0 <= start < end <= len(hit.snippet.text) for start, end in hit.snippet.spans)


@pytest.mark.parametrize("empty", ALL_ENGINES, indirect=True)
def test_the_text_of_a_page_is_shown_as_text_with_the_words_marked(empty: Engine) -> None:
    empty.write(a_page("a.test/1", "<i>Oats</i> & rye", 'Oats <b onclick="x">boiled</b> & "salted".'))
    (hit,) = empty.searcher().search("oats").hits
    assert str(highlighted(hit.marked_title)) == "&lt;i&gt;<mark>Oats</mark>&lt;/i&gt; &amp; rye"
    assert str(highlighted(hit.snippet)).startswith(
        "<mark>Oats</mark> &lt;b onclick=&#34;x&#34;&gt;boiled&lt;/b&gt; &amp; "
    )


# What Whoosh's folder lacks: words of the sentence that tells it; a question; how many results ours and Whoosh have.
LACKING = [
    ("near copies are not folded", "sugar", 1, 2),
    ("no page is hidden by its controls", "offer", 0, 1),
    ("no spelling", "sourdouhg", 2, 0),
    ("no operators but Whoosh's own", "filetype:pdf", 1, 0),
]


@of_whoosh
@pytest.mark.parametrize(("told_so", "question", "ours", "whooshs"), LACKING)
def test_what_whooshs_folder_lacks_is_told_with_its_results(
    searcher: Searcher, folder: Searcher, told_so: str, question: str, ours: int, whooshs: int
) -> None:
    assert (folder.search(question).total, searcher.search(question).total) == (ours, whooshs)
    assert told_so in searcher.search(question).notice
    assert told_so not in folder.search(question).notice


@of_whoosh
def test_what_else_whooshs_folder_lacks_is_told(library: Engine, folder: Searcher) -> None:
    searcher = library.searcher(blocked=lambda _: True)
    found = searcher.search("slowly", language="de")
    assert found.total == len(OVENS), "neither a block nor a narrowing works"
    for lacking in ("or a block", "no facets", "no PageRank", "Filters ignored: language."):
        assert lacking in found.notice
    assert (found.facets, searcher.complete("rye b"), searcher.page_terms(RYE), searcher.standing(RYE)) == (
        (),
        (),
        (),
        None,
    )
    assert folder.search("slowly").facets
    (hushed,) = (hit for hit in searcher.search("pretzel").hits if hit.url == HUSH)
    assert hushed.snippet.text, "the page asks for no snippet, and the index does not know"
    with pytest.raises(NotInForeignIndex, match="its own BM25F"):
        searcher.ranked_by(Formula())
    with pytest.raises(IndexFault, match="only search, serve and why can read a Whoosh folder"):
        library.writer()
