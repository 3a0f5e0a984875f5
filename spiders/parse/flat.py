"""How is a page read whose markup could hurt the parser? Without its nesting: as text, marks and the few tags we read.

Blocks become line breaks, cells blanks, and formatting, drawings, code and comments go. What stays cannot nest:
links, headings, metadata, and stretches that are hidden or kept from snippets. Each `<` of the result begins a tag that
was written here, so the parser cannot see another document than the one that was bounded. On real manuals, text, links,
headings and metadata come out as from the full tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spiders.parse import token
from spiders.parse.visible_text import BLOCKS, CELLS, MAX_TEXT_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator

TOLD_DEPTH = 1000  # elements inside each other; pages made by people have 30, browsers stop at 512
MAX_TAGS = 150_000  # start and end tags a page: half a second, and 60 MB in the parser
BREAK = "<br>"
MAX_CODE = 1000  # scripts, styles and comments behind those tags
MAX_TEXT = 2 * MAX_TEXT_CHARS  # characters: half of it may be hidden, and more is not kept

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_COPIED = frozenset({"html", "head", "body", "meta", "base", "link", "a", "area", "img", "title", "textarea"})
_RAW = frozenset({"script", "style", "noembed", "noframes", "iframe"})  # their text is code, or for other readers
_SHOWN_RAW = frozenset({"title", "textarea", "xmp"})  # here tags are text
_APART = frozenset({"noscript", "template", "datalist"})  # not shown either, but their text is markup
_DRAWING = frozenset({"svg", "math"})  # titles in here are not the document's
_STRETCH = re.compile(r"[ \t\n\f\r/\"'](?:hidden|data-nosnippet)(?![^ \t\n\f\r/>=])", re.IGNORECASE)
_UNENDED = frozenset({"p", "li", "dt", "dd", "tr", "option", *CELLS})  # may do without an end tag
_CODE = re.compile(r"<(?:!--|(script|style)(?=[ \t\n\f\r/>]))", re.IGNORECASE)
_ANY_TAG = re.compile("<[a-zA-Z/!?][^>]*+>?+")
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr", "area", "link", "meta", "base", "col", "embed", "source"})


class Flattening:
    """One pass over the tokens: `pieces` yields the new markup, `warnings` tells what was lost."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._tags = self._drawings = 0
        self._room = MAX_TEXT
        self._unread = 0  # characters behind the last tag that was looked at
        self._depth = self._deepest = 0  # roughly: end tags are not asked what they end
        self._copier = token.Copier()
        self._heading = ""
        self._apart = ""
        self._stretch = ""  # the element that is hidden or kept from snippets
        self._stretch_depth = 0

    def pieces(self) -> Iterator[str]:
        """Yield the page again, flat; of line breaks that follow each other, one."""
        before = ""
        for piece in self._pieces():
            if piece != BREAK or before != BREAK:
                yield piece
            if piece and not piece.isspace():
                before = piece

    def _pieces(self) -> Iterator[str]:
        markup, place = self._markup, 0
        while begin := token.MARKUP.search(markup, place):
            yield self._text(markup[place : begin.start()])
            self._tags += 1
            if self._tags > MAX_TAGS:
                yield from self._rest(begin.start())
                return
            tag = token.TAG.match(markup, begin.start())
            if tag is None:
                place = token.after_declaration(markup, begin.start())
                continue
            place = tag.end()
            if not tag[4]:
                continue  # a tag cut off by the end of the file is none
            name = tag[2].lower()
            if not tag[0].endswith("/>"):  # as drawings write their lines
                self._count(name, -1 if tag[1] else 1)
            yield self._end(name) if tag[1] else self._start(tag, name)
            if not tag[1] and (name in _RAW or name in _SHOWN_RAW):
                place, raw = token.closing(markup, name, place), place
                if name in _SHOWN_RAW and not (name == "title" and self._drawings):
                    yield self._text(markup[raw:place])
        yield self._text(markup[place:])

    def _rest(self, place: int) -> Iterator[str]:
        """Yield the words behind the last tag that counts: no tag is looked at, and code is left out."""
        markup = self._markup
        self._unread = len(markup) - place
        for _ in range(MAX_CODE):
            code = _CODE.search(markup, place)
            yield self._text(_ANY_TAG.sub(" ", markup[place : code.start() if code else len(markup)]))
            if code is None:
                return
            inside = code.end()
            place = (
                token.closing(markup, code[1].lower(), inside)
                if code[1]
                else token.after_declaration(markup, code.start())
            )

    def warnings(self) -> tuple[str, ...]:
        """Say what was lost, a sentence each."""
        told = []
        if self._deepest > TOLD_DEPTH:
            told.append(f"about {self._deepest} elements stand inside each other: read without its nesting")
        if self._unread:
            told.append(f"more than {MAX_TAGS} tags: of the last {self._unread} characters, only the text was kept")
        return (*told, *self._copier.warnings())

    def _start(self, tag: re.Match[str], name: str) -> str:
        self._drawings += name in _DRAWING
        if self._stretch:
            self._stretch_depth += name == self._stretch and name not in _UNENDED
            before = self._end_stretch() if name == self._stretch and name in _UNENDED else ""
        else:
            before = ""
        if not self._stretch and name not in _EMPTY and _STRETCH.search(tag[3]):
            self._stretch, self._stretch_depth = name, 1
            return f"{before}{_mark(name)}{self._stretch_tag(tag)}"
        return before + self._plain_start(tag, name)

    def _plain_start(self, tag: re.Match[str], name: str) -> str:
        if name in _HEADINGS:
            ended, self._heading = self._end_heading(), name
            return f"{ended}<{name}>"
        if name in _APART and not self._apart:
            self._apart = name
            return f"<{name}>"
        if name in _COPIED and not (name == "title" and self._drawings):
            return self._copier.copy(tag)
        return _mark(name)

    def _end(self, name: str) -> str:
        ended = ""
        if name == self._stretch:
            self._stretch_depth -= 1
            ended = self._end_stretch() if self._stretch_depth == 0 else ""
        if name in _DRAWING:
            self._drawings = max(0, self._drawings - 1)
        if name in _HEADINGS or (name in BLOCKS and self._heading):
            return ended + self._end_heading() + _mark(name)
        if name == self._apart:
            self._apart = ""
            return f"{ended}</{name}>"
        return f"{ended}</{name}>" if name in ("a", "head", "title", "textarea") else ended + _mark(name)

    def _count(self, name: str, step: int) -> None:
        if name not in _EMPTY and name not in _UNENDED:
            self._depth = max(0, self._depth + step)
            self._deepest = max(self._deepest, self._depth)

    def _text(self, text: str) -> str:
        kept = text[: self._room]
        self._room -= len(kept)
        return kept.replace("<", "&lt;")  # else what was left out could complete a tag

    def _end_heading(self) -> str:
        name, self._heading = self._heading, ""
        return f"</{name}>" if name else ""

    def _stretch_tag(self, tag: re.Match[str]) -> str:
        # Google: data-nosnippet counts on these three only; `hidden` counts anywhere.
        name = self._stretch if self._stretch in ("span", "div", "section") else "bdi"
        return self._copier.copy(tag, name)

    def _end_stretch(self) -> str:
        name, self._stretch = self._stretch, ""
        return f"</{name}>" if name in ("span", "div", "section") else "</bdi>"


def _mark(name: str) -> str:
    if name in BLOCKS:
        return BREAK
    return " " if name in CELLS else ""
