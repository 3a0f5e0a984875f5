"""Which lines of a page are its content? Those that remain without menus, header, footer and notes.

One page shows most of this by itself, in four ways, from the surest to the weakest:

1. Its markup says it: `nav`, `header`, `role=search`. If there is a `main`, everything outside of it is no content.
2. A word in its class is suspicious, and the block is like its kind: made of links, or short.
3. A block made of links stands before the content, after it or in a column of its own, and nothing introduces it. Text
   around links tells content from menus (Kohlschütter, Fankhauser and Nejdl, "Boilerplate Detection using Shallow Text
   Features", 2010).
4. A line at the top or the bottom is a usual one: breadcrumbs, links in a row, a copyright, a date, a cookie note.
   Their words are those of the larger languages of the web.

A list of links can be the content: a directory, the index of a manual. So a block stays that outweighs everything else,
and no page loses all its words: if all lines would be template, all are content. The pages of a site together show the
rest (pages/content/site_template.py).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pages.text.layout import DEFINITION, LineKind, TextLines
from pages.text.outline import parse_outline
from pages.text.visible_text import BlockRole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pages.text.outline import Block, Outline, TextLine


MAIN_SHARE = 0.2  # of the prose of a page that must be inside its `main`, or it is not believed
MOST_OF_A_PAGE = 0.6  # of its prose: a block with so much of it is the content, whatever its markup says
SHORT_CHARS = 300  # of a block with a suspicious class: about fifty words
SUSPECT_SHARE = 0.4  # of a block with a suspicious class that is link: then it is a menu
LEAST_LINKS = 3  # of a menu without any sign
LEAST_TOC = 3  # links of a table of contents of the page itself
OUTWEIGHS = 3.0  # times the rest: then a list of links is the content
MAX_NOTE_CHARS = 700  # of a note on cookies
MAX_NOTE_LINES = 40  # of it; lines of separators alone have no characters
FOOT_LINES = 6  # in which a copyright ends the page
MAX_FOOT_CHARS = 400  # of such a line


def main_text(marked: str, ids: Sequence[str] = ()) -> TextLines:
    """Judge a text with its marks (visible_text.py); `ids` has that of each section by its number."""
    outline = parse_outline(marked)
    lines = outline.lines
    kinds = [_kind_of(line) for line in lines]
    judgement = _TemplateLines(outline)
    for number in judgement.template():
        kinds[number] = LineKind.SIGNED_LINKS if _is_of_links(lines[number]) else LineKind.SIGNED
    withheld = tuple((number, line.shown) for number, line in enumerate(lines) if line.shown is not None)
    sections = tuple(
        (number, line.heading or DEFINITION, ids[line.section])
        for number, line in enumerate(lines)
        if line.section >= 0
    )
    return TextLines(tuple(line.text for line in lines), "".join(kinds), withheld, sections)


def _kind_of(line: TextLine) -> LineKind:
    if line.is_code:
        return LineKind.CODE
    if line.heading:
        return LineKind.HEADING
    return LineKind.LINKS if line.is_dense else LineKind.TEXT


def _is_of_links(line: TextLine) -> bool:
    """Whether a line of a template is there for its links, whatever label introduces them."""
    return line.is_dense or (line.links > 0 and not line.is_prose)


class _TemplateLines:
    """Which lines of one page are template; `_out` has a reason's strength for each block that is."""

    def __init__(self, outline: Outline) -> None:
        self._lines = outline.lines
        self._blocks = outline.blocks
        self._body = outline.blocks[0]
        self._main = self._believed_main()
        self._is_out = [False] * len(outline.lines)

    def template(self) -> list[int]:
        """Return the numbers of the lines that are template."""
        if not self._lines:
            return []
        signed = self._take_out(block for block in self._blocks if self._is_signed(block))
        if self._main is not None:
            self._take_out_around(self._main)
        suspects = self._take_out(block for block in self._blocks if self._is_suspect(block))
        menus = self._take_out(self._menus())
        self._take_out_edges()
        for taken, least_left, least_list in ((menus, 120, 150), (suspects, 40, 400), (signed, 10, 400)):
            self._give_back(taken, least_left, least_list)
        if all(self._is_out):
            self._is_out = [False] * len(self._lines)
        self._keep_the_title()
        return [number for number, is_out in enumerate(self._is_out) if is_out]

    def _believed_main(self) -> Block | None:
        mains = [block for block in self._blocks if block.sign is BlockRole.MAIN]
        largest = max(mains, key=lambda block: block.chars, default=None)
        if largest is None or largest.prose < MAIN_SHARE * self._body.prose or not largest.chars:
            return None
        return largest

    def _take_out(self, blocks: Iterable[Block]) -> list[Block]:
        """Take out the lines of blocks; return those that were not out already."""
        taken = []
        passed = 0  # lines before this one are out, with all blocks that they stand in
        for block in blocks:
            if block.end <= passed:
                continue
            if block.first < block.end and not all(self._is_out[block.first : block.end]):
                self._is_out[block.first : block.end] = [True] * (block.end - block.first)
                taken.append(block)
                passed = block.end
        return taken

    def _take_out_around(self, main: Block) -> None:
        for number in (*range(main.first), *range(main.end, len(self._lines))):
            line = self._lines[number]
            self._is_out[number] = self._is_out[number] or line.block.sign is not BlockRole.MAIN

    def _has_most(self, block: Block) -> bool:
        return self._body.prose > 0 and block.prose > MOST_OF_A_PAGE * self._body.prose

    def _is_signed(self, block: Block) -> bool:
        """Whether the markup says outright that a block is template."""
        if block.sign is BlockRole.TEMPLATE:
            return not self._has_most(block)
        if block.sign in (BlockRole.EDGE, BlockRole.ASIDE):
            return not block.in_article and not self._has_most(block)
        return False

    def _is_suspect(self, block: Block) -> bool:
        """Whether a block with a suspicious class is what its class says."""
        aside = block.sign is BlockRole.ASIDE or (block.sign is BlockRole.EDGE and not block.titles)
        if block.sign is not BlockRole.SUSPECT and not aside:
            return False
        if self._has_most(block) or self._holds_content(block):
            return False
        if block.links and block.linked >= SUSPECT_SHARE * (block.chars - block.headed):
            return True
        if block.headings and block.headings == self._body.headings:
            return False
        return block.chars <= min(SHORT_CHARS, self._body.chars / 2)

    def _holds_content(self, block: Block) -> bool:
        main = self._main
        if main is not None and block.first <= main.first and main.end <= block.end and not block.in_article:
            return True
        return block.titles > 0 and (block.prose > 0 or self._has_section(block))

    def _has_section(self, block: Block) -> bool:
        """Whether a heading that is no title has text right below it, and nothing is a link: the NAME of a man page."""
        lines = self._lines[block.first : block.end]
        return not block.links and any(above.heading > 1 and not below.heading for above, below in pairwise(lines))

    def _menus(self) -> Iterator[Block]:
        """Yield the blocks that are menus though nothing says so, the outermost of each."""
        passed = 0  # lines before this one are inside a block that was judged
        self._content_begins = self._next_content(0)
        self._content_ends = max((n for n in range(len(self._lines)) if self._is_content(n)), default=-1)
        for block in self._blocks[1:]:
            if block.first < passed or not block.links or not block.is_dense or block.first == block.end:
                continue
            if self._is_out[block.first]:
                continue
            if block.is_cell and block.end - block.first < LEAST_LINKS:
                continue  # of a table of data
            passed = block.end
            if self._is_menu(block):
                yield block

    def _is_menu(self, block: Block) -> bool:
        if block.here >= LEAST_TOC and block.here >= 0.8 * block.links:
            return True
        if block.links < LEAST_LINKS or block.prose or block.titles:
            return False
        if self._is_introduced(block):
            return False
        before, after = self._is_after_content(block), self._content_ends >= block.end
        if before and after:
            return block.is_cell or (block.sign is not BlockRole.LIST and block.headings > 0)
        return before or after

    def _is_content(self, number: int) -> bool:
        """Whether a line that is not out is a heading, or prose."""
        line = self._lines[number]
        return not self._is_out[number] and (line.heading > 0 or line.is_prose)

    def _next_content(self, number: int) -> int:
        while number < len(self._lines) and not self._is_content(number):
            number += 1
        return number

    def _is_after_content(self, block: Block) -> bool:
        """Whether there is content before a block; what was its first line may have been taken out since."""
        self._content_begins = self._next_content(self._content_begins)
        return self._content_begins < block.first

    def _is_introduced(self, block: Block) -> bool:
        """Whether a heading or a sentence right above a block, in the block around it, introduces it."""
        number = block.first - 1
        if number < 0 or self._is_out[number]:
            return False
        above = self._lines[number]
        around = block.parent
        while around is not None and around.first == block.first and around.parent is not None:
            around = around.parent  # it begins with the block: what introduces one introduces the other
        if above.block is not around or above.is_dense:
            return False
        return around is not self._body or (above.heading > 0 and self._content_ends < block.end)

    def _take_out_edges(self) -> None:
        """Take out customary lines at the top and at the bottom of what is left."""
        left = [number for number, is_out in enumerate(self._is_out) if not is_out]
        self._take_out_top(left)
        self._take_out_bottom(left)
        self._take_out_note(left)

    def _take_out_top(self, left: list[int]) -> None:
        menu: list[int] = []
        for number in left:
            line = self._lines[number]
            if line.heading or line.is_prose or (not line.links and line.chars > SHORT_CHARS // 4):
                break
            if is_trail(line):
                self._is_out[number] = True
            elif line.is_dense:
                menu.append(number)
        rows = sum(self._lines[number].links for number in menu)
        for number in menu:
            line = self._lines[number]
            if rows >= LEAST_LINKS or line.here == line.links:
                self._is_out[number] = True

    def _take_out_bottom(self, left: list[int]) -> None:
        foot = [number for number in left[-FOOT_LINES:] if is_page_end(self._lines[number].text)]
        if foot and foot[0] > left[0]:
            below = [number for number in left if number >= foot[0]]
            if all(self._lines[number].chars <= MAX_FOOT_CHARS and not self._lines[number].heading for number in below):
                for number in below:
                    self._is_out[number] = True
        for number in reversed(left):
            line = self._lines[number]
            if self._is_out[number]:
                continue
            row = (
                line.is_dense
                and line.links > 1
                and line.block.sign is not BlockRole.LIST
                and not self._is_led_to(number)
            )
            if not row and not (line.links and is_pagination(line.text)):
                break
            self._is_out[number] = True

    def _is_led_to(self, number: int) -> bool:
        """Whether a heading above a line, or words such as "See also:" at its beginning, say what its links are."""
        return (number > 0 and self._lines[number - 1].heading > 0) or names_its_links(self._lines[number].text)

    def _take_out_note(self, left: list[int]) -> None:
        """Take out a note on cookies: a small block at the top or the bottom."""
        for block in self._blocks[1:]:
            if not 0 < block.chars <= MAX_NOTE_CHARS or block.titles or block.in_article:
                continue
            if block.end - block.first > MAX_NOTE_LINES:
                continue
            at_the_edge = block.first <= left[0] + 1 or block.end >= left[-1] if left else False
            if not at_the_edge or self._is_out[block.first : block.end].count(False) == 0:
                continue
            text = " ".join(line.text for line in self._lines[block.first : block.end])
            if is_consent(text) and block.chars < self._body.chars / 2:
                self._is_out[block.first : block.end] = [True] * (block.end - block.first)

    def _give_back(self, taken: list[Block], least_left: int, least_list: int) -> None:
        """Make the largest block content again if hardly anything else is left."""
        left = sum(line.chars for line, is_out in zip(self._lines, self._is_out, strict=True) if not is_out)
        largest = max(taken, key=lambda block: block.chars, default=None)
        if largest is not None and left < least_left and largest.chars >= max(least_list, OUTWEIGHS * left):
            self._is_out[largest.first : largest.end] = [False] * (largest.end - largest.first)

    def _keep_the_title(self) -> None:
        """Make the only h1 of a page content, wherever it is, if no other heading is."""
        titles = [number for number, line in enumerate(self._lines) if line.heading == 1]
        headings = (line.heading for line, is_out in zip(self._lines, self._is_out, strict=True) if not is_out)
        if len(titles) == 1 and not any(headings):
            self._is_out[titles[0]] = False


MAX_TRAIL_CHARS = 300  # of the way from the home page to a page

_TRAIL = re.compile(r"\s[>\u203a»→/|]\s")
_TURNING = re.compile(
    r"[«\u2039<←\s]*(?:previous|prev\b|next|older|newer|zurück|weiter|vorige|nächste|précédent|suivant|anterior"
    r"|siguiente|назад|вперёд|далее|前へ|次へ|上一|下一)",
    re.IGNORECASE,
)
# Who owns a page, and when it was made: anywhere in a line, after such a word, and at the beginning of a line.
_OF_AN_END = (
    "©", "all rights reserved", "alle rechte vorbehalten", "tous droits réservés", "todos los derechos",
    "все права защищены", "版权所有", "無断転載", "저작권", "zuletzt geändert", "dernière modification",
    "dernière mise", "última modificación", "última actualización", "последнее изменение", "последнее обновление",
)  # fmt: skip
_OF_A_YEAR = re.compile(r"\(c\)\s?\d{4}")
_BEGINS_AN_END = re.compile(
    r"copyright\b|(?:page )?last (?:modified|updated|changed|edited)|(?:powered|generated|created) (?:by|using|with)"
)
_COOKIE = re.compile(r"cookie|куки|クッキー|쿠키|עוגיות", re.IGNORECASE)
_CONSENT = re.compile(
    r"accept|agree|consent|got it|understood|allow|settings|privacy|akzept|zustimm|einverstanden|verwende|utilis"
    r"|acepta|utiliza|принять|соглас|использу|同意|使用|수락|동의|사용",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[^:]{2,30}:\s")
MAX_END_CHARS = 2000  # of a line that are looked at; one that ends a page has under 400


def is_trail(line: TextLine) -> bool:
    """Return whether a line is the way from the home page to this one."""
    return line.links > 0 and line.chars <= MAX_TRAIL_CHARS and _TRAIL.search(line.text) is not None


def is_pagination(text: str) -> bool:
    """Return whether a line links to the previous or next page."""
    return _TURNING.match(text) is not None


def is_page_end(text: str) -> bool:
    """Return whether a line names the owner of the page, its last change or the program that made it."""
    text = text[:MAX_END_CHARS].lower()
    if _BEGINS_AN_END.match(text) or any(map(text.__contains__, _OF_AN_END)):
        return True
    return "(c)" in text and _OF_A_YEAR.search(text) is not None


def is_consent(text: str) -> bool:
    """Return whether a block asks for consent to cookies."""
    return _COOKIE.search(text) is not None and _CONSENT.search(text) is not None


def names_its_links(text: str) -> bool:
    """Return whether a line says at its beginning what its links are: "See also: a, b"."""
    return _NAMED.match(text) is not None
