"""Which number does each shingle of a text have? The CRC-32 of all at once, combined from those of its words.

The checksum of two pieces follows from the two checksums: crc(AB) = shift(crc(A), |B|) ^ crc(B). `shift` is linear in
its bits (Mark Adler's crc32_combine in zlib). So each word is read once instead of once a shingle, and arrays combine
the words into shingles. The results equal the checksums of `shingles`, to the bit.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pages.content.similarity import MAX_SHINGLES, SHINGLE_LENGTH, shingle_words, shingles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]

LONGEST = 126  # bytes of a word, for which there is a table; a text with a longer one takes the slow way
_BYTES, _VALUES = 4, 256  # of a checksum, and of a byte
_MOST_WORDS = MAX_SHINGLES + SHINGLE_LENGTH - 1
_ALL = 0xFFFFFFFF
_SEPARATORS = bytes.maketrans(b"\x1c\x1d\x1e\x1f", b"    ")  # what `str.split` takes for blanks


_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))  # beyond ASCII
_LATIN = bytes({*range(_VALUES)} - {*range(0xE3, 0xEE)})  # in UTF-8, all but the first bytes of scripts without blanks


def shingle_numbers(text: str, least: int) -> Numbers:
    """Return the CRC-32 of each shingle of a text, in any order, some perhaps twice; none if it has fewer than `least`.

    It takes half of the time that it takes to make the shingles.
    """
    words = _encoded_words(text)
    lengths = np.fromiter(map(len, words), np.intp, len(words)) + 1  # with the blank before the word
    if _begins_fewer_than(least, words) or lengths.max(initial=0) > LONGEST:
        members = shingles(text)
        return _checksums(list(members) if len(members) >= least else [])
    checksums = _checksums(words)
    with_blank = _blank_before()[lengths] ^ checksums
    groups = checksums[: 1 - SHINGLE_LENGTH]
    for place in range(1, SHINGLE_LENGTH):
        following = slice(place, len(words) - SHINGLE_LENGTH + 1 + place)
        groups = _shifted(groups, lengths[following]) ^ with_blank[following]
    return groups


def _encoded_words(text: str) -> list[bytes]:
    lowered = text.lower().encode()
    if text.isascii() or not (any(map(text.__contains__, _BLANKS)) or lowered.translate(None, _LATIN)):
        return lowered.translate(_SEPARATORS).split(None, _MOST_WORDS)[:_MOST_WORDS]
    return "\n".join(shingle_words(text)).encode().split(b"\n")  # in one piece: no word holds a line feed


def _begins_fewer_than(least: int, words: list[bytes]) -> bool:
    """Whether fewer different words begin a shingle: each begins one of its own."""
    first = words[: 1 - SHINGLE_LENGTH]
    return len(set(first[: 10 * least])) < least and len(set(first)) < least


def _checksums(pieces: list[bytes]) -> Numbers:
    return np.fromiter(map(zlib.crc32, pieces), np.uint32, len(pieces))


def _shifted(checksums: Numbers, lengths: NDArray[np.intp]) -> Numbers:
    """Return what becomes of each checksum when so many bytes follow, their own checksum aside."""
    tables, row = _tables(), lengths * (_BYTES * _VALUES)
    found = np.zeros(len(checksums), np.uint32)
    for byte in checksums.astype("<u4").view(np.uint8).reshape(-1, _BYTES).T:  # the lowest of each first
        found ^= tables.take(row + byte)
        row += _VALUES
    return found


@cache
def _blank_before() -> Numbers:
    """Return what a blank adds to the checksum of the word that follows, by the bytes of both."""
    sizes = np.arange(LONGEST + 1)
    blank = _shifted(np.full(len(sizes), zlib.crc32(b" "), np.uint32), sizes)
    return np.concatenate((np.zeros(1, np.uint32), blank))


@cache
def _tables() -> Numbers:
    """Return, for each number of bytes that follow, what becomes of each byte of a checksum in each of its places."""
    one_byte = np.array([zlib.crc32(b"\0", ~value & _ALL) ^ _ALL for value in range(_VALUES)], np.uint32)
    places = np.arange(_BYTES, dtype=np.uint32)[:, np.newaxis] * np.uint32(8)
    table = np.arange(_VALUES, dtype=np.uint32)[np.newaxis] << places  # nothing follows
    tables = [table]
    for _ in range(LONGEST + 1):
        table = (table >> np.uint32(8)) ^ one_byte[table & np.uint32(_VALUES - 1)]
        tables.append(table)
    return np.stack(tables).ravel()
