r"""Which characters form a word, and in which writing system is it?

Words are found by a regular expression, with ranges of the Unicode standard's block list. `\w+` alone fails twice. It
keeps a run of Chinese or Japanese as a single "word" of a sentence, since those scripts put no blanks between words. It
cuts Hindi, Arabic and Hebrew words at their vowel signs, which Python does not count as word characters.
"""

from __future__ import annotations

import re
from enum import Enum


class Script(Enum):
    """A writing system that analysis treats in its own way."""

    LATIN = "latin"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARMENIAN = "armenian"
    HEBREW = "hebrew"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    TAMIL = "tamil"
    UNSPACED = "unspaced"  # without blanks between words: split into bigrams, never stemmed
    OTHER = "other"


# Han, kana (not the middle dot), Hangul, and the scripts of South-East Asia that put no blanks between words.
UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u1049\u1050-\u109d\u1780-\u17d3"
)
# Signs on or after a letter: accents, points, vowel signs, joiners, the soft hyphen.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0df3"
    "\u00ad\u200c\u200d\u20d0-\u20f0\ufe20-\ufe2f"
)

HYPHENS = r"\-\u2010\u2011"  # for a character class
MAX_LINKED = 12  # words joined by dots and hyphens are one name; the next words begin another
_WORD = rf"[^\W{UNSPACED}]+(?:[{MARKS}]+[^\W{UNSPACED}]*)*"
# A word with the dots and hyphens inside a name, the signs of C++ and C#, and the "'s" behind it.
_NAME = rf"{_WORD}(?:[.{HYPHENS}]{_WORD}){{0,{MAX_LINKED - 1}}}(?:\+\+|#(?!\w))?(?:['\u2019]s(?!\w))?"
# A plain word, the fastest and most frequent case; a name; a name with the dashes of an option (-O2, --with-ssl) or the
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
    """Return the script of the first letter of a word; digits and signs alone are OTHER."""
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
    """Return whether a match of TOKEN_PATTERN is of a script without blanks."""
    return not run[0].isascii() and _UNSPACED.match(run[0]) is not None
