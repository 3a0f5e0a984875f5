"""Which pages of results can be gone to."""

from __future__ import annotations

import pytest

from indexer.gateway.paging import Paging, paging


@pytest.mark.parametrize(
    ("total", "current", "last", "before", "after", "numbers"),
    [
        pytest.param(0, 1, 0, None, None, [], id="no results, no pages"),
        pytest.param(10, 1, 1, None, None, [1], id="a full page is the last one"),
        pytest.param(11, 1, 2, None, 2, [1, 2], id="one more needs a second"),
        pytest.param(200, 10, 20, 9, 11, [7, 8, 9, 10, 11, 12, 13], id="three on each side"),
        pytest.param(11, 9, 2, 2, None, [], id="beyond the end one can go back to it"),
        pytest.param(10**6, 100, 100, 99, None, [97, 98, 99, 100], id="pages that can't be asked for are not offered"),
    ],
)
def test_pages_around_this_one_are_offered(
    total: int, current: int, last: int, before: int | None, after: int | None, numbers: list[int]
) -> None:
    found = paging(total, 10, current, 100)
    assert found == Paging(current, last)
    assert (found.before, found.after, list(found.numbers)) == (before, after, numbers)
