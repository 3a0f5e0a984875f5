"""Which languages does a text use? Block by block: the script, a few common words, then a classifier for the rest.

A page may mix languages: a manual with untranslated chapters, an email with a quotation. So the script of each block
decides first. For Latin script, the commonest words of English decide next. All blocks that remain are joined and
classified once (py3langid, loaded only when a page needs it). The language of the page is that of most of its text. A
declared `lang` counts only if the letters fit that language, because templates declare `en` for any text. Results are
ISO 639-1 codes, or empty for unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from py3langid.langid import LanguageIdentifier

MAX_BLOCKS = 100  # of a page are looked at, spread evenly over it
MAX_BLOCK_CHARS = 500  # of one block are looked at
SAMPLE_CHARS = 3000  # of one kind are kept to be judged
CLASSIFIED_CHARS = 600  # read by the classifier: enough to tell Russian from Ukrainian, and about 0.1 ms
MIN_LETTERS = 20  # fewer say nothing about a language
MIN_WORDS = 5  # of a block: fewer are a name
ENGLISH_SHARE = 0.12  # of all words; English prose has 25 to 40 %, code with comments 12, other languages under 5
CONFIDENCE = 0.8  # below, the classifier is only guessing
DENSE = 2.5  # letters of an alphabet say as much as one of these scripts
MIN_SHARE = 0.15  # of a page's text that a second language must have
CODE = 2  # times as much, of what may be English without its common words: code and names

_ENGLISH = frozenset("the of and to is that for with this are be it from by or which not you can as on".split())  # noqa: SIM905 - a row of words reads better
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPTS = re.compile("[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff]+")  # Greek and beyond

# Scripts by their letters. Japanese and Chinese share one kind: the kana of the whole page tell them apart.
_KANA = re.compile("[\u3041-\u30ff]")
_DENSE_SCRIPTS = (("ko", re.compile("[\uac00-\ud7a3]")), ("han", re.compile("[\u3041-\u30ff\u4e00-\u9fff]")))
_SCRIPTS = (
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u05d0-\u05ea]")),
    ("th", re.compile("[\u0e01-\u0e4e]")),
    ("hy", re.compile("[\u0531-\u058f]")),
    ("ka", re.compile("[\u10d0-\u10ff]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)
_SHARED = {
    "cyrillic": {"ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "tg", "mn", "tt"},
    "arabic": {"ar", "fa", "ur", "ps", "ug", "ku", "sd"},
    "devanagari": {"hi", "mr", "ne", "sa"},
}
_LATIN, _ENGLISH_WORDS = "latin", "en"
# Languages that are written so alike that the classifier divides its certainty between them, the commonest first.
_ALIKE = (("hr", "sr", "bs"), ("id", "ms"), ("no", "nb", "da", "nn"), ("cs", "sk"), ("pt", "gl"))
LIKELY = 0.25  # of the certainty, which the commonest of several must have to be the one
SCRIPT_SHARE = 0.3  # of the letters; an English page about Greek words stays English
KANA_SHARE = 0.05  # Japanese has at least this share of kana, Chinese none


@dataclass(slots=True)
class _Kind:
    """The blocks of one kind: how much they say, and some of their text."""

    size: float = 0.0
    chars: int = 0
    pieces: list[str] = field(default_factory=list)

    def add(self, block: str, weight: float) -> None:
        self.size += weight * len(block)
        if self.chars < SAMPLE_CHARS:
            self.pieces.append(block)
            self.chars += len(block)


def identify(text: str, *, declared: str = "") -> str:
    """Return the language of a text; `declared` is what `<html lang>` says (`en-US`, `zh_TW` …)."""
    return languages(text, declared=declared)[0][0]


def languages(
    text: str, *, declared: str = "", marked: Mapping[str, str] | None = None
) -> tuple[tuple[str, float], ...]:
    """Return the languages of a text with their shares of it, the greatest first; those with little are left out.

    `text` has a block a line; `marked` says what a `lang` on an element says of its blocks.
    """
    claim = _claim(declared)
    blocks = [line for line in text.split("\n") if len(line) >= MIN_LETTERS]
    found = _sizes(_sorted(_spread(blocks), claim, marked or {}))
    if not found:  # names and numbers: all of it together may say something
        found = _sizes(_sorted([text[:SAMPLE_CHARS]], claim, {}, least=1))
    known = {language: size for language, size in found.items() if language} or {claim: 1.0}
    total = sum(known.values())
    shares = sorted(((size / total, language) for language, size in known.items()), reverse=True)
    return tuple(
        (language, round(share, 2)) for share, language in shares if share >= MIN_SHARE or share == shares[0][0]
    )


def _claim(declared: str) -> str:
    claim = re.split("[-_]", declared.strip().lower(), maxsplit=1)[0]
    return claim if re.fullmatch("[a-z]{2}", claim) else ""


def _spread(blocks: list[str]) -> list[str]:
    return blocks[:: len(blocks) // MAX_BLOCKS + 1]


def _sorted(
    blocks: Iterable[str], claim: str, marked: Mapping[str, str], *, least: int = MIN_WORDS
) -> dict[tuple[str, str], _Kind]:
    """Put the blocks together by kind, and by what is claimed of them."""
    kinds: dict[tuple[str, str], _Kind] = {}
    for block in blocks:
        kind, weight = _kind_of(block[:MAX_BLOCK_CHARS], least)
        if kind:
            said = _claim(marked[block]) if block in marked else claim
            kinds.setdefault((kind, said), _Kind()).add(block[:MAX_BLOCK_CHARS], weight)
    return kinds


def _kind_of(block: str, least: int) -> tuple[str, float]:
    """Return what kind of text a block is, and how much each of its characters says; empty: too short to say."""
    if len(block) < MIN_LETTERS:
        return "", 0.0
    if block.isascii() or len(block) - len(block.encode("ascii", "ignore")) < KANA_SHARE * len(block):
        return _kind_of_latin(block, least)
    letters = "".join(_LETTERS.findall(block))
    if not letters:
        return "", 0.0
    for kind, script in _DENSE_SCRIPTS:
        if DENSE * len(script.findall(letters)) >= SCRIPT_SHARE * len(letters):
            return kind, DENSE
    for kind, script in _SCRIPTS:
        if len(script.findall(letters)) >= SCRIPT_SHARE * len(letters):
            return (kind, 1.0) if len(letters) >= MIN_LETTERS else ("", 0.0)
    return _kind_of_latin(_OTHER_SCRIPTS.sub(" ", block), least)


def _kind_of_latin(block: str, least: int) -> tuple[str, float]:
    words = block.lower().split()
    if len(words) < least:
        return "", 0.0
    english = sum(map(_ENGLISH.__contains__, words)) >= ENGLISH_SHARE * len(words)
    return (_ENGLISH_WORDS if english else _LATIN), 1.0


def _sizes(kinds: dict[tuple[str, str], _Kind]) -> dict[str, float]:
    found: dict[str, float] = {}
    least = MIN_SHARE * sum(kind.size for kind in kinds.values())
    for (name, claim), kind in kinds.items():
        if kind.size < (CODE if name == _LATIN else 1) * least:
            continue
        language = _language_of(name, claim, "\n".join(kind.pieces))
        found[language] = found.get(language, 0.0) + kind.size
    return found


def _language_of(kind: str, claim: str, sample: str) -> str:
    if kind == "han":
        return "ja" if len(_KANA.findall(sample)) >= KANA_SHARE * len("".join(_LETTERS.findall(sample))) else "zh"
    if kind == "he" and claim == "yi":
        return claim
    if kind in _SHARED or kind == _LATIN:
        return claim if claim in _SHARED.get(kind, ()) else _classified(sample, claim)
    return kind


def _classified(sample: str, claim: str) -> str:
    # Words only: the classifier was trained on prose, and digits and signs lead it astray.
    prose = " ".join(_LETTERS.findall(sample)[: CLASSIFIED_CHARS // 4])[:CLASSIFIED_CHARS]
    if len(prose) < MIN_LETTERS:
        return claim
    ranked = _identifier().rank(prose)
    language, probability = ranked[0]
    alike = next((several for several in _ALIKE if language in several), (language,))
    shares = {other: share for other, share in ranked[: len(alike) + 1] if other in alike}
    # ISO 639-1 has two letters; the classifier knows a few languages that have only three.
    if claim in alike or sum(shares.values()) < CONFIDENCE or len(language) != len("en"):
        return claim
    likely = (other for other in alike if shares.get(other, 0.0) >= LIKELY)
    return language if probability >= CONFIDENCE else next(likely, language)


@cache
def _identifier() -> LanguageIdentifier:
    from pages.language_model import identifier  # loads numpy, 0.1 s

    return identifier()
