"""Which terms does a text hold, and where? One pass: cut, normalise, take identifiers apart, stem.

A text is cut once into raw tokens; what a raw token becomes is computed once for each distinct one and kept. Three
kinds of token need more than a stem:

- an **identifier** (`os.path.join`, `getUserName`, `foreign_keys`) is indexed whole *and* in its parts, so that it is
  found by a reader who remembers only half of it; on manuals this is worth more than any weight;
- a **run without blanks** (Chinese, Japanese, Korean, Thai) becomes its overlapping pairs of characters, and each
  single character beside them for queries of one character;
- everything else is a **word** and becomes its stem.

Words, pairs and the names between the dots of an identifier take up a position. The whole identifier, the humps of a
CamelCase name and the single characters share the position of what they are part of (`over`): they neither lengthen the
field nor break a phrase, so that "sqlite database" finds "SQLite database".
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from indexer.analysis.words import TOKEN_PATTERN, Script, is_unspaced, script_of, stem, stemmer_for

MAX_TOKEN_CHARS = 64  # a longer token is cut: nobody types it, and encoded blobs would fill the dictionary
MAX_INDEXED_CHARS = 500_000  # of a text (about 80,000 words) are indexed
MAX_NAME_CHARS = 512  # of an identifier are looked at
MAX_NAME_PARTS = 12  # of one identifier; a longer one is a path or a blob

# Inside a word: CamelCase ("Element" "Tree"), an acronym before a word ("HTTP" "Server"), the rest between signs.
_SEPARATORS = re.compile(r"[._+#]+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+\d*|[A-Z]+\d*|\d+[^\W\d_A-Z]*|[^\W_]+")
_CAMEL = re.compile(r"[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+\Z")
_PLURAL = re.compile(r"[A-Z]{2,}s\Z")  # "URLs" is no CamelCase


@dataclass(frozen=True, slots=True)
class Piece:
    """What becomes one term: `offset` positions after the token's first; with `over` it has no position of its own."""

    text: str
    offset: int
    script: Script  # OTHER: never stemmed
    over: bool = False


@dataclass(frozen=True, slots=True)
class TokenCut:
    """A raw token taken apart; `width` is the number of positions it takes up."""

    pieces: tuple[Piece, ...]
    width: int


def raw_tokens(text: str) -> list[str]:
    """Return the raw tokens of a text as they stand in it."""
    return TOKEN_PATTERN.findall(text[:MAX_INDEXED_CHARS])


def cut_token(raw: str) -> TokenCut:
    """Take a raw token apart."""
    normal = raw if raw.isascii() else unicodedata.normalize("NFKC", raw)
    if normal and is_unspaced(normal):
        return _cut_run(normal)
    return _cut_word(normal)


def _cut_run(run: str) -> TokenCut:
    if len(run) == 1:
        return TokenCut((Piece(run, 0, Script.UNSPACED),), 1)
    pairs = [Piece(run[i : i + 2], i, Script.UNSPACED) for i in range(len(run) - 1)]
    singles = [Piece(character, min(i, len(pairs) - 1), Script.UNSPACED, over=True) for i, character in enumerate(run)]
    return TokenCut((*pairs, *singles), len(pairs))


def _cut_word(word: str) -> TokenCut:
    whole = word.lower().strip("_")[:MAX_TOKEN_CHARS]
    segments = [segment for segment in _SEPARATORS.split(word[:MAX_NAME_CHARS]) if segment][:MAX_NAME_PARTS]
    if not segments:
        return TokenCut((), 0)
    pieces = [piece for offset, segment in enumerate(segments) for piece in _cut_segment(segment, offset)]
    if whole != pieces[0].text:
        pieces.append(_piece(whole, 0, over=True))
    return TokenCut(tuple(pieces), len(segments))


def _cut_segment(segment: str, offset: int) -> list[Piece]:
    """Cut a name without separators: `elementtree` takes one position, which `element` and `tree` share."""
    pieces = [_piece(segment.lower()[:MAX_TOKEN_CHARS], offset)]
    if _CAMEL.search(segment) and not _PLURAL.match(segment):
        pieces += [_piece(part.lower(), offset, over=True) for part in _PARTS.findall(segment)[:MAX_NAME_PARTS]]
    return pieces


def _piece(text: str, offset: int, *, over: bool = False) -> Piece:
    stemmable = text.isalpha() or not text.isascii()  # digits, dots and underscores mark a name, which has no stem
    return Piece(text, offset, script_of(text) if stemmable else Script.OTHER, over)


@lru_cache(maxsize=1 << 17)  # distinct raw tokens of a language; about 60 MB when full
def terms_of(raw: str, language: str) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the terms of a raw token with their offsets, and its width."""
    if len(raw) <= MAX_TOKEN_CHARS and _PLAIN.match(raw):  # `cut_token` gives the same, in five times the time
        return ((stem(raw.lower(), stemmer_for(language, Script.LATIN)), 0),), 1
    taken = cut_token(raw)
    return tuple((term(piece, language), piece.offset) for piece in taken.pieces), taken.width


def term(piece: Piece, language: str) -> str:
    """Return what stands in the index for a piece on a page in `language`."""
    return stem(piece.text, stemmer_for(language, piece.script))


def positions(texts: tuple[str, ...], language: str) -> tuple[dict[str, list[int]], int]:
    """Return where each term stands in a field, and the field's length in positions.

    One position is left free between two texts of a field, so that no phrase reaches from one into the next.
    """
    found: dict[str, list[int]] = {}
    place = length = 0
    for text in texts:
        start = place
        for raw in raw_tokens(text):
            terms, width = terms_of(raw, language)
            for word, offset in terms:
                if word in found:
                    found[word].append(place + offset)
                else:
                    found[word] = [place + offset]
            place += width
        length += place - start
        place += 1
    return found, length
