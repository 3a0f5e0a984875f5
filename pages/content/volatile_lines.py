"""Which lines of a site's pages change though nobody edits them? Two fetches of a page, seconds apart, show it.

`pages/content/volatile.py` knows the customary forms of stamps and counters by their words. What a site writes anew in
its own way, a quotation of the day, a box of news, a visitor's number, is learnt: a few pages are fetched twice, and
what differs is compared line by line. Two kinds of change are told apart:

- **a line of another number**: it is the same but for numbers, dates and tokens. It is known again by what remains; a
  line of which hardly a word remains, by that and the line before it.
- **other words**: the lines between two that stayed. They are known again by these two, as a box on another page.

Somebody may have edited a page in between. So a line counts only when it changed on a second page as well: an edit
stands on one page, a template's box on many. The limit of it is a box that only one page has.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import TYPE_CHECKING

from urls.traps.novelty import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_LINES_COMPARED = 400  # of a page, between what both fetches begin and end with
MAX_BOX_LINES = 20  # between two lines that stay: more of them are content
MAX_EXAMPLE_CHARS = 120
LEAST_LETTERS = 6  # that remain of a line without its numbers: fewer are in many lines
MARK_BYTES = 8  # 64 bits
EDGE = ""  # stands for the line before the first and after the last one
NUMBER = 0  # in place of the line after: the line itself is known


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A part of a page that was another one at the second fetch: known by `mark`, or between `mark` and `until`."""

    mark: int
    until: int
    example: str


def changed_lines(before: str, after: str) -> list[ChangedLine]:
    """Return the parts in which two fetches of a page differ; nothing where too much of it does."""
    old, new = before.split("\n"), after.split("\n")
    first = _same(zip(old, new, strict=False))
    last = _same(zip(reversed(old[first:]), reversed(new[first:]), strict=False))
    context_before = old[first - 1] if first else EDGE
    context_after = old[len(old) - last] if last else EDGE
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old), len(new)) > MAX_LINES_COMPARED:
        return []
    found: list[ChangedLine] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            line_before = old[start - 1] if start else context_before
            line_after = old[end] if end < len(old) else context_after
            found += _parts(line_before, old[start:end], new[new_start:new_end], line_after)
    return list(dict.fromkeys(found))


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _parts(line_before: str, old: Sequence[str], new: Sequence[str], line_after: str) -> Iterator[ChangedLine]:
    if len(old) == len(new) and all(folded(one) == folded(other) for one, other in zip(old, new, strict=True)):
        for previous, line in zip((line_before, *old), old, strict=False):
            yield ChangedLine(_mark_of_number(previous, line), NUMBER, line[:MAX_EXAMPLE_CHARS])
    elif max(len(old), len(new)) <= MAX_BOX_LINES:
        example = (old or new)[0][:MAX_EXAMPLE_CHARS]
        yield ChangedLine(_mark(line_before), _mark(line_after) or 1, example)


def _mark(line: str) -> int:
    """Return a number for a line, the same whatever its numbers and dates."""
    return int.from_bytes(blake2b(folded(line).encode(), digest_size=MARK_BYTES).digest(), "big", signed=True)


def _mark_of_number(previous: str, line: str) -> int:
    bare = folded(line)
    known = bare if sum(map(str.isalpha, bare)) >= LEAST_LETTERS else f"{folded(previous)}\n{bare}"
    return int.from_bytes(blake2b(known.encode(), digest_size=MARK_BYTES).digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class LearntLines:
    """The lines of a site's pages that change by themselves."""

    numbers: frozenset[int]  # marks of lines
    boxes: frozenset[tuple[int, int]]  # marks of the lines before and after

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> LearntLines:
        """Make it of pairs of a mark and the mark until which it holds."""
        pairs = list(rows)
        return cls(
            frozenset(mark for mark, until in pairs if until == NUMBER),
            frozenset((mark, until) for mark, until in pairs if until != NUMBER),
        )

    def steady_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of a text without those that change."""
        out = {at for start, end in self._found(lines) for at in range(start, end)}
        return [line for at, line in enumerate(lines) if at not in out]

    def changing(self, lines: Sequence[str]) -> list[str]:
        """Return what `steady_lines` leaves out, a part each, with a blank between its lines."""
        return [" ".join(lines[start:end]) for start, end in self._found(lines)]

    def _found(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        if self.numbers:
            for at, (previous, line) in enumerate(zip((EDGE, *lines), lines, strict=False)):
                if _mark_of_number(previous, line) in self.numbers:
                    yield at, at + 1
        if self.boxes:
            yield from self._boxes(lines)

    def _boxes(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        ends: dict[int, set[int]] = {}
        for mark, until in self.boxes:
            ends.setdefault(mark, set()).add(until)
        marks = [_mark(line) for line in (EDGE, *lines, EDGE)]
        for at, mark in enumerate(marks[:-1]):
            wanted = ends.get(mark)
            if wanted:
                for end in range(at + 2, min(at + 2 + MAX_BOX_LINES, len(marks))):
                    if (marks[end] or 1) in wanted:
                        yield at, end - 1
                        break
