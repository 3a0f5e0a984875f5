"""Which words does a reader see? The text between the tags, one line for each block, without what is hidden.

A NUL, which no decoded document holds, is set before and after each block. Then the text of the whole body is taken in
one call and cut at those marks. Walking the text nodes in Python would cost several times as much. `data-nosnippet`
(Google: on span, div and section only) hides words from snippets, never from the index.

`hidden` on the html or the body element hides no word here. Nobody serves a page that shows nothing: a script against
flicker takes the attribute away as soon as its work is done, and what browsers show then is what the page says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_TEXT_CHARS = 2_000_000  # of one page: three long novels; any page meant to be read has less

MARK = "\0"
_BLOCKS = (
    "address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form header hgroup hr legend li main menu nav ol optgroup option p pre search section select summary table tr ul"
)
BLOCKS = frozenset(_BLOCKS.split())
CELLS = frozenset({"td", "th"})  # a row stays one line
# Code, and words that browsers show only without scripts, frames, or the right plug-in.
UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "noembed", "datalist"})

# The root can't be removed from a tree, and `hidden` on the whole page is meant for the moment before its scripts run.
_HIDDEN = "[hidden]:not(html):not(body)"
_NO_SNIPPET = "span[data-nosnippet], div[data-nosnippet], section[data-nosnippet]"


def mark_blocks(blocks: Iterable[LexborNode], cells: Iterable[LexborNode]) -> None:
    """Set the marks at which `take_text` cuts."""
    for node in blocks:
        node.insert_before(MARK)
        if node.tag != "br":  # it is always empty
            node.insert_after(MARK)
    for node in cells:
        node.insert_before(" ")


def take_text(
    tree: LexborHTMLParser, lowered: str, unseen: list[LexborNode]
) -> tuple[str, str | None, tuple[str, ...]]:
    """Remove the unseen from the tree; return text, snippet text, warnings. `lowered`: the markup in lower case."""
    _remove(unseen)
    if "hidden" in lowered:  # most pages need no query
        _remove([node for node in tree.css(_HIDDEN) if node.attributes.get("hidden") != "until-found"])
    text, warnings = _lines(tree)
    if "data-nosnippet" not in lowered:
        return text, None, warnings
    withheld = tree.css(_NO_SNIPPET)
    _remove(withheld)
    return text, _lines(tree)[0] if withheld else None, warnings


def cut_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut a text that is too long, and say so."""
    if len(text) <= MAX_TEXT_CHARS:
        return text, ()
    return text[:MAX_TEXT_CHARS], (f"the text has more than {MAX_TEXT_CHARS} characters: the rest was left out",)


def _remove(nodes: list[LexborNode]) -> None:
    for node in reversed(nodes):  # children before parents: removing a node frees what is inside it
        node.decompose()


def _lines(tree: LexborHTMLParser) -> tuple[str, tuple[str, ...]]:
    raw, warnings = cut_text(tree.body.text() if tree.body is not None else "")
    lines = map(str.strip, " ".join(raw.split()).split(MARK))
    return "\n".join(filter(None, lines)), warnings


def words(node: LexborNode) -> str:
    """Return the text of one element on one line."""
    return " ".join(node.text().replace(MARK, " ").split())
