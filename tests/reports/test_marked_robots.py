"""Which lines of a long robots.txt are shown? Those that decided or have a finding, and a few around them."""

from __future__ import annotations

from reports.robots_verdicts import AROUND, OF_ONE_RULE, WHOLE_LINES, few_of_each, lines_with_marks
from robots import Finding

LONG = "\n".join(f"Disallow: /{number}" for number in range(1, 2 * WHOLE_LINES + 1)).encode()


def test_of_a_long_file_the_lines_around_marked_ones_are_shown() -> None:
    finding = Finding(50, "wildcard", "Old robots take * as a plain character.")
    lines = lines_with_marks(LONG, [(20, "rfc9309"), (20, "google"), (20, "google")], [finding])
    around = [*range(20 - AROUND, 20 + AROUND + 1), 0, *range(50 - AROUND, 50 + AROUND + 1)]
    assert [line.number for line in lines] == [0, *around, 0]
    marked = {line.number: line for line in lines if line.decides or line.findings}
    assert (marked[20].text, marked[20].decides) == ("Disallow: /20", ("rfc9309", "google"))
    assert marked[50].findings == (finding,)


def test_a_short_file_is_shown_whole_and_a_long_line_is_cut() -> None:
    lines = lines_with_marks(b"User-agent: *\rDisallow: /" + b"x" * 500, [], [])
    assert [line.number for line in lines] == [1, 2]
    assert (len(lines[1].text), lines[1].text[-1]) == (200, "…")


def test_of_one_kind_of_finding_few_are_told_and_the_others_counted() -> None:
    several = [Finding(line, "blank", "") for line in range(1, OF_ONE_RULE + 4)] + [Finding(99, "host", "")]
    few, more = few_of_each(several)
    assert ([each.line for each in few], more) == ([*range(1, OF_ONE_RULE + 1), 99], {"blank": 3})
