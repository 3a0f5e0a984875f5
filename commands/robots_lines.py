"""Which line was it? A robots.txt with its line numbers, and an arrow at each line that decided, or lint findings.

Below each line that has a finding stand the sentences for the owner of the site.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commands.terminal import Ink, hanging, printable
from reports.wording import counted
from robots import lint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from commands.robots_source import Source
    from robots import Finding


WHOLE_LINES = 60  # a file of no more lines is shown whole
AROUND = 3  # lines shown before and after a deciding one of a longer file
LONGEST = 200  # characters of a line
_LINE_ENDS = (b"\r\n", b"\r")


def lines_of(body: bytes) -> list[str]:
    """Return the lines of a robots.txt as RFC 9309 counts them: ended by CR, LF or both, and by nothing else."""
    for end in _LINE_ENDS:
        body = body.replace(end, b"\n")
    return [line.decode("utf-8", "backslashreplace") for line in body.removesuffix(b"\n").split(b"\n")]


def marked_file(body: bytes, deciding: Collection[int], pen: Ink) -> Iterator[str]:
    """Yield the file with its lines numbered from 1, and those in `deciding` marked."""
    lines = lines_of(body)
    if not body:
        yield "  (the file is empty)"
        return
    width = len(str(len(lines)))
    before = 0
    for number, line in enumerate(lines, 1):
        if len(lines) > WHOLE_LINES and not any(abs(number - marked) <= AROUND for marked in deciding):
            continue
        if number != before + 1:
            yield pen.dim(f"  {'…':>{width}}")
        before = number
        shown = printable(line)
        shown = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
        if number in deciding:
            yield pen.bold(f"> {number:>{width}}  {shown}")
        else:
            yield f"  {pen.dim(f'{number:>{width}}')}  {shown}".rstrip()
    if before != len(lines):
        yield pen.dim(f"  {'…':>{width}}  {len(lines):,} lines in all")


NOT_UNDERSTOOD = frozenset({"misspelt", "no-colon", "not-understood"})  # rules of the lint
OF_ONE_RULE = 10  # findings of a kind that are printed: a file may have forty thousand


def finding_lines(name: str, body: bytes, findings: Sequence[Finding], pen: Ink) -> Iterator[str]:
    """Yield `findings`, which are in the order of the lines of `body`, the file as UTF-8."""
    if not findings:
        yield f"{printable(name)}: nothing to say about it."
        return
    yield f"{printable(name)}: {counted(len(findings), 'finding')}"
    lines = lines_of(body)
    indent = len(str(len(lines))) + 4
    told: Counter[str] = Counter()
    before = None
    for finding in findings:
        told[finding.rule] += 1
        if told[finding.rule] > OF_ONE_RULE:
            continue
        if finding.line != before:
            text = lines[finding.line - 1] if finding.line else "the file as a whole"
            yield pen.bold(f"  {finding.line or '':>{indent - 4}}  {printable(text[:LONGEST])}".rstrip())
            before = finding.line
        yield from hanging("", f"{finding.rule}: {printable(finding.sentence)}", indent)
    for rule, count in told.items():
        if count > OF_ONE_RULE:
            yield f"and {count - OF_ONE_RULE:,} more of {rule}; --json has them all"


def not_understood(source: Source) -> int:
    """Count the lines that no rule comes of by RFC 9309, though somebody may have meant one."""
    if source.availability.file is None:
        return 0
    return sum(finding.rule in NOT_UNDERSTOOD for finding in lint(source.raw))
