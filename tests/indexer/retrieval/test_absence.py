"""Is the step that left a page out that of the ranking, and its place that of the results?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from indexer.ranking.weights import Formula, Weights
from indexer.retrieval.absence import ResultStep
from indexer.segments.schema import StoredFields

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

SENTENCE = "who is running there at night by the old mill pond and why"
WORDS = ["alpha", "beta", "gamma", "delta", "omega"]


def test_a_page_with_another_form_of_a_word_answers_a_sentence_though_such_forms_count_nothing_in_short_questions(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(
        page("form", "She runs.", language="en"),
        page("other", "Rye bread.", language="en"),
        formula=Formula(Weights(other_form=0.0)),
    )
    form, other = (f"http://site.test/{name}" for name in ("form", "other"))
    assert searcher.find_hit(form, SENTENCE, 10)[1].rank == 1
    assert searcher.reason_absent(form, SENTENCE).step is ResultStep.RANK
    assert searcher.reason_absent(form, "running").step is ResultStep.WORDS
    assert searcher.reason_absent(other, SENTENCE).step is ResultStep.WORDS


@pytest.fixture(scope="module")
def many() -> list[dict[str, Any]]:
    dice = random.Random(11)
    texts = [" ".join(dice.choices(WORDS, k=12)) for _ in range(60)]
    return [{"name": f"p{n}", "text": text, "cluster": n % 7 or None} for n, text in enumerate(texts)]


@pytest.mark.parametrize("blocked", [None, lambda url: url.endswith("5")], ids=["all may be shown", "some may not"])
def test_the_place_of_a_page_is_that_on_the_page_of_results(
    index: Callable[..., Any],
    page: Callable[..., Page],
    many: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    blocked: Callable[[str], bool] | None,
) -> None:
    searcher = index(*(page(**one) for one in many), page("none", "rye"), blocked=blocked)
    shown = {hit.url: (hit.rank, hit.score, hit.similar) for hit in searcher.search("alpha gamma", 100).hits}
    unpack, unpacked = StoredFields.unpack, list[str]()

    def noted(packed: bytes) -> StoredFields:
        unpacked.append((found := unpack(packed)).url)
        return found

    monkeypatch.setattr(StoredFields, "unpack", noted)
    for one in many:
        url = f"http://site.test/{one['name']}"
        unpacked.clear()
        _, hit = searcher.find_hit(url, "alpha gamma", 100)
        if blocked is None:
            assert len(unpacked) <= 2, "the page, and the one under which it stands"
        found = hit and not hit.under and (hit.rank, hit.score, hit.similar)
        assert (found or None) == shown.get(url)
        if hit and hit.under:
            assert hit.rank == shown[hit.under][0]
    unpacked.clear()
    assert searcher.find_hit("http://site.test/none", "alpha gamma", 100)[1] is None
    assert not unpacked
