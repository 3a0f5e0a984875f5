from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.ranking.query_postings import POSITION_BITS
from indexer.snippets.passages import MAX_PASSAGES, best_passages, text_regions

Words = list[tuple[float, list[int]]]
PLACES = st.sets(st.integers(0, 200), max_size=30).map(sorted)
WEIGHTS = st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=1, max_size=4)


def words_in(words: Words, start: int, reach: int) -> float:
    return sum(weight for weight, places in words if any(start <= place < start + reach for place in places))


def passages_of(pages: dict[int, Words], reaches: list[int], others: int = 0) -> list[list[tuple[int, float]]]:
    """Ask for pages by their numbers; places on pages below `others` are there, and nobody asks for them."""
    weights = [weight for weight, _ in next(iter(pages.values()))]
    words = [
        (
            weight,
            np.array(
                [(page << POSITION_BITS) + 3 for page in range(others)]
                + [(page << POSITION_BITS) + place for page in sorted(pages) for place in pages[page][number][1]],
                np.int64,
            ),
        )
        for number, weight in enumerate(weights)
    ]
    return best_passages(words, sorted(pages), reaches)


@given(
    WEIGHTS,
    st.lists(st.tuples(st.integers(5, 9), st.integers(1, 60)), min_size=1, unique_by=lambda one: one[0]),
    st.data(),
)
def test_no_other_stretch_has_words_that_weigh_more_than_those_of_the_best(
    weights: list[float], asked: list[tuple[int, int]], data: st.DataObject
) -> None:
    asked.sort()
    pages: dict[int, Words] = {page: [(weight, data.draw(PLACES)) for weight in weights] for page, _ in asked}
    together = passages_of(pages, [reach for _, reach in asked], others=5)
    for (page, reach), found in zip(asked, together, strict=True):
        words = pages[page]
        assert found == passages_of({page: words}, [reach])[0], "whatever other pages are asked for"
        starts = {place for _, places in words for place in places}
        assert bool(found) == bool(starts)
        assert len(found) <= MAX_PASSAGES
        if found:
            assert {start for start, _ in found} <= starts
            most = max(words_in(words, start, reach) for start in starts)
            assert (
                found[0][1] == words_in(words, found[0][0], reach) >= most - 0.5
            )  # a word that stands there again may count a little more
            assert all(abs(one - other) >= reach for one, _ in found for other, _ in found if one != other)


def test_landmarks_lead_from_positions_to_the_parts_of_the_text_that_have_them() -> None:
    checkpoints = ((0, 260, 520, 780), (0, 40, 80, 120))
    assert text_regions([(45, 2.0)], 30, checkpoints, 1_000) == [(260, 520, 2.0)]
    assert text_regions([(125, 2.0), (5, 1.0)], 30, checkpoints, 1_000) == [(780, 1_000, 2.0), (0, 260, 1.0)]
    assert text_regions([(75, 1.0)], 30, checkpoints, 1_000) == [(260, 780, 1.0)]
    assert text_regions([(125, 1.0)], 30, checkpoints, 600) == [], "that part of the text is not kept"
