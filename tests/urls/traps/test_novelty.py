"""Novelty: what makes a page new to its pattern, and what only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.traps import PatternKind
from urls.traps.novelty import MAX_LINES, marks
from urls.traps.patience import allowance, has_had_its_chance


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Page 1", "Page 2", id="a counter"),
        pytest.param("April 2026", "May 2027", id="a calendar"),
        pytest.param("On Monday the 3rd", "On Sunday the 21st", id="a day"),
        pytest.param("Session 0123456789abcdef", "Session fedcba9876543210", id="a token"),
        pytest.param("Item 1a2b3c4d", "Item 99ff00aa", id="a short token"),
        pytest.param("Goods\nA lamp\nA chair", "Goods\nA chair\nA lamp", id="a filter, in another order"),
        pytest.param("0.1234", "0.98765", id="a throw of the dice"),
    ],
)
def test_what_differs_in_numbers_dates_or_order_says_the_same(first: str, second: str) -> None:
    assert set(marks("T", first)) == set(marks("T", second))


def test_one_line_of_its_own_makes_a_page_new() -> None:
    assert set(marks("T", "Menu\nRye bread keeps for a week")) - set(marks("T", "Menu\nOats are for horses"))


@given(st.text(max_size=300), st.text(max_size=300))
def test_marks_are_numbers_that_fit_a_database_each_once(title: str, text: str) -> None:
    found = marks(title, text)
    assert len(found) == len(set(found)) <= MAX_LINES
    assert all(-(2**63) <= mark < 2**63 for mark in found)
    assert found == marks(title, text)


def test_a_page_that_says_something_new_widens_the_allowance() -> None:
    assert [allowance(200, fresh) for fresh in (0, 1, 480)] == [200, 210, 5000]


@pytest.mark.parametrize(
    ("kind", "barren"), [(PatternKind.NUMBERED, 20), (PatternKind.PROGRAM, 30), (PatternKind.FOLDER, 40)]
)
def test_a_pattern_is_closed_after_so_many_pages_in_a_row(kind: PatternKind, barren: int) -> None:
    assert has_had_its_chance(kind, barren, 20)
    assert not has_had_its_chance(kind, barren - 1, 20)
    assert not has_had_its_chance(kind, 10**6, 0), "patience 0 is endless"
