"""Which words does a text hold, and where? One pass for a page and for a question: cut, normalise, take names apart.

A text is cut once into raw tokens; what a raw token becomes is computed once for each distinct one and kept. It becomes
words as they were typed, in lower case (NFKC); their stems and other forms are a matter of the dictionary (forms.py).
Three kinds of token become more than one word:

- a **name** (`os.path.join`, `getUserName`, `foreign_keys`, `-O2`, `.htaccess`) is indexed whole *and* in its parts,
  so that it is found by a reader who remembers only half of it; on manuals this is worth more than any weight. The
  whole of a word with hyphens is the word without them: `e-mail` and `email` find each other;
- a **run without blanks** (Chinese, Japanese, Korean, Thai) becomes its overlapping pairs of characters, and each
  single character beside them for queries of one character;
- a **possessive** (`sqlite's`) loses its ending.

Words, pairs and the names between the dots of an identifier take up a position. The whole name, the humps of a
CamelCase name and the single characters share the position of what they are part of (`over`): they neither lengthen the
field nor break a phrase, so that "sqlite database" finds "SQLite database".
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Script(Enum):
    """A writing system as far as analysis treats it differently."""

    LATIN = "latin"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARMENIAN = "armenian"
    HEBREW = "hebrew"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    TAMIL = "tamil"
    UNSPACED = "unspaced"  # written without blanks: cut into bigrams, never stemmed
    OTHER = "other"


# Han, kana (not the middle dot), Hangul, and the scripts of South-East Asia that put no blanks between words.
UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u1049\u1050-\u109d\u1780-\u17d3"
)
# signs that stand on or after a letter of their word: accents, points, vowel signs, joiners, the soft hyphen.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0df3"
    "\u00ad\u200c\u200d\u20d0-\u20f0\ufe20-\ufe2f"
)

HYPHENS = r"\-\u2010\u2011"  # for a class of characters
MAX_LINKED = 12  # words between dots and hyphens are one name; what goes on is cut there, and none of it is lost
_WORD = rf"[^\W{UNSPACED}]+(?:[{MARKS}]+[^\W{UNSPACED}]*)*"
# A word with the dots and hyphens inside a name, the signs of C++ and C#, and the "'s" behind it.
_NAME = rf"{_WORD}(?:[.{HYPHENS}]{_WORD}){{0,{MAX_LINKED - 1}}}(?:\+\+|#(?!\w))?(?:['\u2019]s(?!\w))?"
# A plain word, which is told at once, as most are; a name; one with the dashes of an option (-O2, --with-ssl) or the
# dot of a hidden file (.htaccess); an unspaced run.
TOKEN_PATTERN = re.compile(
    rf"[A-Za-z]+(?=[ \n,;:)])|{_NAME}|(?<![\w.+#)\]{HYPHENS}])(?:--?|\.)(?=[A-Za-z]){_NAME}|[{UNSPACED}]+"
)

_BLOCKS: tuple[tuple[int, int, Script], ...] = (  # first and last code point
    (0x41, 0x24F, Script.LATIN),
    (0x370, 0x3FF, Script.GREEK),
    (0x400, 0x52F, Script.CYRILLIC),
    (0x531, 0x58F, Script.ARMENIAN),
    (0x591, 0x5FF, Script.HEBREW),
    (0x600, 0x77F, Script.ARABIC),
    (0x900, 0x97F, Script.DEVANAGARI),
    (0xB80, 0xBFF, Script.TAMIL),
    (0x1E00, 0x1EFF, Script.LATIN),
    (0x1F00, 0x1FFF, Script.GREEK),
)
_UNSPACED = re.compile(f"[{UNSPACED}]")


def script_of(word: str) -> Script:
    """Return the script of a word's first letter; a word of digits and signs alone is OTHER."""
    if word.isascii():
        return Script.LATIN if any(map(str.isalpha, word)) else Script.OTHER
    for character in word:
        if not character.isalpha():
            continue
        if _UNSPACED.match(character):
            return Script.UNSPACED
        code = ord(character)
        return next((script for first, last, script in _BLOCKS if first <= code <= last), Script.OTHER)
    return Script.OTHER


