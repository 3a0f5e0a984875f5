"""On which words a near copy and its original part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.why.differences import BEFORE, LINES, SHOWN, TextDifference, difference

SAME = "The same words stand at the beginning of the line, and of the other"


@pytest.mark.parametrize(
    ("here", "there", "told"),
    [
        pytest.param("a\nb\nc", "c\nb\na", TextDifference((), ()), id="another order says nothing else"),
        pytest.param("a\nrye", "a", TextDifference(("rye",), ()), id="a line more"),
        pytest.param("a", "a\nrye", TextDifference((), ("rye",)), id="a line less"),
        pytest.param(
            f"{SAME} rye",
            f"{SAME} oats",
            TextDifference(("…line, and of the other rye",), ("…line, and of the other oats",)),
            id="from a little before the word on which they part",
        ),
        pytest.param("1\n2\n3\n4\n5", "", TextDifference(("1", "2", "3"), (), 2), id="the first lines"),
        pytest.param("x" * 200, "", TextDifference(("x" * SHOWN + "…",), ()), id="the beginning of a long one"),
    ],
)  # fmt: skip
def test_the_lines_are_those_that_only_one_has(here: str, there: str, told: TextDifference) -> None:
    assert difference(here, there) == told


def test_it_is_told_in_a_sentence() -> None:
    assert str(difference("a\nrye", "a\noats")) == "They differ: only here: “rye”; only there: “oats”."
    assert "fetched again since" in str(difference("a", "a"))


@given(st.text(), st.text())
def test_any_two_texts_have_a_short_difference(here: str, there: str) -> None:
    found = difference(here, there)
    assert max(len(found.here), len(found.there)) <= LINES
    assert all(len(line) <= SHOWN + BEFORE for line in found.here + found.there)
    assert found == TextDifference((), ()) or sorted(here.split()) != sorted(there.split()) or here != there
