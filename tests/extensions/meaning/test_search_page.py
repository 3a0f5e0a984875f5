"""How does the search page report a reading by meaning?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from extensions.meaning.encoder import MeaningFault, MiniLM
from extensions.meaning.search import MeaningPart, MeaningSearch
from extensions.meaning.upkeep import VectorUpkeep
from extensions.tune.ranking_page import changes, settings_for, slider_groups, tuned_formula
from indexer import open_index
from indexer.ranking.score import Score
from indexer.ranking.weights import NAMES, Formula, Weights, changes_in, weights_from
from indexer.retrieval.results import results_as_dict
from tests.extensions.described import validate
from tests.extensions.meaning.networks import WordCounts
from tests.gateway.conftest import crawl, gateway, index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extensions.meaning.encoder import Encoder


def by_meaning(load: Callable[[], Encoder]) -> Formula:
    return Formula(contributors=(MeaningSearch(load),))


def test_a_result_with_none_of_the_words_says_so_with_its_passage_and_why(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)
    encoder = WordCounts({"leaven": "sourdough", "endurance": "patience"})
    upkeep = VectorUpkeep(tmp_path, encoder)
    while upkeep.step():
        pass
    client = gateway(tmp_path, formula=by_meaning(lambda: encoder))
    page = client.get("/search?q=leaven+endurance").text
    assert "None of the words; found by the meaning of" in page
    assert "Rye needs a sourdough, and patience." in page
    (hit, *_) = client.get("/api/search?q=leaven+endurance").get_json()["hits"]
    assert hit["meaning"]["alone"] is True
    why = client.get("/why", query_string={"url": hit["url"], "q": "leaven endurance"}).text
    assert "best score without meaning" in why
    assert "Rye needs a sourdough, and patience." in why


def test_where_nothing_was_read_by_meaning_words_answer_and_it_is_said(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)

    def missing() -> Encoder:
        raise MeaningFault("the packages are not installed; ./breadcrumb index --meaning installs them")

    page = gateway(tmp_path, formula=by_meaning(missing)).get("/search?q=rye").text
    assert "/rye.html" in page or "Rye bread" in page
    assert "words alone" in page
    assert "index --meaning" in page


def test_what_it_adds_to_a_response_is_described(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)
    results = open_index(tmp_path).search("rye")
    part = MeaningPart("meaning", "passage", 1.0, 0.5, 0.1, 1.0, 2.0, "Rye keeps.")
    hits = tuple(replace(hit, _has_added_parts=True, _explain=lambda: Score(1.0, (part,))) for hit in results.hits)
    notices = {"not_read_by_meaning": "Pages in German are not."}
    told = results_as_dict(replace(results, hits=hits, not_added=notices), 0.1)
    validate(told, "/api/search", "get", 200)
    assert told["hits"][0]["meaning"] == {"similarity": 0.5, "passage": "Rye keeps.", "alone": True}
    assert told["not_read_by_meaning"] == "Pages in German are not."


NUMBERS = st.floats(0.01, 1.0)


@given(st.dictionaries(st.sampled_from(NAMES), NUMBERS), st.dictionaries(st.sampled_from(NAMES), NUMBERS))
def test_its_weight_has_a_slider_where_it_is_on(saved: dict[str, float], turned: dict[str, float]) -> None:
    before = replace(by_meaning(MiniLM), weights=Weights(**saved))
    after = tuned_formula(before, {name: f"{value!r}" for name, value in turned.items()})
    kept = dict(line.split("=", 1) for line in settings_for(before, after))
    weights = weights_from(filter(None, kept.get("RANKING", ",".join(changes_in(before.weights))).split(",")))
    assert replace(before, weights=weights) == after
    assert tuned_formula(before, changes(before, after)) == after
    groups = {group.title: [each.name for each in group.sliders] for group in slider_groups(before, after)}
    assert groups["Meaning"] == ["meaning"]
    off = Formula(Weights(**saved))
    assert "Meaning" not in {group.title for group in slider_groups(off, off)}