def is_unspaced(run: str) -> bool:
    """Return whether a run that TOKEN_PATTERN has found is of a script without blanks."""
    return not run[0].isascii() and _UNSPACED.match(run[0]) is not None


MAX_TOKEN_CHARS = 64  # a longer token is cut: nobody types it, and encoded blobs would fill the dictionary
MAX_INDEXED_CHARS = 500_000  # of a text (about 80,000 words) are indexed
RUN_PART_CHARS = 4_096  # of a long run without blanks that are one token of a slice
MAX_NAME_CHARS = 512  # of an identifier are looked at
MAX_NAME_PARTS = MAX_LINKED  # of one identifier; a longer one is a path or a blob
MAX_JOINED = 3  # words with hyphens between them that are one word without: "state-of-the-art" is a phrase

# Inside a word: CamelCase ("Element" "Tree"), an acronym before a word ("HTTP" "Server"), the rest between signs.
_SEPARATORS = re.compile(rf"[\s._+#{HYPHENS}]+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+\d*|[A-Z]+\d*|\d+[^\W\d_A-Z]*|[^\W_]+")
_CAMEL = re.compile(r"[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
_PLURAL = re.compile(r"[A-Z]{2,}s\Z")  # "URLs" is no CamelCase
_POSSESSIVE = ("'s", "\u2019s")
_HYPHEN = re.compile(f"[{HYPHENS}]")
_SIGNED = re.compile(r"[-.]|.*[+#]\Z")
_GOES_ON, _ENDS = "\0", "\1"  # stand after a part of a run: no token of a text has them


class Piece(NamedTuple):
    """What becomes one word: `offset` positions after the token's first; with `over` it has no position of its own."""

    text: str
    offset: int
    over: bool = False


class AnalyzedToken(NamedTuple):
    """A raw token taken apart; `width` is the number of positions it takes up."""

    pieces: tuple[Piece, ...]
    width: int

    @property
    def row(self) -> tuple[Piece, ...]:
        """What stands in a row where the token stands; a name with signs at its ends ("C++", "-Fc") counts whole."""
        whole = self.pieces[-1:]
        if whole and whole[0].over and _SIGNED.match(whole[0].text):
            return whole
        return tuple(piece for piece in self.pieces if not piece.over)


def raw_tokens(text: str) -> list[str]:
    """Return the raw tokens of a text as they stand in it."""
    return TOKEN_PATTERN.findall(text[:MAX_INDEXED_CHARS])


def token_slices(text: str, chars: int) -> Iterator[list[str]]:
    """Yield the raw tokens of a text a slice at a time; a slice ends with the token that brings it to `chars`.

    The text is not cut, but read on from token to token, so no token is torn apart. A run without blanks can be as long
    as the text. It comes in parts, whose words and positions together are those of the run.
    """
    tokens: list[str] = []
    size = 0
    for match in TOKEN_PATTERN.finditer(text, 0, MAX_INDEXED_CHARS):
        for token in _parts(match.group()):
            tokens.append(token)
            size += len(token)
            if size >= chars:
                yield tokens
                tokens, size = [], 0
    if tokens:
        yield tokens


def _parts(raw: str) -> Iterator[str]:
    if len(raw) <= RUN_PART_CHARS or not is_unspaced(run := _normal(raw)):
        yield raw
        return
    pairs = len(run) - 1
    for start in range(0, pairs, RUN_PART_CHARS):
        stop = start + RUN_PART_CHARS  # the part has the pairs up to here, and so one character more
        yield run[start : stop + 1] + _GOES_ON if stop < pairs else run[start:] + _ENDS


def analyze_token(raw: str) -> AnalyzedToken:
    """Take a raw token apart."""
    normal = _normal(raw)
    if normal and is_unspaced(normal):
        return _cut_run(normal)
    return _cut_word(normal)


def _normal(raw: str) -> str:
    return raw if raw.isascii() else unicodedata.normalize("NFKC", raw).replace("\u00ad", "")


def _cut_run(run: str) -> AnalyzedToken:
    if len(run) == 1:
        return AnalyzedToken((Piece(run, 0),), 1)
    pairs = [Piece(run[i : i + 2], i) for i in range(len(run) - 1)]
    singles = [Piece(character, min(i, len(pairs) - 1), over=True) for i, character in enumerate(run)]
    return AnalyzedToken((*pairs, *singles), len(pairs))


def _cut_word(raw: str) -> AnalyzedToken:
    word = raw[:-2] if raw.endswith(_POSSESSIVE) else raw
    segments = [segment for segment in _SEPARATORS.split(word[:MAX_NAME_CHARS]) if segment][:MAX_NAME_PARTS]
    if not segments:
        return AnalyzedToken((), 0)
    pieces = [piece for offset, segment in enumerate(segments) for piece in _cut_segment(segment, offset)]
    whole = _whole(word.lower(), len(segments))
    if whole not in {"", pieces[0].text}:
        pieces.append(Piece(whole, 0, over=True))
    return AnalyzedToken(tuple(pieces), len(segments))


def _whole(word: str, parts: int) -> str:
    """Return under which word a name is found whole, or "": `email` of e-mail, `init` of __init__, `-o2` of -O2."""
    joined = word.replace("-", "") if word.isascii() else _HYPHEN.sub("", word)
    if word.startswith("-") or joined == word:
        return word.strip("_")[:MAX_TOKEN_CHARS]
    is_one_word = parts <= MAX_JOINED and any(map(str.isalpha, joined))  # a date and a number are none
    return joined.strip("_")[:MAX_TOKEN_CHARS] if is_one_word else ""


def _cut_segment(segment: str, offset: int) -> list[Piece]:
    """Cut a name without separators: `elementtree` takes one position, which `element` and `tree` share."""
    pieces = [Piece(segment.lower()[:MAX_TOKEN_CHARS], offset)]
    if _CAMEL.search(segment) and not _PLURAL.match(segment):
        pieces += [Piece(part.lower(), offset, over=True) for part in _PARTS.findall(segment)[:MAX_NAME_PARTS]]
    return pieces


def positioned_terms(raw: str) -> tuple[Iterable[tuple[str, int]], int]:
    """Return the words of a raw token in the order of their positions, each with its offset, and the token's width.

    The words of a long run come one by one: 500,000 Chinese characters would take 300 MB as pieces that are all there.
    """
    if raw.endswith((_GOES_ON, _ENDS)):
        return _words_of_run(raw[:-1], ends=raw.endswith(_ENDS)), len(raw) - 2
    if not raw.isascii() and len(run := _normal(raw)) > 1 and is_unspaced(run):
        return _words_of_run(run), len(run) - 1
    words, width = analyze_terms(raw)
    return words if len(words) == 1 else sorted(words, key=itemgetter(1)), width


def _words_of_run(run: str, *, ends: bool = True) -> Iterator[tuple[str, int]]:
    last = len(run) - 2
    for place in range(last + 1):
        yield run[place : place + 2], place
        yield run[place], place
    if ends:  # else the next part begins with this character
        yield run[-1], last


def analyze_terms(raw: str) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the words of a raw token with their offsets, and its width."""
    is_plain = raw.isascii() and raw.isalnum() and len(raw) <= MAX_TOKEN_CHARS and not _CAMEL.search(raw)
    if is_plain:  # what follows comes to the same, in five times the time
        return ((raw.lower(), 0),), 1
    taken = analyze_token(raw)
    return tuple((piece.text, piece.offset) for piece in taken.pieces), taken.width


cached_terms = lru_cache(maxsize=1 << 14)(
    analyze_terms
)  # for the marks of snippets: the index remembers raw tokens itself
