"""What does a lint say? Each line that has a finding, and below it the sentences for the owner of the site."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commands.terminal.columns import hanging
from commands.terminal.ink import Ink, printable
from commands.terminal.marked_file import LONGEST, lines_of
from robots import lint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commands.robots_txt.source import Source
    from robots import Finding

NOT_UNDERSTOOD = frozenset({"misspelt", "no-colon", "not-understood"})  # rules of the lint
OF_ONE_RULE = 10  # findings of a kind that are printed: a file may have forty thousand


def finding_lines(name: str, body: bytes, findings: Sequence[Finding], pen: Ink) -> Iterator[str]:
    """Yield `findings`, which are in the order of the lines of `body`, the file as UTF-8."""
    if not findings:
        yield f"{printable(name)}: nothing to say about it."
        return
    yield f"{printable(name)}: {len(findings):,} finding{'s' * (len(findings) > 1)}"
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
