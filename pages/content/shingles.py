"""Which word groups does a text consist of? Its shingles: each few neighbouring words (Broder 1997).

Two texts resemble each other as much as their shingles are the same. A word is what stands between blanks; in scripts
without blanks each character is one. So a Chinese name in an English text leaves the words around it what they were.
Letter case counts nothing.
"""

from __future__ import annotations

import re
from itertools import islice

SHINGLE_LENGTH = 3  # words, or characters of CJK text
MIN_SHINGLES = 30  # shorter texts are alike by accident, as "Chapter 1" and "Chapter 2" are
MAX_SHINGLES = 100_000  # a page; the text of a thick book

_WORDS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # letters of scripts without blanks


def shingle_words(text: str, length: int = SHINGLE_LENGTH) -> list[str]:
    """Return the words of which at most MAX_SHINGLES shingles are made.

    The words behind these are never made: of 2,000,000 Chinese characters, each as a string, they would take 160 MB.
    """
    most = MAX_SHINGLES + length - 1
    lowered = text.lower()
    if lowered.isascii() or not CJK.search(lowered):
        return lowered.split(None, most)[:most]
    if len(lowered) <= most:  # it can't have more words, and this takes half the time
        return _WORDS.findall(lowered)
    return [found[0] for found in islice(_WORDS.finditer(lowered), most)]


def shingles(text: str, length: int = SHINGLE_LENGTH) -> set[bytes]:
    """Return the distinct shingles of a text."""
    words = shingle_words(text, length)
    rows = zip(*(words[start:] for start in range(length)), strict=False)
    # Encoded in one piece: no word holds a line feed. That takes two thirds of the time of one call a shingle.
    joined = "\n".join(map(" ".join, islice(rows, MAX_SHINGLES)))
    return set(joined.encode().split(b"\n")) if joined else set()


def resemblance(one: str, other: str) -> float:
    """Return the share of shingles that two texts have in common, of all that either has, 0 to 1."""
    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second) if first and second else float(one == other)
