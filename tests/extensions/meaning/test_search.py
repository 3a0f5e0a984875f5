"""Does a search by meaning find what words do not, and say so to the last digit?"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import indexer
from extensions.meaning import ranking_weights
from extensions.meaning.encoder import MeaningFault
from extensions.meaning.search import FLOOR, OF_LENGTH, MeaningPart, MeaningSearch
from extensions.meaning.upkeep import VectorUpkeep
from extensions.meaning.vectors import MEANING_FOLDER
from indexer.query.deadline import Deadline
from indexer.ranking.weights import SENTENCE_WORDS, Formula, Weights
from indexer.retrieval.results import results_as_dict
from tests.extensions.meaning.networks import WordCounts
from urls.signals import Signal, SignalName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extensions.meaning.encoder import Encoder
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher
    from urls.records import Page

ALIKE = {"car": "automobile", "repair": "mend", "garage": "workshop"}


def by_meaning(load: Callable[[], Encoder], weights: Weights | None = None) -> Formula:
    return Formula(weights or Weights(), contributors=(MeaningSearch(load),))


@pytest.fixture
def search(tmp_path: Path) -> Callable[..., Searcher]:
    """Index pages, read them by meaning, and open the index for both readings."""

    def make(*pages: Page, formula: Formula | None = None, read: bool = True) -> Searcher:
        encoder = WordCounts(ALIKE)
        with indexer.open_writer(tmp_path) as writer:
            for each in pages:
                writer.put(each)
        upkeep = VectorUpkeep(tmp_path, encoder)
        while read and upkeep.step():
            pass
        return indexer.open_index(tmp_path, formula=formula or by_meaning(lambda: encoder))

    return make


@pytest.fixture
def pages(page: Callable[..., Page]) -> list[Page]:
    more = {"language": "en"}
    return [
        page("words", "How the car wash works, and why we wash.", title="Wash", **more),
        page("meaning", "Mend automobile workshop.", title="Automobile", **more),
        page("bread", "Rye bread needs warmth and time.", title="Bread", **more),
        page("deutsch", "Automobile mend workshop.", title="Automobile", language="de"),
    ]


def meaning(hit: Hit) -> MeaningPart:
    (part,) = hit.added_parts
    assert isinstance(part, MeaningPart)
    return part


def names(searcher: Searcher, query: str, **options: object) -> list[str]:
    found = searcher.search(query, **options)  # type: ignore[arg-type]  # each test knows its own options
    return [hit.url.rpartition("/")[2] for hit in found.hits]


def test_a_page_with_none_of_the_words_is_found_and_its_passage_told(
    search: Callable[..., Searcher], pages: list[Page]
) -> None:
    hits = {hit.url.rpartition("/")[2]: hit for hit in search(*pages).search("car repair garage").hits}
    assert set(hits) == {"words", "meaning"}, "a page that is not in English has no vector"
    found = hits["meaning"]
    assert found.has_no_word
    assert meaning(found).passage == "Mend automobile workshop."
    assert meaning(found).similarity > 0.8
    assert "meaning: weight" in str(found.explain())
    assert not hits["words"].has_no_word


def test_switched_off_it_changes_nothing(search: Callable[..., Searcher], pages: list[Page]) -> None:
    searcher = search(*pages, formula=Formula())
    results = searcher.search("car repair garage")
    assert [hit.url.rpartition("/")[2] for hit in results.hits] == ["words"]
    assert (results.hits[0].added_parts, results.notice) == ((), "")


def test_a_part_is_what_the_formula_says(search: Callable[..., Searcher], pages: list[Page]) -> None:
    by_words = search(*pages, formula=Formula()).search("car repair garage").hits[0].score
    part = next(meaning(hit) for hit in search(*pages).search("car repair garage").hits if hit.has_no_word)
    assert part.best == pytest.approx(by_words, abs=1e-3)
    assert part.weight == pytest.approx(ranking_weights()[0].default * (3 / SENTENCE_WORDS) ** OF_LENGTH)
    assert part.value == pytest.approx(part.weight * part.best * (part.similarity - FLOOR) / (1 - FLOOR), abs=1e-3)


def test_parts_add_up_to_the_last_digit_and_best_first(
    search: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    kinds = ("car wash", "automobile", "mend workshop", "rye bread", "car repair")
    made = [page(f"{at}", f"{kinds[at % 5]} number{at} {kinds[at % 3]}.", language="en") for at in range(60)]
    searcher = search(*made)
    for query in ("car repair garage", "automobile", "why does my car need a repair in a garage", "rye workshop"):
        hits = searcher.search(query, 60).hits
        scores = [hit.explain() for hit in hits]
        assert any(hit.added_parts for hit in hits)
        for score in scores:
            assert sum((Decimal(str(part.value)) for part in score.parts), Decimal(0)) == score.value
        assert [score.total for score in scores] == sorted((score.total for score in scores), reverse=True)
        pages = [hit.url for number in range(1, 8) for hit in searcher.search(query, 9, number).hits]
        assert pages[: len(hits)] == [hit.url for hit in hits], "in the same order on whatever page"


def test_where_no_page_has_a_word_meaning_answers_alone(search: Callable[..., Searcher], pages: list[Page]) -> None:
    assert names(search(*pages), "repair garage") == ["meaning"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("car repair garage site:elsewhere.test", [], id="another site"),
        pytest.param("car repair garage -workshop", ["words"], id="an excluded word"),
        pytest.param(
            '"mend automobile" car repair garage', ["meaning", "deutsch", "words"], id="its phrase stands first"
        ),
        pytest.param("car repair garage lang:de", [], id="another language"),
    ],
)
def test_filters_hold_for_what_is_found_by_meaning(
    search: Callable[..., Searcher], pages: list[Page], query: str, expected: list[str]
) -> None:
    assert names(search(*pages), query) == expected


@pytest.mark.parametrize("query", ["как починить автомобиль", "自動車の修理", "كيف أصلح السيارة"])
def test_a_question_in_another_script_is_answered_by_words_and_that_is_said(
    search: Callable[..., Searcher], pages: list[Page], query: str
) -> None:
    assert "only English is read by meaning" in search(*pages).search(query).notice


def test_a_question_in_another_language_of_the_index_is_answered_by_words(
    search: Callable[..., Searcher], pages: list[Page]
) -> None:
    results = search(*pages).search("wie kann ich das automobile reparieren")
    assert "another language (de)" in results.notice
    assert not any(hit.added_parts for hit in results.hits)


def test_a_removed_page_is_not_found_by_its_meaning(
    search: Callable[..., Searcher], pages: list[Page], tmp_path: Path
) -> None:
    searcher = search(*pages)
    with indexer.open_writer(tmp_path) as writer:
        writer.remove(pages[1].url)
    assert names(searcher, "repair garage") == []


def test_what_spoofing_costs_is_taken_from_meaning_too(
    search: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    sign = (Signal(SignalName.STUFFING, 1.0, "one word is all of it"),)
    cheat = page("cheat", "Mend automobile workshop.", language="en", signals=sign)
    honest = page("honest", "We mend an automobile now and then in our workshop on the corner.", language="en")
    assert names(search(cheat, honest), "car repair garage") == ["honest", "cheat"]


def test_what_may_not_be_shown_is_not_quoted(search: Callable[..., Searcher], page: Callable[..., Page]) -> None:
    from robots import PageControls  # noqa: PLC0415 - this test alone

    hidden = page(
        "n", "Mend automobile workshop.", title="Mend automobile", language="en", controls=PageControls(snippet=0)
    )
    (hit,) = search(hidden).search("repair car").hits
    assert meaning(hit).passage == "Mend automobile"


def test_without_the_extra_words_answer_and_what_to_do_is_said(
    search: Callable[..., Searcher], pages: list[Page], tmp_path: Path
) -> None:
    search(*pages)

    def missing() -> Encoder:
        raise MeaningFault("the packages are not installed; ./breadcrumb index --meaning installs them")

    results = indexer.open_index(tmp_path, formula=by_meaning(missing)).search("car repair")
    assert len(results.hits) == 1
    assert "Found by words alone" in results.notice
    assert "./breadcrumb index --meaning" in results.notice


def test_pages_that_were_not_read_yet_are_told(search: Callable[..., Searcher], pages: list[Page]) -> None:
    results = search(*pages, read=False).search("car")
    assert "4 pages of the index are not read by meaning" in results.notice


def test_a_damaged_file_leaves_what_words_find(
    search: Callable[..., Searcher], pages: list[Page], tmp_path: Path
) -> None:
    search(*pages)
    for path in (tmp_path / "index" / MEANING_FOLDER).iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    results = indexer.open_index(tmp_path, formula=by_meaning(lambda: WordCounts(ALIKE))).search("car repair garage")
    assert [hit.url.rpartition("/")[2] for hit in results.hits] == ["words"]
    assert "is damaged" in results.notice


def test_past_the_deadline_it_is_left_out_and_named(search: Callable[..., Searcher], pages: list[Page]) -> None:
    results = search(*pages).search("car repair", deadline=Deadline(0))
    assert "what the query means" in results.left_out


def test_json_names_the_passage(search: Callable[..., Searcher], pages: list[Page]) -> None:
    told = results_as_dict(search(*pages).search("repair garage"), 0.0)
    assert told["hits"][0]["meaning"]["passage"] == "Mend automobile workshop."
    assert told["hits"][0]["meaning"]["alone"] is True


@pytest.mark.parametrize("query", ["", '"', "()", "OR", "-", "site:x", "\0", "\ud800", "x" * 3_000, "car " * 900])
def test_no_question_is_an_error(search: Callable[..., Searcher], pages: list[Page], query: str) -> None:
    search(*pages).search(query)


def test_what_reads_by_meaning_is_loaded_for_a_question_that_it_can_read(
    search: Callable[..., Searcher], pages: list[Page], tmp_path: Path
) -> None:
    search(*pages)
    loaded: list[str] = []

    def load() -> WordCounts:
        loaded.append("encoder")
        return WordCounts(ALIKE)

    searcher = indexer.open_index(tmp_path, formula=by_meaning(load))
    assert searcher.search("wie und der das ist").not_added
    assert searcher.search("site:site.test lang:en").total == 3
    assert not loaded
    assert searcher.search("car repair").total == 2
    assert searcher.search("car wash").total
    assert loaded == ["encoder"]


def test_a_page_that_is_near_in_meaning_did_not_fall_for_want_of_words(
    search: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    searcher = search(page("words", "The car wash.", language="en"), page("meaning", "Mend automobile.", language="en"))
    hits = searcher.search("car repair").hits
    assert {hit.url: f"number {hit.rank} of 2" for hit in hits} == {
        hit.url: searcher.reason_absent(hit.url, "car repair").reason.partition("it is ")[2].partition(",")[0]
        for hit in hits
    }
