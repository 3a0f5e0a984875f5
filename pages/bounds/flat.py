"""How is a page read whose tree could hurt the parser? As text, line breaks and a few tags.

Blocks become line breaks and cells become blanks. Formatting, drawings, code and comments go. The tags that stay cannot
nest: links, headings, metadata, and elements that are hidden or kept out of snippets. This module writes each tag of
the new markup itself, so the parser sees exactly the document that was bounded. For real manuals, text, links, headings
and metadata equal those of the full tree.

The tokens of HTML follow WHATWG HTML, 13.2.5, as far as the bounds need them. The patterns repeat possessively: they
never try a character twice, so they take linear time on any input.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pages.text.visible_text import BLOCKS, CELLS, MAX_TEXT_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_ATTRIBUTES = 256  # on one tag; HTML defines about 200 in all
MAX_VALUE_CHARS = 16 * 1024  # of one attribute; longer ones are data: URIs, never an address
SHORT_TAG_CHARS = 256  # of a tag that is copied as it is
MAX_COPIED_CHARS = 2_000_000  # of such tags in a page: an attribute of two characters takes 200 bytes in the parser
_READ = frozenset(
    "href src rel alt title name content property http-equiv lang hreflang media type hidden data-nosnippet".split()  # noqa: SIM905
)
_ROOTS = frozenset({"html", "body"})


class Copier:
    """Copies start tags: short ones as they are, others with only those attributes that are read later."""

    def __init__(self) -> None:
        self._copied = self._shortened = 0

    def copy(self, tag: re.Match[str], name: str = "") -> str:
        """Return the tag, with another name where one is given."""
        self._copied += len(tag[0])
        is_root = tag[2].lower() in _ROOTS  # all attributes of all of them go to the first, which compares them
        if not (name or is_root) and len(tag[0]) <= SHORT_TAG_CHARS and self._copied <= MAX_COPIED_CHARS:
            return tag[0]
        kept: dict[str, str] = {}
        number, too_long = 0, False
        for number, attribute in enumerate(ATTRIBUTE.finditer(tag[3]), start=1):  # noqa: B007 - used after the loop
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
        return (f"{self._shortened} tags had {limits}: they were shortened",)


def _cut_value(attribute: str) -> str:
    """Cut a long attribute and close its quotes: a robots meta says noindex in its first words, however long it is."""
    if len(attribute) <= MAX_VALUE_CHARS:
        return attribute
    quote = attribute.partition("=")[2].lstrip()[:1]
    return attribute[:MAX_VALUE_CHARS] + (quote if quote in ("'", '"') else "")


DEPTH_WARNED_OF = 1000  # elements inside each other; pages made by people have 30, browsers stop at 512
MAX_TAGS = 30_000  # start and end tags of such a page: 0.1 s; larger ones of people and programs are proved harmless
MAX_SIGNS = 1_000_000  # `<` that begin no tag: each costs the parser what a letter does twenty times
BREAK = "<br>"
MAX_CODE = 1000  # scripts, styles and comments behind the last of these tags
MAX_FLAT_CHARS = 2 * MAX_TEXT_CHARS  # of text: half of it may be hidden, and more is not kept

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_COPIED = frozenset({"html", "head", "body", "meta", "base", "link", "a", "area", "img", "title", "textarea"})
_UNSHOWN = frozenset({"noscript", "template", "datalist"})  # not shown either, but their content is markup
_DRAWING = frozenset({"svg", "math"})  # titles in here are not the document's
_HIDING_ATTRIBUTE = re.compile(r"[ \t\n\f\r/\"'](?:hidden|data-nosnippet)(?![^ \t\n\f\r/>=])", re.IGNORECASE)
_OPTIONAL_END = frozenset({"p", "li", "dt", "dd", "tr", "option", *CELLS})  # may have no end tag
_CODE = re.compile(r"<(?:!--|(script|style)(?=[ \t\n\f\r/>]))", re.IGNORECASE)
_COULD_BEGIN = re.compile(r"<(?=[a-zA-Z/!?]|\Z)")
_ANY_TAG = re.compile("<[a-zA-Z/!?][^>]*+>?+")
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr", "area", "link", "meta", "base", "col", "embed", "source"})
_UNCOUNTED = _EMPTY | _OPTIONAL_END  # when the depth of a page is told


class Flattening:
    """One pass over the tokens: `pieces` yields the new markup, and then `warnings` returns what was lost."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._tags = self._signs = self._drawings = 0
        self._chars_left = MAX_FLAT_CHARS
        self._unread = 0  # characters behind the last tag that was read
        self._depth = self._deepest = 0  # roughly: an end tag counts whatever it ends
        self._copier = Copier()
        self._heading = ""  # the heading that is open
        self._unshown = ""  # the unshown element that is open
        self._stretch = ""  # the open element that is hidden or kept from snippets
        self._stretch_depth = 0
        lowered = markup.lower()
        self._may_hide = "hidden" in lowered or "data-nosnippet" in lowered

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
            at = begin.start()
            if at > place:
                yield self._words(markup[place:at])
            self._tags += 1
            if self._tags > MAX_TAGS:
                yield from self._rest(at)
                return
            tag = TAG.match(markup, at)
            if tag is None:
                place = after_declaration(markup, at)
                continue
            place = tag.end()
            slash, name, _, closed = tag.groups()
            if not closed:
                continue  # a tag that the end of the file cuts off is no tag
            name = name.lower()
            if name not in _UNCOUNTED and markup[place - 2] != "/":  # drawings close their lines so
                self._count(-1 if slash else 1)
            yield self._end(name) if slash else self._start(tag, name)
            if not slash and (name in CODE or name in SHOWN_RAW):
                place, raw = closing(markup, name, place), place
                if name in SHOWN_RAW and not (name == "title" and self._drawings):
                    yield self._text(markup[raw:place])
        yield self._words(markup[place:])

    def _rest(self, place: int) -> Iterator[str]:
        """Yield the words behind the last tag that is read, without further tags and code."""
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
        if self._signs > MAX_SIGNS:
            lost.append(f"more than {MAX_SIGNS} `<` that begin no tag: they were left out")
        return (*lost, *self._copier.warnings())

    def _start(self, tag: re.Match[str], name: str) -> str:
        self._drawings += name in _DRAWING
        if self._stretch:
            self._stretch_depth += name == self._stretch and name not in _OPTIONAL_END
            before = self._end_stretch() if name == self._stretch and name in _OPTIONAL_END else ""
        else:
            before = ""
        if self._may_hide and not self._stretch and name not in _EMPTY and _HIDING_ATTRIBUTE.search(tag[3]):
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

    def _count(self, step: int) -> None:
        self._depth = max(0, self._depth + step)
        self._deepest = max(self._deepest, self._depth)

    def _words(self, text: str) -> str:
        """Return a text in which no tag begins: its last `<` could become one with what follows in the new markup."""
        kept = self._kept(text)
        return f"{kept[:-1]}&lt;" if kept.endswith("<") else kept

    def _text(self, text: str) -> str:
        """Return a text that may hold what would be tags elsewhere."""
        return _COULD_BEGIN.sub("&lt;", self._kept(text))

    def _kept(self, text: str) -> str:
        kept = text[: self._chars_left]
        self._chars_left -= len(kept)
        self._signs += kept.count("<")
        return kept if self._signs <= MAX_SIGNS else kept.replace("<", " ")

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


_ATTRIBUTE = (
    r"""[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    r"""(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?"""
)
TAG = re.compile(rf"<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)((?:[ \t\n\f\r/]++|{_ATTRIBUTE})*+)(>?)")
MARKUP = re.compile("<[a-zA-Z/!?]")  # any other `<` is text
ATTRIBUTE = re.compile(_ATTRIBUTE)  # the next one, inside a tag
_COMMENT_END = re.compile("--!?>")

CODE = frozenset({"script", "style", "noembed", "noframes", "iframe"})  # raw text: code, or for other browsers
SHOWN_RAW = frozenset({"title", "textarea", "xmp"})  # raw text that is shown: here tags are text


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
