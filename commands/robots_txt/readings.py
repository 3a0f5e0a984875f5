"""How is a robots.txt read? The verdicts of one reading or of all four, and how long it asks a robot to wait, as lines.

What they are is found in `reports/four_readings.py`; here it is printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.terminal import Ink, columns, hanging, printable, wrapped
from reports.four_readings import paces_asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.four_readings import JudgedUrl
    from robots import RobotsFile, Verdict


VERDICT_INDENT = 12  # columns for the word "disallowed"
NAME_WIDTH = 9  # columns for the name of a reading
ENGINE_INDENT = 8  # columns for the name of an engine


def lines_of_one(judged: JudgedUrl, pen: Ink) -> Iterator[str]:
    """Yield the verdict by one reading."""
    (verdict,) = judged.verdicts.values()
    line = f", line {verdict.line}" if verdict.line else ""
    first, *others = hanging(_word(verdict), printable(f"{judged.url}  ({verdict.reason}{line})"), VERDICT_INDENT)
    yield _inked(first, verdict, pen)
    yield from others


def lines_of_all(judged: JudgedUrl, pen: Ink) -> Iterator[str]:
    """Yield the verdicts side by side, and on which rule they part."""
    yield pen.bold(printable(judged.url))
    for dialect, verdict in judged.verdicts.items():
        by = f"line {verdict.line}, {verdict.rule} " if verdict.line else ""
        name = f"  {dialect.value:<{NAME_WIDTH}}"
        label, text = name + _word(verdict), printable(f"{by}({verdict.reason})")
        first, *others = hanging(label, text, len(name) + VERDICT_INDENT)
        yield name + _inked(first.removeprefix(name), verdict, pen)
        yield from others
    for sentence in judged.parting_sentences():
        yield from (f"  {line}" for line in wrapped(printable(sentence), columns() - 2))
    if not judged.partings:
        yield "  The four readings agree."


def delay_lines(file: RobotsFile, agent: str) -> Iterator[str]:
    """Yield what is to be known about the Crawl-delay and Request-rate for `agent`; nothing where there are none."""
    for pace in paces_asked(file, agent):
        yield ""
        yield from wrapped(printable(pace.sentence), columns())
        for engine, meaning in pace.meanings.items():
            yield from hanging(engine, meaning, ENGINE_INDENT)


def _word(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "disallowed"


def _inked(line: str, verdict: Verdict, pen: Ink) -> str:
    word = _word(verdict)
    return (pen.good if verdict.allowed else pen.bad)(word) + line[len(word) :]
