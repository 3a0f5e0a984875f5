"""How does the folder complete a query? By whole titles and headings, and by the words and pairs of words in them.

An entry is a text as it is spelt, and how often it comes. The entries are in the order of their small letters. A piece
has all entries whose first two characters are the same, so the beginning of a query needs one piece.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from extensions.embed.static.pages import may_show_text
from extensions.embed.static.pieces import PieceWriter
from indexer.analysis.stopwords import is_stop_word
from indexer.analysis.tokenizer import raw_tokens

if TYPE_CHECKING:
    from extensions.embed.static.pages import ExportedPages
    from extensions.embed.static.pieces import StaticFolder

PIECE_BYTES = 16_000  # before packing
FIRST = 2  # characters after which queries are completed
MAX_NAME_CHARS = 80  # of a title or heading that is offered
_AROUND = re.compile(r"^\s*\d+(?:\.\d+)*\.?\s+|\s*[¶#§:\N{LINK SYMBOL}]\s*$")  # a number before it, a mark behind it


def write_names(folder: StaticFolder, pages: ExportedPages, languages: frozenset[str]) -> list[str]:
    """Write what queries are completed by; return the first two characters with which each piece begins."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for name in _names(pages):
        words = raw_tokens(name)
        telling = [word for word in words if not is_stop_word(word.lower(), languages)]
        for text in {name, *telling, *(f"{a} {b}" for a, b in pairwise(words) if b in telling)}:
            if FIRST <= len(text) <= MAX_NAME_CHARS:
                spellings[text.lower()][text] += 1
    pieces = PieceWriter(folder, "names", PIECE_BYTES)
    entries = sorted(
        (low, min(each, key=lambda text: (-each[text], text)), each.total()) for low, each in spellings.items()
    )
    for begin, group in groupby(entries, key=lambda entry: entry[0][:FIRST]):
        rows = [(text, count) for _, text, count in group]
        pieces.add(begin, rows, sum(len(text) + 5 for text, _ in rows))
    pieces.close()
    return pieces.begins


def _names(pages: ExportedPages) -> list[str]:
    """Return the titles and headings of all pages whose text may be shown, and the titles of the others."""
    found: list[str] = []
    for stored in pages.stored():
        headings = [stored.text[start:end] for start, end, _, _ in stored.sections] if may_show_text(stored) else []
        names = (" ".join(_AROUND.sub("", name).split()) for name in (stored.title, *headings))
        found += dict.fromkeys(filter(None, names))
    return found
