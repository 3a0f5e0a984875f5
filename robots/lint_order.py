"""Does the order of the lines change what they mean? Rules for nobody, names without rules, rules never reached.

RFC 9309 reads a group to its end and takes the longest rule; a robot of the older texts ends a group at a blank line
and takes the first rule that matches. There is nearly always an order that means the same to both.
"""

from __future__ import annotations

from bisect import insort
from operator import attrgetter
from typing import TYPE_CHECKING

from robots.dialect import Escapes
from robots.lines import Field
from robots.lint_line import Finding, shown
from robots.normal_form import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.lines import Line


class LineOrder:
    """Follows the groups of a file, line by line."""

    def __init__(self) -> None:
        self._named = False  # whether a User-agent line has been seen
        self._without_rule: list[int] = []  # the User-agent lines that have no rule so far
        self._parted = False  # whether another line stands between them and the next User-agent line
        self._blank = False  # whether a blank line stands within the group
        self._ruled = False  # whether the group has rules: then the next User-agent line begins a new group
        self._first: dict[bytes, Line] = {}  # by path: the first rule that has it
        self._lengths: list[int] = []  # of these paths, sorted

    def add(self, line: Line) -> Iterator[Finding]:
        """Take the next line that has a known field, or is blank."""
        match line.field:
            case Field.USER_AGENT:
                yield from self._name(line)
            case Field.ALLOW | Field.DISALLOW:
                yield from self._rule(line)
            case Field.BLANK:
                self._parted = True
                self._blank = self._named
            case Field.CRAWL_DELAY | Field.REQUEST_RATE if not self._named:
                yield _for_nobody(line)
            case _:
                self._parted = True

    def end(self) -> Iterator[Finding]:
        """Judge what is open when the file ends."""
        if self._without_rule:
            sentence = "The last group has no rule: everything is allowed to its robots, whatever * is told."
            yield Finding(self._without_rule[0], "no-rules", sentence)

    def _name(self, line: Line) -> Iterator[Finding]:
        if self._without_rule and self._parted:
            sentence = (
                f"This group has no rule of its own: RFC 9309 joins it with the one of line {line.number}, the old "
                "texts don't. Write Allow: / below it if all is allowed."
            )
            yield Finding(self._without_rule[0], "no-rules", sentence)
            self._without_rule = []
        if self._ruled:
            self._forget_rules()
        self._named, self._ruled, self._parted, self._blank = True, False, False, False
        self._without_rule.append(line.number)

    def _rule(self, line: Line) -> Iterator[Finding]:
        if not self._named:
            yield _for_nobody(line)
            return
        if self._blank:
            sentence = (
                "For robots of the old texts the blank line above ends the group, and what follows is for nobody: "
                "take the blank line out."
            )
            yield Finding(line.number, "blank-line", sentence)
            self._forget_rules()
        self._without_rule, self._ruled, self._blank = [], True, False
        path = normal_form(line.value, Escapes.ALL_BUT_SLASH_DECODED)
        earlier = self._covering(path)
        if earlier and _opens(earlier) != _opens(line):
            yield _hidden(line, earlier)
        if path not in self._first and (line.value or line.field is Field.DISALLOW):
            self._first[path] = line
            if len(path) not in self._lengths:
                insort(self._lengths, len(path))

    def _covering(self, path: bytes) -> Line | None:
        """Return the first rule that matches everything that a rule with this `path` matches."""
        found = []
        for length in self._lengths:  # at most as many as the path has octets: the work grows with the file
            if length > len(path):
                break
            if rule := self._first.get(path[:length]):
                found.append(rule)
        return min(found, key=attrgetter("number"), default=None)

    def _forget_rules(self) -> None:
        self._first, self._lengths = {}, []


def _opens(rule: Line) -> bool:
    return rule.field is Field.ALLOW or not rule.value


def _for_nobody(line: Line) -> Finding:
    return Finding(line.number, "no-agent", "No User-agent line stands above: this is for nobody.")


def _hidden(line: Line, earlier: Line) -> Finding:
    rule = f"{earlier.field.value}: {shown(earlier.value)}".rstrip()
    sentence = (
        f"Robots that take the first rule that matches stop at line {earlier.number}, {rule!r}, and never come here: "
    )
    better = "put the longer path first." if line.value != earlier.value else "one of the two must go."
    return Finding(line.number, f"hidden-{line.field.value.lower()}", sentence + better)
