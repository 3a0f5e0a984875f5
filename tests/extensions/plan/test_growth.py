"""How many URLs a site will bring, judged by what links still lead to."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.plan.forecast import ENOUGH_PAGES, Coverage, Links, urls_in_all
from reports.wording import Span

LIMIT = 50_000


def coverage(known: int, queued: int, unread: int = 0, pages: int = ENOUGH_PAGES) -> Coverage:
    """Of a site of which the URLs that wait were visited in an earlier round, unless the test has others."""
    return Coverage(known, queued, unread, pages)


@pytest.mark.parametrize(
    ("covered", "links", "expected"),
    [
        pytest.param(coverage(12, 0), Links(3, 3), Span(12, 12), id="nothing waits: all URLs are known"),
        pytest.param(
            coverage(100, 80), Links(100, 0), Span(100, 105), id="100 links, none new: the interval alone is left"
        ),
        pytest.param(coverage(300, 280), Links(150, 100), Span(300, 1148), id="two of three are new"),
        pytest.param(coverage(40, 30), Links(0, 0), Span(40, LIMIT), id="nothing was read"),
        pytest.param(coverage(40, 30), Links(20, 20), Span(40, LIMIT), id="all links are new"),
        pytest.param(coverage(60_000, 10), Links(9, 9), Span(60_000, 60_000), id="more is known than SITE_PAGES"),
        pytest.param(coverage(200, 30, 30), Links(100, 0), Span(200, 290), id="three URLs an unread page"),
        pytest.param(coverage(200, 150, 150), Links(100, 0), Span(200, 600), id="twice the known ones at most"),
        pytest.param(coverage(200, 175, 175, 25), Links(100, 0), Span(200, 1000), id="few pages say less"),
        pytest.param(
            coverage(200, 150, 150), Links(100, 80), Span(200, 1522), id="where the links say more, they count"
        ),
    ],
)
def test_the_upper_figure_follows_from_new_links_and_unread_pages(
    covered: Coverage, links: Links, expected: Span
) -> None:
    assert urls_in_all(covered, links, LIMIT) == expected


def test_what_comes_by_other_ways_is_added() -> None:
    assert urls_in_all(coverage(100, 80), Links(100, 0), LIMIT, more=500.5).upper == 606


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
    span = urls_in_all(coverage(len(known), len(queue)), Links(seen, new), LIMIT)
    assert span.lower <= 400 <= span.upper <= 4 * 400


WHOLE = st.integers(0, 10**6)


@given(WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, st.integers(1, 10**6), st.floats(0, 1e9))
def test_no_figures_make_a_span_upside_down(
    known: int, unread: int, pages: int, seen: int, new: int, limit: int, more: float
) -> None:
    span = urls_in_all(Coverage(known, 1, unread, pages), Links(max(seen, new), new), limit, more=more)
    assert span.lower == known
    assert known <= span.upper <= max(known, limit)
