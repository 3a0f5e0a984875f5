"""Every printed number has its noun in singular or plural."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.docs.conftest import OWN_ROOMS
from urls.wording import counted, enumerated, plain, rounded_time

ROOT = Path(__file__).resolve().parents[2]
NOUNS = (
    "pages|times|URLs|sites|links|hosts|requests|words|results|copies|seeds|files|lines|entries|rules|things|characters"
)
TOLD = re.compile(rf"\{{(?P<number>[^{{}}]+)\}} (?:more |of its )?(?:{NOUNS})\b")
FEW_DIGITS = re.compile(r"%?[:,.][0-9]g\b")  # as 1.2e+03
ON_AN_AXIS = {
    "gateway/plots.py",
    "extensions/robots_files/templates/robots_search.html",
}  # where there is no room; a small score
A_BOUND = re.compile(r"[A-Z_.]*[A-Z]{3}[A-Z_]*(?::,)?|self\._limits\.\w+|limits\.\w+")  # named, and never one
TWO_AT_LEAST = {  # what is told only where the number is larger than one
    "worker.kills_in_a_row", "answer.failures", "found.misses", "len(names)", "times", "self._unread", "lines:,",
    "len(lines):,", "len(url)", "len(text)", "len(query)", "found[0].length", "count", "len(self.differences)",
    "self._deepest", "pages[0]", "requests[0]", "self._ceiling",
    "found / planned:.1f", "self.pagerank:.2f", "times:.2f", "shown", "len(truth.fetched)",
}  # fmt: skip


@pytest.mark.parametrize(
    ("things", "told"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_several_things_are_a_part_of_a_sentence(things: list[str], told: str) -> None:
    assert enumerated(things, "or") == told


@pytest.mark.parametrize(("number", "told"), [(0, "0 copies"), (1, "1 copy"), (2, "2 copies"), (1000, "1,000 copies")])
def test_one_is_one(number: int, told: str) -> None:
    assert counted(number, "copy", "copies") == told


@pytest.mark.parametrize(
    ("seconds", "digits", "told"),
    [
        (0.05, 3, "0.05 s"),
        (90.0, 3, "90 s"),
        (150.0, 3, "2.5 min"),
        (3599.9, 3, "60 min"),
        (3600.0, 3, "1 h"),
        (86_400.0, 3, "24 h"),
        (86_399.6, 3, "24 h"),
        (749.0, 1, "12 min"),
        (1e9, 3, "277,778 h"),
    ],
)
def test_a_duration_is_in_the_unit_one_thinks_in(seconds: float, digits: int, told: str) -> None:
    assert rounded_time(seconds, digits) == told


def test_no_sentence_says_1_pages() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {told[0]}"
        for room in OWN_ROOMS
        for path in (ROOT / room).rglob("*.py")
        for told in TOLD.finditer(path.read_text("utf-8"))
        if not A_BOUND.fullmatch(told["number"]) and told["number"] not in TWO_AT_LEAST
    }
    assert not found, "reports/wording.py and urls/wording.py have `counted` for this"


@pytest.mark.parametrize(
    ("number", "digits", "told"),
    [
        (1200.0, 3, "1,200"),
        (3600.0, 3, "3,600"),
        (0.25, 6, "0.25"),
        (1 / 3, 3, "0.333"),
        (12345.6, 3, "12,346"),
        (1_000_000.0, 6, "1,000,000"),
        (0.00001, 6, "0.00001"),
        (-2.5, 6, "-2.5"),
        (0.0, 3, "0"),
    ],
)
def test_a_number_is_written_out(number: float, digits: int, told: str) -> None:
    assert plain(number, digits) == told


@given(st.floats(1e-6, 1e14), st.integers(3, 6))
def test_no_number_has_an_exponent_and_each_is_near_to_what_it_tells(number: float, digits: int) -> None:
    told = plain(number, digits)
    assert "e" not in told
    assert math.isclose(float(told.replace(",", "")), number, rel_tol=10 ** (1 - digits))


def test_no_number_is_told_in_so_few_digits_that_it_has_an_exponent() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for room in OWN_ROOMS
        for path in (*(ROOT / room).rglob("*.py"), *(ROOT / room).rglob("*.html"))
        if FEW_DIGITS.search(path.read_text("utf-8"))
    }
    assert found == {name for name in ON_AN_AXIS if (ROOT / name).exists()}, "urls/wording.py has `plain` for this"
