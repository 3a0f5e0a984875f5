"""Could this document hurt the parser? It is checked in linear time before a C parser sees it.

HTML parsers promise nothing about cost. Measured on Lexbor: n attributes on one tag take about n² nanoseconds, and so
do n nested elements. Unclosed formatting tags are opened again in every later paragraph, so that 14 KB of `<b id=…>`
and `<p>` make a million nodes (200 MB). Three quick tests prove that most pages are harmless, and these are parsed as
they are. The others are rewritten without any nesting; the new markup keeps all that a search engine reads.

What is a tag? The tokens of HTML (WHATWG HTML, 13.2.5) are known here as far as bounding a page needs them. The
patterns repeat possessively: nothing is tried twice, so they take linear time on any input.

How is a page read that could hurt? Flat: as text, line breaks and the few tags that we read. Blocks become line breaks,
cells become blanks, and formatting, drawings, code and comments are removed. What stays cannot nest: links, headings,
metadata, and stretches that are hidden or kept from snippets. Each `<` of the new markup begins a tag that was written
here, so the parser cannot see another document than the one that was bounded. For real manuals, text, links, headings
and metadata are the same as from the full tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spiders.parse.visible_text import BLOCKS, CELLS, MAX_TEXT_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_ATTRIBUTES = 256  # on one tag; HTML defines about 200 in all
MAX_VALUE_CHARS = 16 * 1024  # of one attribute; longer ones are data: URIs, never an address
SHORT_TAG_CHARS = 256  # of a tag that is copied as it is
MAX_COPIED_CHARS = 2_000_000  # of such tags in a page: an attribute of two characters takes 200 bytes in the parser

_ATTRIBUTE = (
    r"""[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    r"""(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?"""
)
TAG = re.compile(rf"<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)((?:[ \t\n\f\r/]++|{_ATTRIBUTE})*+)(>?)")
MARKUP = re.compile("<[a-zA-Z/!?]")  # any other `<` is text
_NEXT_ATTRIBUTE = re.compile(_ATTRIBUTE)
_COMMENT_END = re.compile("--!?>")
_READ = frozenset(
    "href src rel alt title name content property http-equiv lang hreflang media type hidden data-nosnippet".split()  # noqa: SIM905
)


class Copier:
    """Copies start tags: short ones as they are, others with only those attributes that are read later."""

    def __init__(self) -> None:
        self._copied = self._shortened = 0

    def copy(self, tag: re.Match[str], name: str = "") -> str:
        """Return the tag, with another name where one is given."""
        self._copied += len(tag[0])
        if not name and len(tag[0]) <= SHORT_TAG_CHARS and self._copied <= MAX_COPIED_CHARS:
            return tag[0]
        kept: dict[str, str] = {}
        number, too_long = 0, False
        for number, attribute in enumerate(_NEXT_ATTRIBUTE.finditer(tag[3]), start=1):  # noqa: B007 - used after the loop
            key = attribute[0].partition("=")[0].strip().lower()
            if key in _READ:
                too_long = too_long or len(attribute[0]) > MAX_VALUE_CHARS
                kept.setdefault(key, _cut_value(attribute[0]))  # HTML: the first of a name counts
        self._shortened += too_long or number > MAX_ATTRIBUTES
        return f"<{name or tag[2]} {' '.join(kept.values())}>"

    def warnings(self) -> tuple[str, ...]:
        """Say whether a tag was beyond the limits."""
        if not self._shortened:
            return ()
        limits = f"more than {MAX_ATTRIBUTES} attributes or one of more than {MAX_VALUE_CHARS} characters"
        return (f"{self._shortened} tags had {limits}: what nobody reads was left out",)


def closing(markup: str, name: str, place: int) -> int:
    """Return where the end tag of a raw text element begins, or the end of the file."""
    end = re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE).search(markup, place)
    return end.start() if end else len(markup)


