"""Could this document hurt the parser? It is looked through in linear time before a C parser sees it.

HTML parsers promise nothing about cost. Measured on Lexbor: n attributes on one tag take about n² nanoseconds, so
do n nested elements, and unclosed formatting tags are opened again in every later paragraph, so that 14 KB of
`<b id=…>` and `<p>` make a million nodes (200 MB). Most pages are proved harmless by three quick tests and go on as
they are; the others are rewritten without any nesting by `flat.py`, which keeps all that a search engine reads.
"""

from __future__ import annotations

import re

from spiders.parse.flat import MAX_TEXT, Flattening

MAX_BYTES = 10 * 1024 * 1024  # of one document; the largest manuals have 6 MB

# Where these hold the parser needs a few milliseconds and 110 MB at the very worst, whatever the tags are.
HARMLESS_TAGS = 1500
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{600}")
_HIDDEN_END = re.compile(r"""=[ \t\n\f\r]*+(?:"[^">]*+>|'[^'>]*+>)""")  # a value that holds `>`: tags may be longer


def cut(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Cut a document that is too long, and say so."""
    if len(body) <= MAX_BYTES:
        return body, ()
    return body[:MAX_BYTES], (f"{len(body)} bytes long: only the first {MAX_BYTES} were read",)


def is_harmless(markup: str) -> bool:
    """Prove that no parser can suffer: not long, few tags, none long, and none that goes on behind a `>` in a value."""
    if len(markup) > MAX_TEXT:
        return False
    tags = markup.count("<") - markup.count("</")
    return tags <= HARMLESS_TAGS and not _LONG_TAG.search(markup) and not _HIDDEN_END.search(markup)


def tame(markup: str) -> tuple[str, tuple[str, ...]]:
    """Return markup that is safe to parse, and a sentence for each kind of thing that was lost by it."""
    if is_harmless(markup):
        return markup, ()
    flattening = Flattening(markup)
    return "".join(flattening.pieces()), flattening.warnings()
