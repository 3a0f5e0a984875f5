"""How does the main text of a page become Markdown (CommonMark)? The sections, paragraphs and code that were stored.

A page is stored as lines, each with its kind. So the Markdown has headings of the page's own levels, a fenced block
for lines of code, and a paragraph for each other line. Signs that mean something in Markdown get a backslash, because
they are text of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, groupby
from textwrap import wrap
from typing import TYPE_CHECKING

from pages.metadata import inert
from pages.text.layout import CONTENT, DEFINITION, LineKind, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urls.records import Page

DEEPEST = 6  # levels of headings; a defined name gets none of its own
MAX_BLOCK = 4_000  # characters of a line, or of the lines of a code block, before it continues in another one
# What may begin or end something within a line. An underscore within a word does not: max_snippet.
_INLINE = re.compile(r"[\\`*\[\]<>~&]|(?<!\w)_|_(?!\w)")
_CLOSING = re.compile(r"(?<=\s)(?=#+$)")  # signs that end a heading, and are not part of it
_AT_BEGIN = re.compile(r"([#+=|-])|(\d{1,9})([.)])(?=\s|$)")  # of a heading, a list, a rule or a table


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a page: its heading, level (1 to 7; 0: before the first heading), id, and blocks of Markdown."""

    heading: str
    level: int
    id: str
    blocks: tuple[str, ...]

    def address(self, url: str) -> str:
        """Return the address of the section of a page."""
        return f"{url}#{self.id}" if self.id else url


def escape(line: str) -> str:
    """Return a line of text as Markdown that shows exactly this text."""
    line = _CLOSING.sub(r"\\", _INLINE.sub(r"\\\g<0>", line))
    if begin := _AT_BEGIN.match(line):
        return f"\\{line}" if begin[1] else f"{begin[2]}\\{line[begin.end(2) :]}"
    return line


def sections_of(page: Page, limit: int | None = None) -> tuple[TextSection, ...]:
    """Return the main text of a page in its sections, without what `data-nosnippet` hides.

    `limit` is how many characters of the text may be shown; None: all.
    """
    found: list[TextSection] = []
    heading, level, name = "", 0, ""
    lines: list[tuple[str, str]] = []
    for begins, kind, line in _within(_lines(page), limit):
        if begins is not None:
            found += _section(heading, level, name, lines)
            (level, name), heading, lines = begins, line, []
        else:
            lines.append((kind, line))
    return (*found, *_section(heading, level, name, lines))


Line = tuple[tuple[int, str] | None, str, str]  # level and id where a section begins, kind of the line, its text


def _within(lines: Iterator[Line], limit: int | None) -> Iterator[Line]:
    left = limit
    for begins, kind, line in lines:
        if left is not None:
            if left <= 0:
                return
            line, left = line[:left], left - len(line)  # noqa: PLW2901 - the last one is cut
        yield begins, kind, line


def _section(heading: str, level: int, name: str, lines: list[tuple[str, str]]) -> Iterator[TextSection]:
    signs = "**" if level >= DEFINITION else ""
    blocks = [f"{signs or '#' * min(level, DEEPEST) + ' '}{escape(heading)}{signs}"] if heading else []
    for is_code, group in groupby(lines, key=lambda line: line[0] == LineKind.CODE):
        texts = [text for _, text in group]
        blocks += _fenced(texts) if is_code else (escape(part) for text in texts for part in _parts(text))
    if blocks:
        yield TextSection(heading, level, name, tuple(blocks))


def _parts(line: str) -> list[str]:
    return [line] if len(line) <= MAX_BLOCK else wrap(line, MAX_BLOCK, break_on_hyphens=False)


def _fenced(lines: list[str]) -> Iterator[str]:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    block: list[str] = []
    size = 0
    for line in chain.from_iterable(map(_parts, lines)):
        if block and size + len(line) > MAX_BLOCK:
            yield "\n".join((fence, *block, fence))
            block, size = [], 0
        block.append(line)
        size += len(line) + 1
    yield "\n".join((fence, *block, fence))


def _lines(page: Page) -> Iterator[Line]:
    """Yield the lines of the content that may be shown."""
    stored = text_lines(page)
    begins = {number: (level, name) for number, level, name in stored.sections}
    withheld = dict(stored.withheld)
    for number, (line, kind) in enumerate(zip(stored.lines, stored.kinds, strict=True)):
        if kind not in CONTENT or not (shown := withheld.get(number, line).strip()):
            continue
        begin = begins.get(number)
        if begin is None and kind == LineKind.HEADING:
            begin = (2, "")  # a heading without a stored level
        yield (None if number in withheld else begin), kind, inert(shown)
