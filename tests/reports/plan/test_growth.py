"""How many URLs a site will bring, judged by what links still lead to."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.plan.growth import Links, urls_in_all
from reports.wording import Span

LIMIT = 50_000


@pytest.mark.parametrize(
    ("known", "queued", "links", "expected"),
    [
        pytest.param(12, 0, Links(3, 3), Span(12, 12), id="nothing waits: the site has shown itself whole"),
        pytest.param(100, 80, Links(100, 0), Span(100, 105), id="100 links, none new: the interval alone is left"),
        pytest.param(300, 280, Links(150, 100), Span(300, 1148), id="two of three are new"),
        pytest.param(40, 30, Links(0, 0), Span(40, LIMIT), id="no link tells anything"),
        pytest.param(40, 30, Links(20, 20), Span(40, LIMIT), id="all links are new"),
        pytest.param(60_000, 10, Links(9, 9), Span(60_000, 60_000), id="more is known than SITE_PAGES"),
    ],
)
def test_the_upper_figure_follows_from_the_share_of_links_that_are_new(
    known: int, queued: int, links: Links, expected: Span
) -> None:
    assert urls_in_all(known, queued, links, LIMIT) == expected


def test_what_comes_by_other_ways_is_added() -> None:
    assert urls_in_all(100, 80, Links(100, 0), LIMIT, more=500.5).upper == 606


@pytest.mark.parametrize("seed", range(5))
def test_a_site_of_random_links_is_within_its_span(seed: int) -> None:
    """The assumption itself: each page links to ten random pages of 400, and 40 of them are read."""
    draw = random.Random(seed)
    known, queue, seen, new = {0}, [0], 0, 0
    for page in range(40):
        queue.pop(0)
        for target in {draw.randrange(400) for _ in range(10)}:
            if page >= 20:
                seen, new = seen + 1, new + (target not in known)
            if target not in known:
                known.add(target)
                queue.append(target)
    span = urls_in_all(len(known), len(queue), Links(seen, new), LIMIT)
    assert span.lower <= 400 <= span.upper <= 4 * 400


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6), st.floats(0, 1e9))
def test_no_figures_make_a_span_upside_down(known: int, seen: int, new: int, limit: int, more: float) -> None:
    span = urls_in_all(known, 1, Links(max(seen, new), new), limit, more=more)
    assert span.lower == known
    assert known <= span.upper <= max(known, limit)
