"""How is the text of a page divided? Into lines and blocks, each with the amount of text and links in it.

The text with its marks (visible_text.py) is cut once. A line counts how much of it is link. A block counts the text and
the links inside it. main_text.py separates menus from content by these numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pages.text.visible_text import (
    BREAK,
    CODE,
    CODE_END,
    HEADING_END,
    LINK,
    LINK_END,
    LINK_HERE,
    MARK,
    SECTION,
    SUSPECT_CELL,
    WITHHELD,
    WITHHELD_END,
    BlockRole,
)

MAX_OUTLINED = 20_000  # blocks of a page that are told apart; further ones count as part of the block around them
PROSE_CHARS = 60  # of a line outside its links: about ten words; no entry of a menu has as many
DENSE = 0.65  # share of a text that is link, from which a block is made of links (Kohlschütter 2010 has 1/3 for words)
_SEPARATORS = " |/\\·•»«›‹>-–—:,;[]()\u2190-\u2193"  # noqa: RUF001 - what stands between the links of a menu
_OPENING = {sign.value: sign for sign in BlockRole}
_CLOSING = {sign.value.lower(): sign for sign in BlockRole}
_CONTENT_SIGNS = frozenset({BlockRole.MAIN, BlockRole.ARTICLE})
_CELLS = frozenset({BlockRole.CELL.value, SUSPECT_CELL})


@dataclass(slots=True, eq=False)
class Block:
    """A block: how many characters, links and lines of prose it holds, those of the blocks inside it included."""

    sign: BlockRole
    parent: Block | None
    first: int  # number of its first line
    is_cell: bool = False
    in_article: bool = False  # or in the main element
    end: int = -1  # of the line after its last; -1: it is open
    chars: int = 0  # separators aside
    linked: int = 0  # of these, how many in links
    links: int = 0
    here: int = 0  # of the links, how many lead to a place on the same page
    prose: int = 0  # characters in lines of prose
    headings: int = 0
    headed: int = 0  # characters in headings
    titles: int = 0  # h1

    @property
    def is_dense(self) -> bool:
        """Whether it is made of links, its headings aside."""
        return self.linked >= DENSE * (self.chars - self.headed)

    def take(self, line: TextLine) -> None:
        """Count a line of it."""
        self.chars += line.chars
        if line.links:
            self.linked += line.linked
            self.links += line.links
            self.here += line.here
        if line.heading:
            self.headings += 1
            self.headed += line.chars - line.linked
            self.titles += line.heading == 1
        if line.is_prose:
            self.prose += line.chars - line.linked

    def add(self, part: Block) -> None:
        """Count what a block holds that is in it."""
        self.chars += part.chars
        self.linked += part.linked
        self.links += part.links
        self.here += part.here
        self.prose += part.prose
        self.headings += part.headings
        self.headed += part.headed
        self.titles += part.titles


@dataclass(slots=True)
class TextLine:
    """A line of text in its innermost block."""

    text: str
    shown: str | None  # what is left for snippets; None: all
    block: Block
    chars: int
    linked: int
    links: int
    here: int
    heading: int  # 1 to 6; 0: none
    is_code: bool
    is_prose: bool  # there is a sentence outside its links
    is_dense: bool  # it is made of links
    section: int = -1  # number of the section that begins here; -1: none


@dataclass(slots=True)
class Outline:
    """The lines of a page and its blocks, both in the order in which they begin; the first block is the body."""

    lines: list[TextLine] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def parse_outline(marked: str) -> Outline:
    """Cut a text with its marks, and one blank between words."""
    outline = _Cutter().cut(marked)
    for block in reversed(outline.blocks):  # those inside come after those around them
        if block.end < 0:
            block.end = len(outline.lines)
        if block.parent is not None and block.end > block.first:
            block.parent.add(block)
    return outline


def _weight(words: str) -> int:
    """Return how much a text says: characters, of which those of other scripts than Latin count more (UTF-8)."""
    return len(words) if words.isascii() else (len(words) + len(words.encode())) // 2


_LINKS = re.escape(LINK + LINK_HERE + LINK_END + WITHHELD + WITHHELD_END)
_BREAK_MARK = re.escape(MARK + BREAK)
# Breaks in a row are one, without a letter.
_BLOCK_MARKS = re.compile(f"{_BREAK_MARK}(?: ?{_BREAK_MARK})*+|{MARK}([^{_LINKS}])")
_LINK_MARKS = frozenset({LINK, LINK_HERE})
_WITHHELD_MARK = MARK + WITHHELD


class _Cutter:
    """Where the cutting has come to: the line that is being put together, and the blocks that are open."""

    def __init__(self) -> None:
        self.outline = Outline()
        self._open: list[Block] = []
        self._beyond = 0  # blocks that are open and not told apart
        self._heading = self._code = self._withheld = 0
        self._link = ""  # the mark of the link that is open
        self._section = -1  # number of the section that begins with the next line
        self._begin_block(BlockRole.NONE)

    def cut(self, marked: str) -> Outline:
        """Cut a text: between two marks of blocks is a line, or nothing."""
        pieces = iter(_BLOCK_MARKS.split(marked))
        words = next(pieces)
        cells: list[str] = []  # of the row so far: it can have a hundred thousand
        for letter, more in zip(pieces, pieces, strict=True):
            if letter in _CELLS and not self._ends_a_line():
                cells += words, " "
            else:
                if cells:
                    words = "".join((*cells, words))
                    cells = []
                if words and words != " ":
                    self._end_line(words)
            if letter is not None:
                self._pass_mark(letter)
            words = more
        self._end_line("".join((*cells, words)))
        return self.outline

    def _ends_a_line(self) -> bool:
        """Whether a cell ends that has lines of its own: else the words of a row stay together."""
        block = self._open[-1]
        return block.is_cell and len(self.outline.lines) > block.first

    def _pass_mark(self, letter: str) -> None:
        if letter in _CELLS:
            if self._open[-1].is_cell:  # a cell ends where the next one begins: it has no mark at its end
                self._open.pop().end = len(self.outline.lines)
            self._begin_block(BlockRole.CELL if letter == BlockRole.CELL else BlockRole.SUSPECT, is_cell=True)
        elif letter in _OPENING:
            self._begin_block(_OPENING[letter])
        elif letter in _CLOSING:
            self._end_block(_CLOSING[letter])
        elif letter.isdigit():
            self._heading = int(letter)
        elif letter == HEADING_END:
            self._heading = 0
        elif ord(letter) >= SECTION:
            self._section = ord(letter) - SECTION
        else:
            self._code += {CODE: 1, CODE_END: -1}.get(letter, 0)

    def _begin_block(self, sign: BlockRole, *, is_cell: bool = False) -> None:
        blocks = self.outline.blocks
        if len(blocks) >= MAX_OUTLINED:
            self._beyond += not is_cell  # which has no end of its own
            return
        around = self._open[-1] if self._open else None
        in_article = around is not None and (around.in_article or around.sign in _CONTENT_SIGNS)
        block = Block(sign, around, len(self.outline.lines), is_cell, in_article)
        blocks.append(block)
        self._open.append(block)

    def _end_block(self, sign: BlockRole) -> None:
        if self._beyond:
            self._beyond -= 1
            return
        while len(self._open) > 1:
            ended = self._open.pop()
            ended.end = len(self.outline.lines)
            if ended.sign is sign and not ended.is_cell:
                return

    def _end_line(self, words: str) -> None:
        """End a line, if there is anything in it."""
        links = here = linked = 0
        shown: str | None = None
        if MARK in words or self._link or self._withheld:
            if self._withheld or _WITHHELD_MARK in words:
                shown = self._shown(words)
            links, here, linked, words = self._without_links(words)
        text = words.strip()
        if not text:
            return
        if "  " in text:  # around a mark
            text = " ".join(text.split())
        chars = _weight(text.strip(_SEPARATORS))
        linked = min(linked, chars)
        is_prose, is_dense = chars - linked >= PROSE_CHARS, links > 0 and linked >= DENSE * chars
        block = self._open[-1]
        line = TextLine(
            text,
            shown,
            block,
            chars,
            linked,
            links,
            here,
            self._heading,
            self._code > 0,
            is_prose,
            is_dense,
            self._section,
        )
        self._section = -1
        self.outline.lines.append(line)
        block.take(line)

    def _without_links(self, words: str) -> tuple[int, int, int, str]:
        """Return how many links a line has, how many lead to the page itself, their characters, and the bare line."""
        links = here = linked = 0
        before, *pieces = words.split(MARK)
        if self._link:  # it goes on
            pieces.insert(0, self._link + before)
            before = ""
        for piece in pieces:
            letter = piece[:1]
            if letter == LINK_END:
                self._link = ""
            elif letter in _LINK_MARKS:
                self._link = letter
                said = piece[1:].strip(_SEPARATORS)
                if said:  # else it is a picture
                    links += 1
                    here += letter == LINK_HERE
                    linked += _weight(said)
        return links, here, linked, before + "".join([piece[1:] for piece in pieces])

    def _shown(self, words: str) -> str:
        """Return what snippets may show of a line of which something is withheld."""
        before, *pieces = words.split(MARK)
        left = [] if self._withheld else [before]
        for piece in pieces:
            self._withheld += {WITHHELD: 1, WITHHELD_END: -1}.get(piece[:1], 0)
            if not self._withheld:
                left.append(piece[1:])
        return " ".join("".join(left).split())
