from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.snippets.passages import PASSAGES, best_passages, text_regions

PLACES = st.sets(st.integers(0, 200), max_size=30).map(lambda found: np.array(sorted(found), np.uint32))
WORDS = st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0]), PLACES), min_size=1, max_size=4)


def words_in(words: list[tuple[float, np.ndarray]], start: int, reach: int) -> float:
    return sum(weight for weight, places in words if any(start <= place < start + reach for place in places.tolist()))


@given(WORDS, st.integers(1, 60))
def test_no_other_stretch_has_words_that_weigh_more_than_those_of_the_best(
    words: list[tuple[float, np.ndarray]],
    reach: int,
) -> None:
    found = best_passages(words, reach)
    starts = {place for _, places in words for place in places.tolist()}
    assert bool(found) == bool(starts)
    assert len(found) <= PASSAGES
    if found:
        assert {start for start, _ in found} <= starts
        most = max(words_in(words, start, reach) for start in starts)
        assert (
            found[0][1] == words_in(words, found[0][0], reach) >= most - 0.5
        )  # a word that stands there again may count a little more
        assert all(abs(one - other) >= reach for one, _ in found for other, _ in found if one != other)


def test_landmarks_lead_from_positions_to_the_parts_of_the_text_that_have_them() -> None:
    landmarks = ((0, 260, 520, 780), (0, 40, 80, 120))
    assert text_regions([(45, 2.0)], 30, landmarks, 1_000) == [(260, 520, 2.0)]
    assert text_regions([(125, 2.0), (5, 1.0)], 30, landmarks, 1_000) == [(780, 1_000, 2.0), (0, 260, 1.0)]
    assert text_regions([(75, 1.0)], 30, landmarks, 1_000) == [(260, 780, 1.0)]
    assert text_regions([(125, 1.0)], 30, landmarks, 600) == [], "that part of the text is not kept"
