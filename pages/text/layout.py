"""Which lines of a page are its content, and which its template? One letter a line, in the order of the page.

A template is what a site puts around all its content: menus, header, footer, cookie notes. `Page.text` has the content
and `Page.template_text` the rest. `Page.layout` says how the lines of both follow each other. So the lines can be
divided again later, without a fetch or a parse, when more is known of the site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from urls.records import revised

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from urls.records import Page


class LineKind(StrEnum):
    """The kind of a line of text; its value is the letter in a layout."""

    TEXT = "t"
    LINKS = "l"  # content made of links
    HEADING = "h"
    CODE = "c"  # content in an element for code, where lines repeat without being a template
    SIGNED = "s"  # template, by what the page itself shows
    SIGNED_LINKS = "S"  # the same, where a line has links and is no sentence: menus, trails, languages, contents
    REPEATED = "r"  # template, as other pages of the site have the line too; else it would be TEXT
    REPEATED_LINKS = "R"  # the same; else it would be LINKS
    REPEATED_HEADING = "H"


CONTENT = frozenset({LineKind.TEXT, LineKind.LINKS, LineKind.HEADING, LineKind.CODE})
REPEATED = {
    LineKind.TEXT: LineKind.REPEATED,
    LineKind.LINKS: LineKind.REPEATED_LINKS,
    LineKind.HEADING: LineKind.REPEATED_HEADING,
}
SIGNED = frozenset({LineKind.SIGNED, LineKind.SIGNED_LINKS})


DEFINITION = 7  # the level of a section that defines a name: `dt`


class ContentSection(NamedTuple):
    """A section of the content: characters at which its heading begins and ends, its level and its id."""

    start: int
    heading_end: int
    level: int
    id: str


def choice(kinds: AbstractSet[str]) -> bytes:
    """Return a table by which `TextLines.chosen` takes lines: 1 for the letters of these kinds, 0 for all others."""
    return bytes(chr(letter) in kinds for letter in range(256))


_IS_CONTENT = choice(CONTENT)
_IS_TEMPLATE = choice({chr(letter) for letter in range(256)} - CONTENT)
_OF_CONTENT = "".join(CONTENT)
_RUNS = re.compile(f"([{_OF_CONTENT}]+)|[^{_OF_CONTENT}]+", re.DOTALL)
MADE_OF_LINKS = frozenset({LineKind.LINKS, LineKind.REPEATED_LINKS, LineKind.SIGNED_LINKS})
_BY_THE_SITE = str.maketrans({repeated.value: kind.value for kind, repeated in REPEATED.items()})


@dataclass(frozen=True, slots=True)
class TextLines:
    """The visible lines of a page as they follow each other, each with the letter of its kind.

    `withheld` has, by line number, what is left of a line for snippets where `data-nosnippet` hides a part of it.
    `sections` has where the page can be entered: number of the first line, which is its heading or a defined name,
    its level (1 to 6, or DEFINITION) and its id, empty if it has none.
    """

    lines: tuple[str, ...] = ()
    kinds: str = ""
    withheld: tuple[tuple[int, str], ...] = ()
    sections: tuple[tuple[int, int, str], ...] = ()

    @property
    def text(self) -> str:
        """The content."""
        return "\n".join(self.chosen(_IS_CONTENT))

    @property
    def template_text(self) -> str:
        """All the rest."""
        return "\n".join(self.chosen(_IS_TEMPLATE))

    @property
    def snippet_text(self) -> str | None:
        """The content that snippets may show; None: all of it."""
        if not self.withheld:
            return None
        shown = list(self.lines)
        for number, left in self.withheld:
            shown[number] = left
        return "\n".join(filter(None, replace(self, lines=tuple(shown)).chosen(_IS_CONTENT)))

    def chosen(self, table: bytes) -> Iterator[str]:
        """Yield the lines of the kinds that a `choice` has."""
        return compress(self.lines, self.kinds.encode("ascii", "replace").translate(table))

    def without_site_template(self) -> TextLines:
        """Return the lines as the page alone shows them: what its site repeats is content again."""
        return replace(self, kinds=self.kinds.translate(_BY_THE_SITE))

    def __add__(self, more: TextLines) -> TextLines:
        """Put the lines of another text below these."""
        below = tuple((number + len(self.lines), left) for number, left in more.withheld)
        sections = tuple((number + len(self.lines), level, name) for number, level, name in more.sections)
        return TextLines(
            self.lines + more.lines, self.kinds + more.kinds, self.withheld + below, self.sections + sections
        )

    def content_sections(self) -> Iterator[ContentSection]:
        """Yield the sections that begin in the content, except for those whose heading snippets may not show."""
        begins = {number: (level, name) for number, level, name in self.sections}
        for number, _ in self.withheld:
            begins.pop(number, None)
        place = 0
        for number, (line, kind) in enumerate(zip(self.lines, self.kinds, strict=True)):
            if kind in CONTENT:
                if number in begins:
                    yield ContentSection(place, place + len(line), *begins[number])
                place += len(line) + 1


def has_repeated_lines(layout: str) -> bool:
    """Return whether the site repeats any of these lines."""
    return layout != layout.translate(_BY_THE_SITE)


def plain_lines(text: str) -> TextLines:
    """Return a text of which nothing is known but its words: all content."""
    lines = tuple(filter(None, text.split("\n")))
    return TextLines(lines, LineKind.TEXT * len(lines))


def text_lines(page: Page) -> TextLines:
    """Return the lines of a page as they follow each other. Without a layout, all are content."""
    content = page.text.split("\n") if page.text else []
    template = page.template_text.split("\n") if page.template_text else []
    layout = page.layout
    of_content = sum(map(layout.count, _OF_CONTENT))
    if of_content != len(content) or len(layout) != len(content) + len(template):
        lines = (*content, *template)
        return TextLines(lines, LineKind.TEXT * len(content) + LineKind.SIGNED * len(template))
    ordered: list[str] = []
    taken = 0  # lines of the content
    for run in _RUNS.finditer(layout):  # a page has some twenty
        begin, end = run.span()
        if run[1]:
            ordered += content[taken : taken + end - begin]
            taken += end - begin
        else:
            ordered += template[begin - taken : end - taken]
    return TextLines(tuple(ordered), layout, page.withheld, page.sections)


def with_lines(page: Page, lines: TextLines) -> Page:
    """Return a page with these lines."""
    return revised(
        page,
        text=lines.text,
        template_text=lines.template_text,
        snippet_text=lines.snippet_text,
        layout=lines.kinds,
        withheld=lines.withheld,
        sections=lines.sections,
    )
