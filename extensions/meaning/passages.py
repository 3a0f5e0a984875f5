"""Which parts of a page are read by meaning? Its beginning, and that of each section; only in English.

A passage is a text that one vector can represent: some hundred pieces of words. Reading costs CPU with every piece, so
a page has few: two from its beginning, which shows its subject, and one from the beginning of each section, of higher
levels first. All its words are in the lexical index. A passage ends with a sentence if one ends in its second half.
The title precedes each passage, which seldom repeats it.

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
FIRST_PASSAGES = 2  # from the beginning of a page
SECTIONS = 4  # that have a passage
PASSAGES = FIRST_PASSAGES + SECTIONS
PASSAGE_TOKENS = 112  # without the title
TITLE_TOKENS = 24  # 99 of 100 titles fit
CHARS_READ = 12 * PASSAGE_TOKENS  # for a passage: English has 4 or 5 to a piece of a word
DIGEST_BYTES = 16
RULE = f"title {TITLE_TOKENS} + ({FIRST_PASSAGES} + {SECTIONS} sections) x {PASSAGE_TOKENS}"
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
    said = "\0".join((str(is_read(page)), page.title, *(page.text[begin:end] for begin, end, _ in _ranges(page))))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def passages_of(page: StoredFields, encoder: Encoder) -> list[Passage]:
    """Return the passages of a page, in the order of the text; a page in another language has none."""
    if not is_read(page):
        return []
    title = tuple(encoder.pieces(page.title).tokens[:TITLE_TOKENS])
    found = []
    for start, stop, most in _ranges(page):
        text = page.text[start:stop]
        pieces = encoder.pieces(text)
        spans = pieces.spans
        found += [
            Passage((*title, *pieces.tokens[begin:end]), start + spans[begin][0], start + spans[end - 1][1])
            for begin, end in _cuts(text, spans, most)
        ]
    return found or ([Passage(title, 0, 0)] if title else [])


def _ranges(page: StoredFields) -> Iterator[tuple[int, int, int]]:
    """Yield begin and end of the parts of a page's text that are read, and the most passages of each.

    A section at the beginning of the page is no part of its own.
    """
    ends = [start for start, *_ in page.sections[1:]] + [len(page.text)]
    sections = [(level, start, end) for (start, _, level, _), end in zip(page.sections, ends, strict=False) if start]
    chosen = sorted((start, end) for _, start, end in sorted(sections)[:SECTIONS])
    begun = [start for start, _ in chosen] or [len(page.text)]
    yield 0, min(begun[0], FIRST_PASSAGES * CHARS_READ), FIRST_PASSAGES
    for start, end in chosen:
        yield start, min(end, start + CHARS_READ), 1


def _cuts(text: str, spans: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each of the first passages among the pieces of a text."""
    begin = 0
    for _ in range(most):
        end = min(begin + PASSAGE_TOKENS, len(spans))
        if begin == end:
            return
        if end < len(spans):
            half = begin + PASSAGE_TOKENS // 2
            ends = (place for place in range(end, half, -1) if text[spans[place - 1][1] - 1] in _ENDS)
            end = next(ends, end)
        yield begin, end
        begin = end
