"""Could this document hurt the parser? It is checked in linear time before a C parser sees it.

HTML parsers promise nothing about cost. Measured on Lexbor: n attributes on one tag take about n² nanoseconds, and so
do n nested elements. A parser reopens unclosed formatting tags in every later paragraph: 14 KB of `<b id=…>` and `<p>`
make a million nodes (200 MB).

Either of two tests proves that a page is harmless: it has few tags, or its tree can't become deep or large
(tree_bounds.py). Then it is parsed unchanged. Other pages are rewritten without any nesting (flat.py), with all that a
search engine reads.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pages.bounds.flat import MAX_FLAT_CHARS, Flattening

if TYPE_CHECKING:
    from pages.bounds.tree_bounds import TreeBounds

MAX_DOCUMENT_BYTES = 10 * 1024 * 1024  # of one document; the largest manuals have 6 MB

# Within these limits the parser needs 0.2 s and 110 MB at the very worst, whatever the tags are.
SMALL_CHARS = 16 * 1024
SMALL_COPIES = 2_000_000  # tags times characters: each tag may bring formatting back, with all attributes of the page
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{600}")
_HIDDEN_END = re.compile(
    r"""=[ \t\n\f\r]*+(?:"[^">]*+>|'[^'>]*+>)"""
)  # a value with a `>` in it: the tag may be longer

# What a larger page may have at most to be parsed as it is.
MAX_MARKS = 150_000  # `<`: the arrays of the proof take 200 bytes for each
MAX_DEPTH = 5000  # elements inside each other
MAX_ELEMENTS = 150_000  # real manuals have up to 70,000
MAX_ATTRIBUTES = 500_000  # 100 MB
MAX_ATTRIBUTES_OF_ONE = 400  # each is compared with all others of its tag
MAX_STEPS = 100_000_000  # 0.1 to 0.2 s
MAX_REREAD_CHARS = 50_000_000  # of text inside links and headings that stand inside each other: 0.3 s


def truncated(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Cut a document that is too long, and say so."""
    if len(body) <= MAX_DOCUMENT_BYTES:
        return body, ()
    return body[:MAX_DOCUMENT_BYTES], (f"{len(body)} bytes long: only the first {MAX_DOCUMENT_BYTES} were read",)


def is_small(markup: str) -> bool:
    """Return whether it can't hurt a parser: not long, few tags, no long tag, no tag with a `>` in a value."""
    if len(markup) > SMALL_CHARS:
        return False
    tags = markup.count("<") - markup.count("</")
    return tags * len(markup) <= SMALL_COPIES and not _LONG_TAG.search(markup) and not _HIDDEN_END.search(markup)


def is_harmless(markup: str) -> bool:
    """Return whether its tree is proved to be within the limits."""
    if is_small(markup):
        return True
    if len(markup) > MAX_FLAT_CHARS or markup.count("<") > MAX_MARKS:
        return False
    from pages.bounds.tag_arrays import read_tags  # loads numpy, 0.1 s
    from pages.bounds.tree_bounds import bound, simple_bound

    tags = read_tags(markup)
    if tags is None:
        return False
    found = (find(tags) for find in (simple_bound, bound))
    return any(most is not None and _is_within_limits(most, len(markup)) for most in found)


def _is_within_limits(most: TreeBounds, chars: int) -> bool:
    return (
        most.depth <= MAX_DEPTH
        and most.elements <= MAX_ELEMENTS
        and most.attributes <= MAX_ATTRIBUTES
        and most.attributes_of_one <= MAX_ATTRIBUTES_OF_ONE
        and most.steps <= MAX_STEPS
        and most.reread * chars <= MAX_REREAD_CHARS
    )


def made_safe(markup: str) -> tuple[str, tuple[str, ...]]:
    """Return markup that is safe to parse, and a sentence for each kind of thing that was lost."""
    if is_harmless(markup):
        return markup, ()
    flattening = Flattening(markup)
    return "".join(flattening.pieces()), flattening.warnings()
