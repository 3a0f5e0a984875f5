"""Which words does a reader see? The text between the tags, with marks where blocks and links begin and end.

A mark is a NUL, which no decoded document holds, and a letter. Marks are set around each block and link. Then the text
of the whole body is taken in one call, and outline.py cuts it at the marks. Walking the text nodes in Python would cost
several times as much. `data-nosnippet` (Google: on span, div and section only) hides words from snippets, never from
the index: such stretches are marked too.

`hidden` on the html or the body element hides no word here. Nobody serves a page that shows nothing: a script against
flicker takes the attribute away as soon as its work is done, and what browsers show then is what the page says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from selectolax.lexbor import create_tag

from pages.block_signs import MAX_SIGNED, SIGNED, Sign, plain_sign, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_TEXT_CHARS = 2_000_000  # of one page: three long novels; any page meant to be read has less

MARK = "\0"
MARK_CHARS = 2  # of a mark: with the letter that says what it marks
_MARK_AND_LETTER = re.compile(f"{MARK}.?", re.DOTALL)
BREAK, CODE, CODE_END, HEADING_END = ".", "K", "k", "h"  # letters that are no Sign; a heading begins with its digit
SUSPECT_CELL = "Q"  # a cell has no mark at its end
LINK, LINK_HERE, LINK_END, WITHHELD, WITHHELD_END = "(", "[", ")", "{", "}"  # LINK_HERE: to a place on the same page
_BLOCKS = (
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form header hgroup hr legend li main menu nav ol optgroup option p pre search section select summary table tr ul"
)
BLOCKS = frozenset(_BLOCKS.split())
CELLS = frozenset({"td", "th"})  # a row stays one line, unless its cells have blocks of their own
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MAX_SIGNED_CELLS = 200  # a table with more holds data, and is not there for the layout
# Code, and words that browsers show only without scripts, frames, or the right plug-in.
UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "noembed", "datalist"})

# The root can't be removed from a tree, and `hidden` on the whole page is meant for the moment before its scripts run.
_HIDDEN = "[hidden]:not(html):not(body)"
_NO_SNIPPET = "span[data-nosnippet], div[data-nosnippet], section[data-nosnippet]"


def _marks_of(tag: str) -> tuple[bytes, bytes]:
    """Return what is set before and after an element."""
    if tag in HEADINGS:
        return _mark(tag[1]), _mark(HEADING_END)
    if tag == "pre":
        return _mark(CODE), _mark(CODE_END)
    sign = plain_sign(tag)
    return _of_sign(sign) if sign else (_mark(BREAK), _mark(BREAK))


def _of_sign(sign: Sign) -> tuple[bytes, bytes]:
    return _mark(sign), _mark(sign.lower())


def _mark(letter: str) -> bytes:
    return (MARK + letter).encode()


_TAGS = {create_tag(tag).tag_id: tag for tag in (*BLOCKS, *HEADINGS)}  # numbers are had sooner than names
_MARKS = {number: _marks_of(tag) for number, tag in _TAGS.items()}
_SIGNED = {number: tag for number, tag in _TAGS.items() if tag in SIGNED}
_SIGN_MARKS = {sign: _of_sign(sign) for sign in Sign}
_BR = create_tag("br").tag_id
_CELL, _SUSPECT_CELL = _mark(Sign.CELL), _mark(SUSPECT_CELL)
_LINK, _LINK_HERE, _LINK_END = _mark(LINK), _mark(LINK_HERE), _mark(LINK_END)


def mark_blocks(blocks: list[LexborNode], cells: list[LexborNode]) -> None:
    """Set the marks of blocks, headings and cells."""
    left = MAX_SIGNED
    for node in blocks:
        number = node.tag_id
        before, after = _MARKS[number]
        if left and number in _SIGNED:
            left -= 1
            before, after = _SIGN_MARKS[sign_of(_SIGNED[number], node.attributes)]
        node.insert_before(before)
        if number != _BR:  # it is always empty
            node.insert_after(after)
    signed = len(cells) <= MAX_SIGNED_CELLS
    for node in cells:
        suspect = signed and sign_of("td", node.attributes) is Sign.SUSPECT
        node.insert_before(_SUSPECT_CELL if suspect else _CELL)


def mark_links(links: Iterable[tuple[LexborNode, str | None]]) -> None:
    """Set the marks of `a` elements, each with its href; after this, the words of an element are not to be taken."""
    for node, href in links:
        if href is not None:
            node.insert_before(_LINK_HERE if href.startswith("#") else _LINK)
            node.insert_after(_LINK_END)


def take_text(
    tree: LexborHTMLParser, lowered: bytes, unseen: list[LexborNode], *, hides: bool
) -> tuple[str, tuple[str, ...]]:
    """Remove the unseen from the tree; return the text with its marks, and warnings.

    `lowered` is the markup in lower case; `hides`: some may have the attribute `hidden`, which disguise.py sets too.
    """
    _remove(unseen)
    if hides:  # most pages need no query
        _remove([node for node in tree.css(_HIDDEN) if node.attributes.get("hidden") != "until-found"])
    if b"data-nosnippet" in lowered:
        for node in tree.css(_NO_SNIPPET):
            node.insert_before(_mark(WITHHELD))
            node.insert_after(_mark(WITHHELD_END))
    raw, warnings = cut_text(tree.body.text() if tree.body is not None else "")
    return " ".join(raw.split()), warnings


def cut_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut a text that is too long, and say so."""
    if len(text) <= MAX_TEXT_CHARS:
        return text, ()
    return text[:MAX_TEXT_CHARS], (f"the text has more than {MAX_TEXT_CHARS} characters: the rest was left out",)


def _remove(nodes: list[LexborNode]) -> None:
    for node in reversed(nodes):  # children before parents: removing a node frees what is inside it
        node.decompose()


def lines_within(node: LexborNode) -> list[str]:
    """Return the text of one element, cut at the marks."""
    return [" ".join(line.split()) for line in _MARK_AND_LETTER.split(node.text())]


def words(node: LexborNode) -> str:
    """Return the text of one element on one line."""
    text = node.text()
    return " ".join((_MARK_AND_LETTER.sub(" ", text) if MARK in text else text).split())
