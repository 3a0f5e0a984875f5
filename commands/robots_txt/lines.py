"""How is a robots.txt shown? With line numbers and an arrow at each line that decided, lint findings, and verdicts.

Below each line that has a finding stand the sentences for the owner of the site. `reports/marked_robots.py` says which
lines are shown, and how many findings. The verdicts of one reading or of all four, and how long the file asks a robot
to wait, come from `reports/four_readings.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.terminal import Ink, columns, hanging, printable, wrapped
from reports.four_readings import paces_asked
from reports.marked_robots import LONGEST, few_of_each, lines_of, lines_with_marks
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from reports.four_readings import JudgedUrl
    from robots import Finding, RobotsFile, Verdict

VERDICT_INDENT = 12  # columns for the word "disallowed"
NAME_WIDTH = 9  # columns for the name of a reading
ENGINE_INDENT = 8  # columns for the name of an engine


def marked_file(body: bytes, deciding: Collection[int], pen: Ink) -> Iterator[str]:
    """Yield the file with its lines numbered from 1, and those in `deciding` marked."""
    lines = len(lines_of(body))
    if not body:
        yield "  (the file is empty)"
        return
    width = len(str(lines))
    *_, last = shown = lines_with_marks(body, ((number, "") for number in deciding), ())
    for line in shown:
        if not line.number:
            yield pen.dim(f"  {'…':>{width}}  {lines:,} lines in all" if line is last else f"  {'…':>{width}}")
        elif line.decides:
            yield pen.bold(f"> {line.number:>{width}}  {printable(line.text)}")
        else:
            yield f"  {pen.dim(f'{line.number:>{width}}')}  {printable(line.text)}".rstrip()


def finding_lines(name: str, body: bytes, findings: Sequence[Finding], pen: Ink) -> Iterator[str]:
    """Yield `findings`, which are in the order of the lines of `body`, the file as UTF-8."""
    if not findings:
        yield f"{printable(name)}: nothing to say about it."
        return
    yield f"{printable(name)}: {counted(len(findings), 'finding')}"
    lines = lines_of(body)
    indent = len(str(len(lines))) + 4
    before = None
    few, more = few_of_each(findings)
    for finding in few:
        if finding.line != before:
            text = lines[finding.line - 1] if finding.line else "the file as a whole"
            yield pen.bold(f"  {finding.line or '':>{indent - 4}}  {printable(text[:LONGEST])}".rstrip())
            before = finding.line
        yield from hanging("", f"{finding.rule}: {printable(finding.sentence)}", indent)
    for rule, count in more.items():
        yield f"and {count:,} more of {rule}; --json has them all"


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
