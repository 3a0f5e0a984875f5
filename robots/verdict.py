"""May this robot fetch this URL? A verdict: yes or no, the line that decided, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a robots.txt about one URL.

    `line` counts from 1 and is 0 where no rule decided; `rule` is that line as a field and a value, or empty;
    `reason` says in a few words why this rule decided, or why none did.
    """

    allowed: bool
    line: int
    rule: str
    reason: str

    def __str__(self) -> str:
        word = "allowed" if self.allowed else "disallowed"
        return f"{word} by line {self.line}" if self.line else f"{word}: {self.reason}"