def after_declaration(markup: str, start: int) -> int:
    """Return where a comment, doctype or other declaration ends."""
    if markup.startswith("<!--", start) and not markup.startswith((">", "->"), start + 4):
        closed = _COMMENT_END.search(markup, start + 4)
        return closed.end() if closed else len(markup)
    end = markup.find(">", start)
    return end + 1 if end >= 0 else len(markup)


def _cut_value(attribute: str) -> str:
    """Cut a long attribute and close its quotes: a robots meta says noindex in its first words, however long it is."""
    if len(attribute) <= MAX_VALUE_CHARS:
        return attribute
    quote = attribute.partition("=")[2].lstrip()[:1]
    return attribute[:MAX_VALUE_CHARS] + (quote if quote in ("'", '"') else "")


DEPTH_WARNED_OF = 1000  # elements inside each other; pages made by people have 30, browsers stop at 512
MAX_TAGS = 150_000  # start and end tags of a page: half a second, and 60 MB in the parser
BREAK = "<br>"
MAX_CODE = 1000  # scripts, styles and comments behind the last of these tags
MAX_FLAT_CHARS = 2 * MAX_TEXT_CHARS  # of text: half of it may be hidden, and more is not kept

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_COPIED = frozenset({"html", "head", "body", "meta", "base", "link", "a", "area", "img", "title", "textarea"})
_RAW = frozenset({"script", "style", "noembed", "noframes", "iframe"})  # their text is code, or for other browsers
_SHOWN_RAW = frozenset({"title", "textarea", "xmp"})  # here tags are text
_UNSHOWN = frozenset({"noscript", "template", "datalist"})  # not shown either, but their content is markup
_DRAWING = frozenset({"svg", "math"})  # titles in here are not the document's
_HIDING_ATTRIBUTE = re.compile(r"[ \t\n\f\r/\"'](?:hidden|data-nosnippet)(?![^ \t\n\f\r/>=])", re.IGNORECASE)
_OPTIONAL_END = frozenset({"p", "li", "dt", "dd", "tr", "option", *CELLS})  # may have no end tag
_CODE = re.compile(r"<(?:!--|(script|style)(?=[ \t\n\f\r/>]))", re.IGNORECASE)
_ANY_TAG = re.compile("<[a-zA-Z/!?][^>]*+>?+")
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr", "area", "link", "meta", "base", "col", "embed", "source"})


