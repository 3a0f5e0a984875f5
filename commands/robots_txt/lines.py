"""Which line was it? A robots.txt with its line numbers, and an arrow at each line that decided, or lint findings.

Below each line that has a finding stand the sentences for the owner of the site. Which lines are shown, and how many
findings, `reports/marked_robots.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.terminal import Ink, hanging, printable
from reports.marked_robots import LONGEST, few_of_each, lines_of, lines_with_marks
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from robots import Finding


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
