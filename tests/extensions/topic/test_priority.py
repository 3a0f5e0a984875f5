"""The priority of a URL and the relevance of a page, from 0 to 1: contributions add up, rare terms weigh more."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.topic.priority import (
    ANCHOR,
    AROUND,
    DECAY,
    DIGITS,
    FOLDER_PRIOR,
    MAX_TERMS,
    NAME,
    PARENT,
    STEPS,
    YIELD,
    TermWeights,
    Topic,
    TopicTerm,
    folder_yield,
    handed_on,
    priority_parts,
    term_frequencies,
    term_saturation,
)

shares = st.floats(0, 1)
topics = st.lists(
    st.builds(TopicTerm, st.text(), st.floats(0.1, 10), st.floats(0.01, 1)), min_size=1, max_size=MAX_TERMS
)


def weighing(*words: str, pages: int = 0, having: tuple[int, ...] = ()) -> TermWeights:
    return TermWeights.of(Topic("", tuple(map(TopicTerm, words))), pages, having or (0,) * len(words))


def test_the_weights_of_a_promise_add_up_to_1() -> None:
    assert math.isclose(ANCHOR + AROUND + NAME + PARENT + YIELD, 1)
    assert priority_parts(1, 1, 1, 1, 1).total == 1


@given(st.tuples(shares, shares, shares, shares, shares))
def test_the_parts_add_up_to_the_promise_to_the_last_digit_shown(
    signs: tuple[float, float, float, float, float],
) -> None:
    made = priority_parts(*signs)
    assert sum(int(f"{part:.{DIGITS}f}".replace(".", "")) for part in made) == round(made.total * 10**DIGITS)
    assert 0 <= made.total <= 1


@given(topics, st.integers(0, 10**6), st.data())
def test_a_weighing_stays_within_its_bounds_whatever_the_pages_have(
    terms: list[TopicTerm], pages: int, data: st.DataObject
) -> None:
    count = len(terms)
    having = data.draw(st.lists(st.integers(0, pages), min_size=count, max_size=count))
    made = TermWeights.of(Topic("", tuple(terms)), pages, having)
    assert math.isclose(math.fsum(made.weights), 1)
    assert 0 <= made.match(data.draw(st.integers(0, 2**count - 1))) <= 1
    assert math.isclose(made.match(2**count - 1), 1)
    assert 0 <= made.relevance(data.draw(st.binary(min_size=count, max_size=count))) <= 1


def test_a_term_that_most_pages_have_tells_least() -> None:
    common, rare = weighing("sqlite", "rtree", pages=100, having=(95, 3)).weights
    assert rare > 10 * common


def test_two_of_the_terms_that_tell_most_are_a_full_match() -> None:
    made = weighing("a", "b", "c", "d")
    assert [made.match(terms) for terms in (0, 0b1, 0b101, 0b1111)] == [0, 0.5, 1, 1]
    assert weighing("one").match(1) == 1


def test_the_description_of_a_topic_is_as_relevant_as_can_be() -> None:
    terms = tuple(TopicTerm(word, 1.0, said) for word, said in (("rye", 0.5), ("oven", 0.25)))
    made = TermWeights.of(Topic("", terms), 0, (0, 0))
    assert made.relevance(bytes(math.ceil(STEPS * term.said) for term in terms)) == 1
    assert made.relevance(bytes([64, 0])) == pytest.approx(64 / STEPS * 0.5 / made.own)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        pytest.param((2, 100), (1, 100), id="said twice"),
        pytest.param((2, 100), (2, 10_000), id="in a shorter page"),
        pytest.param((1, 100), (0, 100), id="said at all"),
    ],
)
def test_what_a_page_says_of_a_term(more: tuple[int, int], less: tuple[int, int]) -> None:
    assert term_saturation(*more) > term_saturation(*less)


@pytest.mark.slow
def test_what_a_page_has_is_never_rounded_away() -> None:
    assert term_frequencies([0, 1], 10**9) == bytes([0, 1])


def test_what_is_inherited_halves_with_each_page_that_is_not_relevant() -> None:
    assert handed_on(0.8, 0.1) == 0.8
    assert handed_on(0.0, handed_on(0.0, 0.8)) == pytest.approx(DECAY * DECAY * 0.8)


def test_a_new_folder_is_judged_by_its_site_and_an_old_one_by_itself() -> None:
    assert folder_yield(0, 0, 9, 18) == 0.5
    assert folder_yield(1000, 1000, 0, 10_000) == pytest.approx(1, abs=FOLDER_PRIOR / 1000)
