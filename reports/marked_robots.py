"""Which line was it? A robots.txt with its line numbers, the lines that decided, and what a lint says below each line.

Of a long file only the lines around marked ones are shown: a file may have forty thousand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots import lint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from reports.four_readings import RobotsSource
    from robots import Finding

WHOLE_LINES = 60  # a file of no more lines is shown whole
AROUND = 3  # lines shown before and after a marked one of a longer file
LONGEST = 200  # characters of a line
OF_ONE_RULE = 10  # findings of a kind that are told
NOT_UNDERSTOOD = frozenset({"misspelt", "no-colon", "not-understood"})  # rules of the lint
_LINE_ENDS = (b"\r\n", b"\r")


def lines_of(body: bytes) -> list[str]:
    """Return the lines of a robots.txt as RFC 9309 counts them: ended by CR, LF or both, and by nothing else."""
    for end in _LINE_ENDS:
        body = body.replace(end, b"\n")
    return [line.decode("utf-8", "backslashreplace") for line in body.removesuffix(b"\n").split(b"\n")]


def lines_around(marked: Collection[int], lines: int) -> Iterator[int]:
    """Yield the numbers of the lines that are shown of so many, from 1; 0 stands where some are left out."""
    before = 0
    for number in range(1, lines + 1):
        if lines > WHOLE_LINES and not any(near in marked for near in range(number - AROUND, number + AROUND + 1)):
            continue
        if number != before + 1:
            yield 0
        before = number
        yield number
    if before != lines:
        yield 0


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of the file; `number` 0: here lines are left out. `decides` names the readings that stopped at it."""

    number: int
    text: str = ""
    decides: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def lines_with_marks(body: bytes, deciding: Iterable[tuple[int, str]], findings: Sequence[Finding]) -> list[MarkedLine]:
    """Return the lines that are shown of a file.

    `deciding` has the numbers of lines that decided, each with the name of a reading; 0 is no line.
    """
    readings: dict[int, dict[str, None]] = {}
    for number, name in deciding:
        readings.setdefault(number, {})[name] = None
    told: dict[int, list[Finding]] = {}
    for finding in findings:
        told.setdefault(finding.line, []).append(finding)
    lines = lines_of(body)
    return [
        MarkedLine(number, _cut(lines[number - 1]), tuple(readings.get(number, ())), tuple(told.get(number, ())))
        if number
        else MarkedLine(0)
        for number in lines_around(readings.keys() | told.keys(), len(lines))
    ]


def few_of_each(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """Return at most OF_ONE_RULE findings of a kind, in their order, and how many more there are of which kind."""
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= OF_ONE_RULE:
            kept.append(finding)
    return kept, {rule: count - OF_ONE_RULE for rule, count in counts.items() if count > OF_ONE_RULE}


def not_understood(source: RobotsSource) -> int:
    """Count the lines that no rule comes of by RFC 9309, though somebody may have meant one."""
    if source.availability.file is None:
        return 0
    return sum(finding.rule in NOT_UNDERSTOOD for finding in lint(source.raw))


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
