"""Differences between two fetches of a page are recognised on other pages, and a page's own words are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content.volatile import LearntLines, changed_lines

PAGE = "Acme\nThe loaf of {}\nVisitor\n{}\nQuotation of the day\n{}\nContact\nMade by web{} for you"


def of(name: str, visitor: str, quotation: str, server: str) -> str:
    return PAGE.format(name, visitor, quotation, server)


FIRST, SECOND = of("rye", "1,234", "Bread is life.", "01"), of("rye", "1,235", "Man shall not\nlive by it.", "07")


def learnt(first: str = FIRST, second: str = SECOND) -> LearntLines:
    return LearntLines.of((line.mark, line.until) for line in changed_lines(first, second))


def steady(text: str) -> list[str]:
    return learnt().steady_lines(text.split("\n"))


def test_numbers_and_boxes_are_told_apart_with_an_example_each() -> None:
    found = changed_lines(FIRST, SECOND)
    assert [(line.example, bool(line.until)) for line in found] == [
        ("1,234", False),
        ("Bread is life.", True),
        ("Made by web01 for you", False),
    ]


def test_what_changed_on_one_page_is_left_out_of_another() -> None:
    other = of("spelt", "99,000", "Give us this day\nour daily bread\nand jam.", "12")
    assert steady(other) == ["Acme", "The loaf of spelt", "Visitor", "Quotation of the day", "Contact"]
    assert learnt().changing(other.split("\n")) == [
        "99,000", "Made by web12 for you", "Give us this day our daily bread and jam.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Year\n1926\nLoaves\n1,234", id="numbers elsewhere"),
        pytest.param("Quotation of the day\nwas a custom", id="only the line before a box"),
        pytest.param("Made by hand for you", id="a line that is like another but for a word"),
        pytest.param("Quotation of the day\n" + "line\n" * 25 + "Contact", id="too much between two lines"),
        pytest.param("", id="nothing"),
    ],
)
def test_everything_else_is_content(text: str) -> None:
    assert steady(text) == text.split("\n")


def test_an_edit_in_the_text_is_a_box_of_this_page_alone() -> None:
    edit = learnt("Acme\nThe loaf of rye\nEat it warm.\nContact", "Acme\nThe loaf of rye\nEat it cold.\nContact")
    other = ["Acme", "The loaf of spelt", "Eat it soon.", "Contact"]
    assert edit.steady_lines(other) == other


def test_what_was_added_or_taken_away_is_a_box_too() -> None:
    first, second = "Acme\nNews\nContact", "Acme\nNews\nWe are closed today.\nContact"
    assert learnt(first, second) == learnt(second, first)
    assert learnt(first, second).steady_lines(["News", "Open till 11.", "Contact"]) == ["News", "Contact"]


def test_pages_that_differ_in_hundreds_of_lines_teach_nothing() -> None:
    first = "\n".join(f"{'ab'[number % 2]} {number}" for number in range(1000))
    assert changed_lines(first, first.replace("a", "c")) == []


LINES = st.lists(st.sampled_from(["a", "b", "News", "1", "22", "Read 3 times", ""]), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_what_is_learnt_from_two_texts_makes_at_most_their_common_lines_steady(first: str, second: str) -> None:
    known = learnt(first, second)
    for text in (first, second):
        lines = text.split("\n")
        rest = known.steady_lines(lines)
        assert len(rest) <= len(lines)
        assert (rest == lines) <= (not known.changing(lines))


@given(st.text(), st.text())
def test_any_texts_can_be_compared(first: str, second: str) -> None:
    learnt(first, second).steady_lines(first.split("\n"))


@given(LINES)
def test_a_text_that_stayed_teaches_nothing(text: str) -> None:
    assert changed_lines(text, text) == []
