"""Is this the same page again, or nearly? A hash for exact copies, a MinHash signature for near ones.

**Exact.** The book (9.1.6) finds duplicates by checksums, and says that MD5 is popular. This is BLAKE2b with 128 bits,
which is faster and not broken. It covers title and main text, so one article in two layouts is one page. It leaves out
the URLs of links, which aliases and session ids change, the words that a program writes at each visit, and lines that
two fetches have shown to change by themselves (pages/content/volatile.py). Limits: a page made for each visitor
(greetings, random tips) has a new fingerprint until two fetches have shown which lines these are. Two pages that differ
only in a "last changed" date, a counter or in pictures have the same fingerprint.

**Near.** A page is the set of its shingles: each few neighbouring words of its main text (pages/content/similarity.py).
Its signature is, in each of 128 random orders, its smallest shingle (MinHash, Broder 1997). Two pages agree in a random
order as often as they share shingles, so 128 small numbers stand for a text of any length.
`pages/content/similarity.py` compares them, and `crawldb/pages/clusters.py` decides which pages belong together.
Limits: a translation shares nothing with its original, and a page that lies within a longer one shares little of it.

The number of a shingle is its CRC-32. The checksum of two pieces follows from the two checksums: crc(AB) =
shift(crc(A), |B|) ^ crc(B), where `shift` is linear in its bits (Mark Adler's crc32_combine in zlib). So each word is
read once instead of once a shingle, and arrays combine the words, in half of the time that making shingles takes.
"""

from __future__ import annotations

import zlib
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from pages.content.similarity import (
    ALPHABET,
    MAX_SHINGLES,
    MIN_SHINGLES,
    ORDERS,
    SHINGLE_LENGTH,
    shingle_words,
    shingles,
)
from pages.content.volatile import steady_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pages.content.volatile import LearntLines
    from urls.records import Page

    Numbers = NDArray[np.uint32]

FINGERPRINT_BYTES = 16  # 128 bits: two among 10^9 pages agree by chance with a probability of 10^-21
SHORT_TEXT_CHARS = 40  # a main text of less is no proof: of such pages the template has to agree, too


def fingerprint(page: Page, learnt: LearntLines | None = None) -> bytes:
    """Return 16 bytes that are equal for pages which say the same; `learnt` are lines of its site that change."""
    digest = blake2b(page.title.encode(), digest_size=FINGERPRINT_BYTES)
    digest.update(b"\0")
    digest.update(_steady_text(page.text, learnt).encode())
    if len(page.text.encode()) < SHORT_TEXT_CHARS:
        digest.update(b"\0" + _steady_text(page.template_text, learnt).encode())
    return digest.digest()


def same_template(page: Page, other: Page) -> bool:
    """Return whether two pages have the same words around their main text, however their lines are divided."""
    first, second = (sorted(_steady_text(one.template_text).split("\n")) for one in (page, other))
    return first == second


def _steady_text(text: str, learnt: LearntLines | None = None) -> str:
    lines = text.split("\n")
    return "\n".join(steady_lines(learnt.steady_lines(lines) if learnt else lines))


SEED = 1  # of the random orders: another one would make stored signatures strangers to new ones
BATCH = 1024  # shingles at a time: 512 kB in numpy stay in the cache of a core


def signature(text: str) -> bytes:
    """Return the MinHash of a text, a byte for each order; empty where it is too short to compare.

    It is what datasketch's `update_batch` returns, in a third of its time: that makes a list of each batch's numbers.
    """
    checksums = shingle_numbers(text, MIN_SHINGLES)
    if not len(checksums):
        return b""
    factor, shift = (each[:, np.newaxis] for each in random_orders())
    least = np.full(ORDERS, np.iinfo(np.uint32).max, np.uint32)
    numbers = _mixed(checksums)
    for start in range(0, len(numbers), BATCH):
        orders = factor * numbers[start : start + BATCH]  # a row for each order: its smallest stand side by side
        orders += shift
        np.minimum(least, orders.min(axis=1), out=least)
    return bytes((least % ALPHABET).astype("u1").tobytes())


def _mixed(numbers: Numbers) -> Numbers:
    """Spread numbers over all bits (the finalizer of MurmurHash3), as the scheme "affine32" of datasketch does."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        numbers = (numbers ^ (numbers >> np.uint32(shift))) * np.uint32(factor)
    return numbers ^ (numbers >> np.uint32(16))


@cache
def random_orders() -> Numbers:
    """Return what makes the random orders: a row of odd factors and one of shifts, modulo 2**32.

    They are drawn as datasketch draws those of its scheme "affine32", without what else it loads: 0.1 s at each start.
    """
    draw = np.random.RandomState(SEED).randint
    factors = draw(0, 1 << 31, ORDERS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return np.array([factors, draw(0, 1 << 32, ORDERS, dtype=np.uint32)])


LONGEST = 126  # bytes of a word, for which there is a table; a text with a longer one takes the slow way
_BYTES, _VALUES = 4, 256  # of a checksum, and of a byte
_MOST_WORDS = MAX_SHINGLES + SHINGLE_LENGTH - 1
_ALL = 0xFFFFFFFF
_SEPARATORS = bytes.maketrans(b"\x1c\x1d\x1e\x1f", b"    ")  # what `str.split` takes for blanks
_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))  # beyond ASCII
_LATIN = bytes({*range(_VALUES)} - {*range(0xE3, 0xEE)})  # in UTF-8, all but the first bytes of scripts without blanks


def shingle_numbers(text: str, least: int) -> Numbers:
    """Return the CRC-32 of each shingle of a text, in any order, some perhaps twice; none of fewer than `least`."""
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
