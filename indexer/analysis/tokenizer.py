"""Which terms does a text hold, and where? Pages and queries are tokenized alike: split, normalised, names taken apart.

A text is split once into raw tokens. The tokenizer analyzes each distinct raw token once. A token becomes words as they
were typed, in lower case (NFKC); words.py adds their stems and other forms. Three kinds of token become more than
one word:

- a **name** (`os.path.join`, `getUserName`, `foreign_keys`, `-O2`, `.htaccess`) is indexed whole *and* in its parts. So
  readers find it who remember only half of it; on manuals this helps more than any weight. The whole of a word with
  hyphens is the word without them: `e-mail` and `email` find each other;
- a **run without blanks** (Chinese, Japanese, Korean, Thai) becomes its overlapping pairs of characters, and each
  single character for queries of one character;
- a **possessive** (`sqlite's`) loses its ending.

Words, pairs and the names between the dots of an identifier take up a position. The whole name, the humps of a
CamelCase name and the single characters share the position of the word of which they are part (`overlaps`). They
neither lengthen the field nor break a phrase, so "sqlite database" finds "SQLite database".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.words import HYPHENS, MAX_LINKED, TOKEN_PATTERN, is_unspaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_TOKEN_CHARS = 64  # the rest is cut: nobody types more, and encoded blobs would fill the dictionary
MAX_INDEXED_CHARS = 500_000  # of a text (about 80,000 words) are indexed
RUN_PART_CHARS = 4_096  # of a long run without blanks; each part is one token of a slice
MAX_NAME_CHARS = 512  # of an identifier; the rest is ignored
MAX_NAME_PARTS = MAX_LINKED  # of one identifier; a longer one is a path or a blob
PRIME = 1_811_004_864_519_280_681  # of 61 bits; BLAKE2b, as for URLs, is more than a browser has
CACHED_TOKENS = 1 << 15  # of whole texts, 7 MB when full: a crawl counts the texts of its links several times
MAX_JOINED = 3  # hyphenated words that are also one word; "state-of-the-art" is a phrase

# Inside a word: CamelCase ("Element" "Tree"), an acronym before a word ("HTTP" "Server"), the rest between signs.
_SEPARATORS = re.compile(rf"[\s._+#{HYPHENS}]+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+\d*|[A-Z]+\d*|\d+[^\W\d_A-Z]*|[^\W_]+")
_CAMEL = re.compile(r"[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
_PLURAL = re.compile(r"[A-Z]{2,}s\Z")  # "URLs" is no CamelCase
_POSSESSIVE = ("'s", "\u2019s")
_HYPHEN = re.compile(f"[{HYPHENS}]")
_SIGNED = re.compile(r"[-.]|.*[+#]\Z")
_CONTINUES, _ENDS = "\0", "\1"  # after a part of a run; no token of a text has them


class SubToken(NamedTuple):
    """One word of a token, `offset` positions after the first; with `overlaps` it has no position of its own."""

    text: str
    offset: int
    overlaps: bool = False


class AnalyzedToken(NamedTuple):
    """The words of a raw token; `width` is the number of positions that it takes up."""

    parts: tuple[SubToken, ...]
    width: int

    @property
    def sequence(self) -> tuple[SubToken, ...]:
        """The words that follow one another in a phrase; a name with signs at its ends ("C++", "-Fc") counts whole."""
        whole = self.parts[-1:]
        if whole and whole[0].overlaps and _SIGNED.match(whole[0].text):
            return whole
        return tuple(part for part in self.parts if not part.overlaps)


def raw_tokens(text: str) -> list[str]:
    """Return the raw tokens of a text."""
    return TOKEN_PATTERN.findall(text[:MAX_INDEXED_CHARS])


def token_slices(text: str, chars: int) -> Iterator[list[str]]:
    """Yield the raw tokens of a text in slices; a slice ends with the token that brings it to `chars` characters.

    No token is torn apart. A run without blanks can be as long as the text. It comes in parts, whose words and
    positions together are those of the run.
    """
    tokens: list[str] = []
    size = 0
    for match in TOKEN_PATTERN.finditer(text, 0, MAX_INDEXED_CHARS):
        for token in _token_parts(match.group()):
            tokens.append(token)
            size += len(token)
            if size >= chars:
                yield tokens
                tokens, size = [], 0
    if tokens:
        yield tokens


def _token_parts(raw: str) -> Iterator[str]:
    if len(raw) <= RUN_PART_CHARS or not is_unspaced(run := _normal(raw)):
        yield raw
        return
    pairs = len(run) - 1
    for start in range(0, pairs, RUN_PART_CHARS):
        stop = start + RUN_PART_CHARS  # the part has the pairs up to here, and so one character more
        yield run[start : stop + 1] + _CONTINUES if stop < pairs else run[start:] + _ENDS


def analyze_token(raw: str) -> AnalyzedToken:
    """Return the words of a raw token."""
    normal = _normal(raw)
    if normal and is_unspaced(normal):
        return _analyze_run(normal)
    return _analyze_word(normal)


def _normal(raw: str) -> str:
    return raw if raw.isascii() else unicodedata.normalize("NFKC", raw).replace("\u00ad", "")


def _analyze_run(run: str) -> AnalyzedToken:
    if len(run) == 1:
        return AnalyzedToken((SubToken(run, 0),), 1)
    pairs = [SubToken(run[i : i + 2], i) for i in range(len(run) - 1)]
    singles = [SubToken(character, min(i, len(pairs) - 1), overlaps=True) for i, character in enumerate(run)]
    return AnalyzedToken((*pairs, *singles), len(pairs))


def _analyze_word(raw: str) -> AnalyzedToken:
    word = raw[:-2] if raw.endswith(_POSSESSIVE) else raw
    segments = [segment for segment in _SEPARATORS.split(word[:MAX_NAME_CHARS]) if segment][:MAX_NAME_PARTS]
    if not segments:
        return AnalyzedToken((), 0)
    parts = [part for offset, segment in enumerate(segments) for part in _split_segment(segment, offset)]
    whole = _whole(word.lower(), len(segments))
    if whole not in {"", parts[0].text}:
        parts.append(SubToken(whole, 0, overlaps=True))
    return AnalyzedToken(tuple(parts), len(segments))


def _whole(word: str, parts: int) -> str:
    """Return the word for a whole name, or "": `email` for e-mail, `init` for __init__, `-o2` for -O2."""
    joined = word.replace("-", "") if word.isascii() else _HYPHEN.sub("", word)
    if word.startswith("-") or joined == word:
        return word.strip("_")[:MAX_TOKEN_CHARS]
    is_one_word = parts <= MAX_JOINED and any(map(str.isalpha, joined))  # a date or a number is not
    return joined.strip("_")[:MAX_TOKEN_CHARS] if is_one_word else ""


def _split_segment(segment: str, offset: int) -> list[SubToken]:
    """Split a name without separators: `elementtree` takes one position, which `element` and `tree` share."""
    parts = [SubToken(segment.lower()[:MAX_TOKEN_CHARS], offset)]
    if _CAMEL.search(segment) and not _PLURAL.match(segment):
        parts += [SubToken(part.lower(), offset, overlaps=True) for part in _PARTS.findall(segment)[:MAX_NAME_PARTS]]
    return parts


def positioned_terms(raw: str) -> tuple[Iterable[tuple[str, int]], int]:
    """Return the words of a raw token in the order of their positions, each with its offset, and the token's width.

    A long run yields its words one by one: all parts of 500,000 Chinese characters together would take 300 MB.
    """
    if raw.endswith((_CONTINUES, _ENDS)):
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
    if ends:  # otherwise the next part begins with this character
        yield run[-1], last


def analyze_terms(raw: str) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the words of a raw token, each with its offset, and the token's width."""
    is_plain = raw.isascii() and raw.isalnum() and len(raw) <= MAX_TOKEN_CHARS and not _CAMEL.search(raw)
    if is_plain:  # `analyze_token` gives the same, in five times the time
        return ((raw.lower(), 0),), 1
    token = analyze_token(raw)
    return tuple((part.text, part.offset) for part in token.parts), token.width


cached_terms = lru_cache(maxsize=1 << 14)(analyze_terms)  # for snippets: the indexer caches raw tokens itself


def text_key(text: str) -> int:
    """Return the number that represents the words of a text in their order; 0 for a text without words."""
    words = " ".join(filter(None, map(_in_sequence, raw_tokens(text))))
    return int.from_bytes(words.encode("utf-8", "backslashreplace")) % PRIME


@lru_cache(CACHED_TOKENS)
def _in_sequence(raw: str) -> str:
    return " ".join(part.text for part in analyze_token(raw).sequence)
