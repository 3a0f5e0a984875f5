"""Which part of a page is read by meaning? Its title with its first words, in a few passages; only in English.

A passage is a text that one vector can represent: some hundred pieces of words. Reading costs CPU with every piece, so
only the beginning of a long page is read, which shows its subject. All its words are in the lexical index. A passage
ends with a sentence if one ends in its second half. The title precedes each passage, which seldom repeats it.

The network was trained on English. A page in another language has no passages, and is found by its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extensions.meaning.encoder import Encoder
    from indexer.segments.schema import StoredFields

LANGUAGE = "en"
PASSAGES = 2  # of a page: more cost more than they find
PASSAGE_TOKENS = 112  # without the title
TITLE_TOKENS = 24  # 99 of 100 titles fit
CHARS_READ = 12 * PASSAGES * PASSAGE_TOKENS  # of a page's text: English has 4 or 5 to a piece of a word
DIGEST_BYTES = 16
RULE = f"title {TITLE_TOKENS} + {PASSAGES} x {PASSAGE_TOKENS}"
_ENDS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a page's kept text, from `begin` to `end` in characters, and its pieces for the network."""

    tokens: tuple[int, ...]
    begin: int
    end: int


def recipe_of(encoder: Encoder) -> str:
    """Return the recipe of vectors, from a page to its numbers."""
    return f"{encoder.recipe}; {RULE}"


def is_read(page: StoredFields) -> bool:
    """Return whether a page is in English, the only language of the network."""
    return LANGUAGE in page.languages


def digest_of_reading(page: StoredFields) -> bytes:
    """Return a digest that changes with a page's passages. It identifies a page that has moved or came back."""
    said = f"{is_read(page)}\0{page.title}\0{page.text[:CHARS_READ]}"
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def passages_of(page: StoredFields, encoder: Encoder) -> list[Passage]:
    """Return the passages of a page, from its beginning; a page in another language has none."""
    if not is_read(page):
        return []
    title = tuple(encoder.pieces(page.title).tokens[:TITLE_TOKENS])
    text = page.text[:CHARS_READ]
    pieces = encoder.pieces(text)
    found = [
        Passage((*title, *pieces.tokens[begin:end]), pieces.spans[begin][0], pieces.spans[end - 1][1])
        for begin, end in _cuts(text, pieces.spans)
    ]
    return found or ([Passage(title, 0, 0)] if title else [])


def _cuts(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each passage among the pieces of a text."""
    begin = 0
    for _ in range(PASSAGES):
        end = min(begin + PASSAGE_TOKENS, len(spans))
        if begin == end:
            return
        if end < len(spans):
            half = begin + PASSAGE_TOKENS // 2
            ends = (place for place in range(end, half, -1) if text[spans[place - 1][1] - 1] in _ENDS)
            end = next(ends, end)
        yield begin, end
        begin = end
