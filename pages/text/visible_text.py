"""Which words does a reader see? The text between the tags, with marks where blocks and links begin and end.

A mark is a NUL, which no decoded document contains, and a letter. Marks are set around each block and link. Then one
call takes the text of the whole body, and outline.py cuts it at the marks. A walk over the text nodes in Python
would take several times as long. `data-nosnippet` (Google: on span, div and section only) keeps words out of snippets
and not out of the index, so such passages have marks too.

The letter of a block says what the block is for: its element (WHATWG HTML, 4.3) and its role (WAI-ARIA 1.2, 5.3.4) say
it outright. Authors choose the words of `class` and `id` freely, and most choose the same few. Such a word only makes
a block suspect: main_text.py looks at what is in it.

`hidden` on the html or body element hides no words here. No site serves a page that shows nothing: a script removes
the attribute when it has done its work, and browsers show the page then.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from selectolax.lexbor import create_tag

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from selectolax.lexbor import LexborHTMLParser, LexborNode


class BlockRole(StrEnum):
    """The role of a block by its markup; its value is the letter of its mark in a text."""

    NONE = "D"  # a container that says nothing
    LIST = "L"
    TABLE = "T"
    CELL = "C"
    TEMPLATE = "N"  # navigation, search, a dialog
    EDGE = "E"  # the header or footer of the page, or of an article in it
    ASIDE = "U"
    MAIN = "M"
    ARTICLE = "A"
    SUSPECT = "S"  # by the words in its class


_ELEMENTS = {
    **dict.fromkeys(("nav", "search", "dialog", "select"), BlockRole.TEMPLATE),
    **dict.fromkeys(("header", "footer"), BlockRole.EDGE),
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), BlockRole.LIST),
    "aside": BlockRole.ASIDE,
    "main": BlockRole.MAIN,
    "article": BlockRole.ARTICLE,
    "table": BlockRole.TABLE,
    "td": BlockRole.CELL,
    "th": BlockRole.CELL,
}
_CONTAINERS = "blockquote center details div fieldset figure form hgroup section"
_ROLES = {
    **dict.fromkeys(
        ("navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"), BlockRole.TEMPLATE
    ),
    **dict.fromkeys(("banner", "contentinfo"), BlockRole.EDGE),
    "complementary": BlockRole.ASIDE,
    "main": BlockRole.MAIN,
    "article": BlockRole.ARTICLE,
}
_SUSPICIOUS = re.compile(
    r"nav(?!y|al|ig?ator)|menu|side-?_?bar|foot(?!note|age)|header(?!link)|\bhead\b|masthead|banner|bread-?_?crumb|crumbs"
    r"|topic-?path|cookie|consent|gdpr|tool-?_?bar|top-?_?bar|bottom|pager\b|paginat|social|share\b|sharing|related"
    r"|copyright|newsletter|subscri|log-?in|search|widget|promo|advert|sponsor|\bads?\b|\bskip|langs?\b|language"
    r"|quick-?_?(?:links|view)|tags?\b|\bprev\b|\bnext\b|colophon|disclaimer|\blegal|popup|modal|overlay"
    r"|kopf|fu(?:ss|\xdf)|bandeau|pied|\bg?lnb\b|\bgnb\b",
    re.IGNORECASE,
)
SIGNED = frozenset({*_ELEMENTS, *_CONTAINERS.split()}) - {"select", "td", "th"}  # elements whose attributes are read
MAX_WORDS_CHARS = 300  # of a class or an id
MAX_CLASSIFIED = 2000  # of a page: those of the others would be the rows of a list


def element_role(tag: str) -> BlockRole | None:
    """Return what the name of an element says; None where it contains nothing but text."""
    return _ELEMENTS.get(tag) or (BlockRole.NONE if tag in SIGNED else None)


def block_role(tag: str, attributes: Mapping[str, str | None]) -> BlockRole:
    """Return what an element of SIGNED, or a cell, says that it is for."""
    by_name = _ELEMENTS.get(tag, BlockRole.NONE)
    if not attributes:
        return by_name
    role = attributes.get("role")
    if role and (by_role := _ROLES.get(role.strip().lower())):
        return by_role
    if by_name in _SPEAKING:
        return by_name
    words = (attributes.get("class") or "", attributes.get("id") or "")
    return BlockRole.SUSPECT if any(text and _is_suspicious(text[:MAX_WORDS_CHARS]) for text in words) else by_name


@lru_cache(maxsize=4096)
def _is_suspicious(words: str) -> bool:  # a site has some fifty classes, on thousands of its pages
    return _SUSPICIOUS.search(words) is not None


_SPEAKING = frozenset({BlockRole.TEMPLATE, BlockRole.EDGE, BlockRole.ASIDE, BlockRole.MAIN, BlockRole.ARTICLE})


MAX_TEXT_CHARS = 2_000_000  # of one page: three long novels; any page meant to be read has less

MARK = "\0"
MARK_CHARS = 2  # of a mark: with the letter that says what it marks
_MARK_AND_LETTER = re.compile(f"{MARK}.?", re.DOTALL)
BREAK, CODE, CODE_END, HEADING_END = (".", "K", "k", "h")  # no block roles; a heading begins with its digit
SUSPECT_CELL = "Q"  # a cell has no mark at its end
SECTION = 0xF0000  # the letter of its mark is this code point and its number: a private one
LINK, LINK_HERE, LINK_END, WITHHELD, WITHHELD_END = "(", "[", ")", "{", "}"  # LINK_HERE: to a place on the same page
_BLOCKS = (
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form header hgroup hr legend li main menu nav ol optgroup option p pre search section select summary table tr ul"
)
BLOCKS = frozenset(_BLOCKS.split())
CELLS = frozenset({"td", "th"})  # a row stays one line, unless its cells have blocks of their own
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MAX_SECTIONS = 2_000  # of a page
MAX_ID_CHARS = 200
MAX_AROUND = 5  # elements around a heading that may carry its id
MAX_BEFORE = 30  # nodes before a heading that show nothing
MAX_BETWEEN = 5  # nodes between two `dt`: marks and blanks
MAX_INSIDE = 50  # elements of a heading or `dt` that are read: those of a hostile page are inside each other
# A link to a place on its page without a letter, such as the ¶ or # behind a heading:
_PERMALINK = re.compile(rf"{MARK}\{LINK_HERE}[^\w{MARK}]{{1,8}}{MARK}\{LINK_END}")
_ANCHORS = frozenset({"a", "span"})
MAX_CLASSIFIED_CELLS = 200  # a table with more holds data, and is not there for the layout
# Code, and words that browsers show only without scripts, frames, or the right plug-in.
UNSEEN = frozenset(
    (
        "script", "style", "template", "noscript", "iframe", "noembed", "datalist", "canvas", "video", "audio",
        "progress", "meter",
    )
)  # fmt: skip

# The root can't be removed from a tree, and `hidden` on the whole page is meant for the moment before its scripts run.
_HIDDEN = "[hidden]:not(html):not(body)"
_NO_SNIPPET = "span[data-nosnippet], div[data-nosnippet], section[data-nosnippet]"


def _marks_of(tag: str) -> tuple[bytes, bytes]:
    """Return what is set before and after an element."""
    if tag in HEADINGS:
        return _mark(tag[1]), _mark(HEADING_END)
    if tag == "pre":
        return _mark(CODE), _mark(CODE_END)
    sign = element_role(tag)
    return _of_sign(sign) if sign else (_mark(BREAK), _mark(BREAK))


def _of_sign(sign: BlockRole) -> tuple[bytes, bytes]:
    return _mark(sign), _mark(sign.lower())


def _mark(letter: str) -> bytes:
    return (MARK + letter).encode()


_TAGS = {create_tag(tag).tag_id: tag for tag in (*BLOCKS, *HEADINGS)}  # numbers are had sooner than names
_MARKS = {number: _marks_of(tag) for number, tag in _TAGS.items()}
_SIGNED = {number: tag for number, tag in _TAGS.items() if tag in SIGNED}
_SIGN_MARKS = {sign: _of_sign(sign) for sign in BlockRole}
_BR = create_tag("br").tag_id
_DEFINED = create_tag("dt").tag_id
_SECTION_STARTS = frozenset({_DEFINED, *(create_tag(tag).tag_id for tag in HEADINGS)})
_CELL, _SUSPECT_CELL = _mark(BlockRole.CELL), _mark(SUSPECT_CELL)
_LINK, _LINK_HERE, _LINK_END = _mark(LINK), _mark(LINK_HERE), _mark(LINK_END)


def mark_blocks(blocks: list[LexborNode], cells: list[LexborNode]) -> None:
    """Set the marks of blocks, headings and cells."""
    left = MAX_CLASSIFIED
    for node in blocks:
        number = node.tag_id
        before, after = _MARKS[number]
        if left and number in _SIGNED:
            left -= 1
            before, after = _SIGN_MARKS[block_role(_SIGNED[number], node.attributes)]
        node.insert_before(before)
        if number != _BR:  # it is always empty
            node.insert_after(after)
    signed = len(cells) <= MAX_CLASSIFIED_CELLS
    for node in cells:
        suspect = signed and block_role("td", node.attributes) is BlockRole.SUSPECT
        node.insert_before(_SUSPECT_CELL if suspect else _CELL)


def mark_sections(nodes: Iterable[LexborNode], *, hides: bool) -> list[str]:
    """Set a mark before each element with which a section begins, with its number; return the ids by number.

    A page can be entered at its headings, and at the names that it defines (`dt`). The id stands in one of four places:
    at the element, inside it, at an empty anchor before it (or at the end of a paragraph that nobody closed), or at an
    element around it that begins with it (`section`, `div`). It may be missing, if a `dt` is no entry of a table of
    contents. `hides`: some elements may have the attribute `hidden`.
    """
    ids: list[str] = []
    showing: dict[int, bool] = {}
    concealed: dict[int, bool] = {}
    for node in nodes:
        if node.tag_id in _SECTION_STARTS and len(ids) < MAX_SECTIONS:
            anchor = next((name for name in _ids_of(node, showing) if name and len(name) <= MAX_ID_CHARS), "")
            begins = anchor or node.tag_id != _DEFINED or not (_leads_elsewhere(node) or _is_other_name(node, showing))
            if begins and not (hides and is_concealed(node, concealed)):
                node.insert_before(_mark(chr(SECTION + len(ids))))
                ids.append(anchor)
    return ids


def _leads_elsewhere(node: LexborNode) -> bool:
    """Return whether a `dt` has a link to another place: an entry of a table of contents or of an index."""
    links = (each.attributes for each in islice(node.traverse(), MAX_INSIDE) if each.tag == "a")
    return any(not (link["href"] or "").startswith("#") for link in links if "href" in link)


def _is_other_name(node: LexborNode, showing: dict[int, bool]) -> bool:
    """Return whether the `dt` before a `dt` has an id, which leads to both."""
    before = node.prev
    for _ in range(MAX_BETWEEN):
        if before is None or _shows_something(before, showing):
            break
        before = before.prev
    return before is not None and before.tag_id == _DEFINED and any(_ids_of(before, showing))


def _ids_of(node: LexborNode, showing: dict[int, bool]) -> Iterator[str | None]:
    """Yield the ids by which a link leads to an element, the nearest first."""
    yield node.attributes.get("id")
    for inside in islice(node.traverse(), MAX_INSIDE):
        if "id" in inside.attributes or (inside.tag == "a" and "name" in inside.attributes):
            yield inside.attributes.get("id") or inside.attributes.get("name")
            break
    around = node
    for _ in range(MAX_AROUND):
        before = yield from _anchors_before(around.prev, showing)
        if before is not None:  # a paragraph without end takes in the anchor behind it
            yield from _anchors_before(before.last_child, showing)
        parent = around.parent
        if before is not None or parent is None or parent.tag == "body" or node.tag_id == _DEFINED:
            return
        around = parent
        yield around.attributes.get("id")


def _anchors_before(
    node: LexborNode | None, showing: dict[int, bool]
) -> Generator[str | None, None, LexborNode | None]:
    """Yield the ids of empty anchors from a node backwards; return the first node that shows something."""
    for _ in range(MAX_BEFORE):
        if node is None or _shows_something(node, showing):
            return node
        yield _anchor_of(node)
        node = node.prev
    return None


def _anchor_of(node: LexborNode) -> str | None:
    return (node.attributes.get("id") or node.attributes.get("name")) if node.tag in _ANCHORS else None


def _shows_something(node: LexborNode, showing: dict[int, bool]) -> bool:
    """Return whether a node is more than a mark or an empty anchor; `showing` keeps the answers by node.

    One with many nodes inside is more in any case: the text of a hostile page would be read for each of its headings.
    """
    if node.mem_id not in showing:
        inside = [*islice(node.traverse(include_text=True), MAX_INSIDE + 1)]
        showing[node.mem_id] = len(inside) > MAX_INSIDE or any(
            _MARK_AND_LETTER.sub("", text).strip() for each in inside if (text := each.text_content)
        )
    return showing[node.mem_id]


def is_concealed(node: LexborNode, known: dict[int, bool]) -> bool:
    """Return whether an element or an ancestor has the attribute `hidden`; `known` keeps the answers by element."""
    line: list[int] = []
    above: LexborNode | None = node
    while above is not None and above.mem_id not in known and "hidden" not in above.attributes:
        line.append(above.mem_id)
        above = above.parent
    found = above is not None and known.get(above.mem_id, True)
    known.update(dict.fromkeys(line, found))
    return found


def mark_links(links: Iterable[tuple[LexborNode, str | None]]) -> None:
    """Set the marks of `a` elements, each with its href; after this, the words of an element are not to be taken."""
    for node, href in links:
        if href is not None:
            node.insert_before(_LINK_HERE if href.startswith("#") else _LINK)
            node.insert_after(_LINK_END)


def extract_text(
    tree: LexborHTMLParser, lowered: bytes, unseen: list[LexborNode], *, hides: bool
) -> tuple[str, tuple[str, ...]]:
    """Remove the unseen from the tree; return the text with its marks, and warnings.

    `lowered` is the markup in lower case; `hides`: some may have the attribute `hidden`, which hidden_text.py sets too.
    """
    _remove(unseen)
    if hides:  # most pages need no query
        _remove([node for node in tree.css(_HIDDEN) if node.attributes.get("hidden") != "until-found"])
    if b"data-nosnippet" in lowered:
        for node in tree.css(_NO_SNIPPET):
            node.insert_before(_mark(WITHHELD))
            node.insert_after(_mark(WITHHELD_END))
    raw, warnings = cut_text(tree.body.text() if tree.body is not None else "")
    return " ".join(_PERMALINK.sub("", raw).split()), warnings


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


def words(node: LexborNode, most: int | None = None) -> str:
    """Return the text of one element on one line, or that of its first `most` characters."""
    text = node.text()[:most]
    return " ".join((_MARK_AND_LETTER.sub(" ", text) if MARK in text else text).split())