class Flattening:
    """One pass over the tokens: `pieces` yields the new markup, and then `warnings` tells what was lost."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._tags = self._drawings = 0
        self._chars_left = MAX_FLAT_CHARS
        self._unread = 0  # characters behind the last tag that was read
        self._depth = self._deepest = 0  # roughly: an end tag counts whatever it ends
        self._copier = Copier()
        self._heading = ""  # the heading that is open
        self._unshown = ""  # the unshown element that is open
        self._stretch = ""  # the open element that is hidden or kept from snippets
        self._stretch_depth = 0

    def pieces(self) -> Iterator[str]:
        """Yield the page again, flat; line breaks that follow each other become one."""
        before = ""
        for piece in self._pieces():
            if piece != BREAK or before != BREAK:
                yield piece
            if piece and not piece.isspace():
                before = piece

    def _pieces(self) -> Iterator[str]:
        markup, place = self._markup, 0
        while begin := MARKUP.search(markup, place):
            yield self._text(markup[place : begin.start()])
            self._tags += 1
            if self._tags > MAX_TAGS:
                yield from self._rest(begin.start())
                return
            tag = TAG.match(markup, begin.start())
            if tag is None:
                place = after_declaration(markup, begin.start())
                continue
            place = tag.end()
            if not tag[4]:
                continue  # a tag that the end of the file cuts off is no tag
            name = tag[2].lower()
            if not tag[0].endswith("/>"):  # drawings close their lines so
                self._count(name, -1 if tag[1] else 1)
            yield self._end(name) if tag[1] else self._start(tag, name)
            if not tag[1] and (name in _RAW or name in _SHOWN_RAW):
                place, raw = closing(markup, name, place), place
                if name in _SHOWN_RAW and not (name == "title" and self._drawings):
                    yield self._text(markup[raw:place])
        yield self._text(markup[place:])

    def _rest(self, place: int) -> Iterator[str]:
        """Yield the words behind the last tag that is read: further tags are ignored, and code is left out."""
        markup = self._markup
        self._unread = len(markup) - place
        for _ in range(MAX_CODE):
            code = _CODE.search(markup, place)
            yield self._text(_ANY_TAG.sub(" ", markup[place : code.start() if code else len(markup)]))
            if code is None:
                return
            inside = code.end()
            place = closing(markup, code[1].lower(), inside) if code[1] else after_declaration(markup, code.start())

    def warnings(self) -> tuple[str, ...]:
        """Say what was lost, a sentence each."""
        lost = []
        if self._deepest > DEPTH_WARNED_OF:
            lost.append(f"about {self._deepest} elements stand inside each other: read without its nesting")
        if self._unread:
            lost.append(f"more than {MAX_TAGS} tags: of the last {self._unread} characters, only the text was kept")
        return (*lost, *self._copier.warnings())

    def _start(self, tag: re.Match[str], name: str) -> str:
        self._drawings += name in _DRAWING
        if self._stretch:
            self._stretch_depth += name == self._stretch and name not in _OPTIONAL_END
            before = self._end_stretch() if name == self._stretch and name in _OPTIONAL_END else ""
        else:
            before = ""
        if not self._stretch and name not in _EMPTY and _HIDING_ATTRIBUTE.search(tag[3]):
            self._stretch, self._stretch_depth = name, 1
            return f"{before}{_mark(name)}{self._stretch_tag(tag)}"
        return before + self._plain_start(tag, name)

    def _plain_start(self, tag: re.Match[str], name: str) -> str:
        if name in _HEADINGS:
            ended, self._heading = self._end_heading(), name
            return f"{ended}<{name}>"
        if name in _UNSHOWN and not self._unshown:
            self._unshown = name
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
        if name == self._unshown:
            self._unshown = ""
            return f"{ended}</{name}>"
        return f"{ended}</{name}>" if name in ("a", "head", "title", "textarea") else ended + _mark(name)

    def _count(self, name: str, step: int) -> None:
        if name not in _EMPTY and name not in _OPTIONAL_END:
            self._depth = max(0, self._depth + step)
            self._deepest = max(self._deepest, self._depth)

    def _text(self, text: str) -> str:
        kept = text[: self._chars_left]
        self._chars_left -= len(kept)
        return kept.replace("<", "&lt;")  # else a `<` could become a tag with what follows in the new markup

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


MAX_DOCUMENT_BYTES = 10 * 1024 * 1024  # of one document; the largest manuals have 6 MB

# Within these limits the parser needs a few milliseconds and at the very worst 110 MB, whatever the tags are.
HARMLESS_TAGS = 1500
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{600}")
_HIDDEN_END = re.compile(
    r"""=[ \t\n\f\r]*+(?:"[^">]*+>|'[^'>]*+>)"""
)  # a value with a `>` in it: the tag may be longer


def truncated(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Cut a document that is too long, and say so."""
    if len(body) <= MAX_DOCUMENT_BYTES:
        return body, ()
    return body[:MAX_DOCUMENT_BYTES], (f"{len(body)} bytes long: only the first {MAX_DOCUMENT_BYTES} were read",)


def is_harmless(markup: str) -> bool:
    """Return whether it can't hurt a parser: not long, few tags, no long tag, no tag with a `>` in a value."""
    if len(markup) > MAX_FLAT_CHARS:
        return False
    tags = markup.count("<") - markup.count("</")
    return tags <= HARMLESS_TAGS and not _LONG_TAG.search(markup) and not _HIDDEN_END.search(markup)


def made_safe(markup: str) -> tuple[str, tuple[str, ...]]:
    """Return markup that is safe to parse, and a sentence for each kind of thing that was lost."""
    if is_harmless(markup):
        return markup, ()
    flattening = Flattening(markup)
    return "".join(flattening.pieces()), flattening.warnings()
