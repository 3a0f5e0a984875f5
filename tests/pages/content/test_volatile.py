"""Text that a program changes at each visit is found, in its order, and any text can be read."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pages.content import volatile
from pages.content.volatile import LEFT_OUT, MAX_LINES_TOLD, steady_lines, volatile_words, without_volatile_words

LINES = st.lists(
    st.sampled_from(["10:03:11", "Visitors", ":", "1234", "rendered", "at", "2026-11-22", "views", "in", "0.2 s", "/"])
    | st.text(max_size=5).filter(lambda text: LEFT_OUT not in text)
).map(" ".join)


def test_what_is_left_out_is_told_as_it_stands() -> None:
    text = "Home\nRendered at 10:03:11 Visitors: 1234\nPHPSESSID=abc123def456\n17 bags of flour"
    assert volatile_words(text, 9) == ("10:03:11", "Visitors: 1234", "PHPSESSID=abc123def456")
    assert volatile_words(text, 1) == ("10:03:11",)


def test_of_a_long_page_the_head_and_the_foot_are_told() -> None:
    line, last = "seen at 2026-11-22 10:03:11", "Visitors: 1234"
    middle = ["Views: 5"] * MAX_LINES_TOLD
    told = volatile_words("\n".join([line, *[""] * MAX_LINES_TOLD, *middle, *[""] * MAX_LINES_TOLD, last]), 9)
    assert told == ("2026-11-22 10:03:11", "Visitors: 1234")


@given(LINES)
def test_a_line_is_steady_after_what_is_left_out_and_only_that(line: str) -> None:
    line = line.replace("\n", " ")
    assert without_volatile_words(line).count(LEFT_OUT) <= len(volatile_words(line, 1000))
    assert bool(volatile_words(line, 1)) == (without_volatile_words(line) != line)


# All that stands as words in the patterns, and what makes a number, a time or a session of it.
WRITTEN = sorted(
    {
        word
        for pattern in (volatile._MADE, volatile._SESSION, volatile._COUNTER)
        for word in re.findall(r"\w{2,}", pattern.pattern)
    }
)
WORDY_LINES = st.lists(
    st.sampled_from(WRITTEN)
    | st.sampled_from(
        [
            "10:03:11",
            "1234",
            ":",
            "2026-11-22",
            "0.2 s",
            "times",
            "abc123def456",
            "=",
            "is",
            "Zeile",
            "\u017f",
            "\u212a",
        ]
    ),
    max_size=6,
).map(" ".join)


@given(st.lists(WORDY_LINES | WORDY_LINES.map(str.upper) | LINES.map(lambda line: line.replace("\n", " "))))
def test_the_lines_of_a_page_at_once_are_what_they_are_one_by_one(lines: list[str]) -> None:
    assert steady_lines(lines) == list(map(without_volatile_words, lines))


def test_each_word_of_the_patterns_is_looked_for() -> None:
    for word in WRITTEN:
        for line in (f"{word}: 1234", f"{word} 1234 times", f"1234 {word}", f"{word} in 0.2 s", f"{word}: 10:03",
                     f"{word} time: 10:03", f"{word}=abc123def456"):  # fmt: skip
            assert steady_lines([line]) == [without_volatile_words(line)], line
