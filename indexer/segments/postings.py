"""Where is a word? Its postings say it: documents in ascending order, the frequency in each, and the positions.

Postings are arrays from the disk to the ranking; none is an object of its own. Most queries need no positions, so these
are read when somebody first needs them. On the disk, a list is packed as steps from one number to the next:

    postings     frequency, then for each further document: step, frequency      the dictionary has the first document
    positions    for each posting: position, then steps

A byte holds seven bits of a number, the lowest first; its eighth bit says that more follow (variable byte coding:
Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, 5.3.1). A merge joins two lists by a
single step between them, and decodes nothing.

Lists are packed and unpacked many at once, as arrays: a Python loop over postings takes a hundred times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    Places = NDArray[np.int64]
    ReadPositions = Callable[[Places | None], Numbers]  # of some rows, or of all

NONE = np.empty(0, np.uint32)
FEW = 0.5  # of the postings: unpacking more takes as long as unpacking all
SEVEN_BITS, MORE = 0x7F, 0x80
MAX_BYTES = 5  # of a number of 32 bits
NO_PLACES = np.empty(0, np.int64)
FIRST_STEP = b"\1"  # replaces the first document of a list, which the dictionary has


class Postings:
    """The postings of a word in one field of one segment.

    `documents` and `frequencies` have one number for each posting. `positions` has all positions, posting after
    posting, or none for exact fields. `ends` has where the positions of each posting end.
    """

    def __init__(self, documents: Numbers, frequencies: Numbers, read_positions: ReadPositions) -> None:
        self.documents = documents
        self.frequencies = frequencies
        self._read_positions = read_positions

    @cached_property
    def positions(self) -> Numbers:
        """All positions, those of one posting in ascending order. Raises CorruptIndex."""
        return self._read_positions(None)

    def positions_of(self, rows: NDArray[np.int64]) -> Numbers:
        """Return the positions of the postings in these rows, posting after posting. Raises CorruptIndex.

        If the rows are few, only their positions are unpacked.
        """
        if "positions" not in vars(self) and len(rows) < len(self.documents) * FEW:
            return self._read_positions(rows)
        counts = self.frequencies[rows].astype(np.int64)
        starts = self.ends[rows] - np.cumsum(counts)
        return self.positions[np.repeat(starts, counts) + np.arange(counts.sum())]

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where the positions of each posting end."""
        return np.cumsum(self.frequencies, dtype=np.int64)

    def positions_in(self, document: int) -> Numbers:
        """Return the positions of the word in a document."""
        row = row_of(self.documents, document)
        return NONE if row is None else self.positions_of(np.array([row]))


def row_of(documents: NDArray[Any], document: int) -> int | None:
    """Return the row of a document in `documents`, which ascend; None if it is not there."""
    row = int(documents.searchsorted(document))
    return row if row < len(documents) and documents[row] == document else None


def pack_numbers(numbers: Numbers) -> tuple[bytes, Places]:
    """Pack numbers; return the bytes, and where those of each number end."""
    sizes = np.ones(len(numbers), np.uint8)
    for more in range(1, MAX_BYTES):
        beyond = numbers >= np.uint32(1 << 7 * more)
        if not beyond.any():
            break
        sizes += beyond
    ends = sizes.cumsum(dtype=np.int64)
    content = np.empty(ends[-1] if len(ends) else 0, np.uint8)
    if len(content) == len(numbers):
        return numbers.astype(np.uint8).tobytes(), ends
    starts = ends - sizes
    content[starts] = (numbers & SEVEN_BITS).astype(np.uint8) | (sizes > 1) * np.uint8(MORE)
    for place in range(1, MAX_BYTES):
        longer = np.flatnonzero(sizes > place)
        if not len(longer):
            break
        bits = (numbers[longer] >> np.uint32(7 * place)) & SEVEN_BITS
        content[starts[longer] + place] = bits | np.where(sizes[longer] > place + 1, MORE, 0)
    return content.tobytes(), ends


def unpack_numbers(content: bytes) -> Numbers:
    """Unpack numbers that `pack_numbers` packed. Raises ValueError for other bytes."""
    octets = np.frombuffer(content, np.uint8)
    more = octets >= MORE
    if not more.any():
        return octets.astype(np.uint32)
    if more[-1]:
        raise ValueError("packed numbers that are cut short")
    joined = octets.astype(np.uint32)  # at the last byte of each number, from its last two bytes: most have no more
    joined[1:] <<= more[:-1] * np.uint8(7)
    joined[1:] |= (octets[:-1] & SEVEN_BITS) * more[:-1]
    before = more[1:-1] & more[:-2]
    if before.any():
        ends = np.flatnonzero(before & ~more[2:]) + 2
        starts = ends - 2
        for _ in range(MAX_BYTES - 2):
            starts -= more[starts - 1]  # before the first byte is the last one, which ends a number
        joined[ends] = _numbers_between(octets, starts, ends)
    return joined[~more]


def _numbers_between(octets: NDArray[np.uint8], starts: Places, ends: Places) -> Numbers:
    """Return the numbers whose first and last bytes are at these places."""
    numbers = (octets[starts] & SEVEN_BITS).astype(np.uint32)
    follow = ends - starts  # bytes after the first
    most = int(follow.max(initial=0))
    if most >= MAX_BYTES:
        raise ValueError("a packed number of more than 32 bits")
    for place in range(1, most + 1):
        longer = np.flatnonzero(follow >= place)
        bits = (octets[starts[longer] + place] & SEVEN_BITS).astype(np.uint32)
        numbers[longer] |= bits << np.uint32(7 * place)
    return numbers


@dataclass(frozen=True, slots=True)
class PackedLists:
    """Lists of postings, one after the other.

    For each list: `counts` of postings, `firsts` and `lasts` of its documents, `sizes` of its bytes in `postings`, and
    `position_sizes` of those in `positions`. All are arrays of int64 with one number for each list.
    """

    counts: Places
    firsts: Places
    lasts: Places
    sizes: Places
    position_sizes: Places
    postings: bytes
    positions: bytes

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def joined(cls, several: Sequence[PackedLists]) -> PackedLists:
        """Return the lists of several, one after the other."""
        if not several:
            return cls(NO_PLACES, NO_PLACES, NO_PLACES, NO_PLACES, NO_PLACES, b"", b"")
        return cls(
            np.concatenate([one.counts for one in several]),
            np.concatenate([one.firsts for one in several]),
            np.concatenate([one.lasts for one in several]),
            np.concatenate([one.sizes for one in several]),
            np.concatenate([one.position_sizes for one in several]),
            b"".join(one.postings for one in several),
            b"".join(one.positions for one in several),
        )

    def cut(self, start: int, stop: int) -> PackedLists:
        """Return the lists from `start` on, up to `stop`."""
        rows = slice(start, stop)
        at, where = int(self.sizes[:start].sum()), int(self.position_sizes[:start].sum())
        return self._of(
            rows,
            self.postings[at : at + int(self.sizes[rows].sum())],
            self.positions[where : where + int(self.position_sizes[rows].sum())],
        )

    def taken(self, rows: Sequence[int]) -> PackedLists:
        """Return the lists in these rows."""
        return self._of(
            rows,
            b"".join(_pieces(self.postings, self.sizes, rows)),
            b"".join(_pieces(self.positions, self.position_sizes, rows)),
        )

    def _of(self, rows: slice | Sequence[int], postings: bytes, positions: bytes) -> PackedLists:
        """Return the lists in these rows, with their bytes."""
        sizes, position_sizes = self.sizes[rows], self.position_sizes[rows]
        places = self.counts[rows], self.firsts[rows], self.lasts[rows]
        return PackedLists(*places, sizes, position_sizes, postings, positions)

    def unpacked(self) -> tuple[Places, Numbers, Numbers]:
        """Return the documents and frequencies of all lists, and the positions of all postings."""
        documents, frequencies = self.unpacked_postings()
        return documents, frequencies, unpack_positions(self.positions, frequencies)

    def unpacked_postings(self) -> tuple[Places, Numbers]:
        """Return the documents and frequencies of all lists."""
        contents = _pieces(self.postings, self.sizes, range(len(self)))
        return unpack_lists(contents, self.counts, self.firsts, self.lasts)


def _pieces(content: bytes, sizes: Places, rows: Sequence[int]) -> list[bytes]:
    ends = sizes.cumsum()
    return [content[start:end] for start, end in np.stack((ends - sizes, ends), 1)[rows].tolist()]


def pack_lists(starts: Places, documents: Numbers, frequencies: Numbers, positions: Numbers | None) -> PackedLists:
    """Pack lists of postings, none of them empty.

    `starts` has the row of the first posting of each list. `documents` and `frequencies` have one number for each
    posting; `positions` has those of all postings, or is None.
    """
    if not len(starts):
        return PackedLists.joined([])
    stops = np.append(starts[1:], len(documents))
    postings, sizes = _packed_postings(starts, stops, documents, frequencies)
    packed, position_sizes = b"", np.zeros(len(starts), np.int64)
    if positions is not None:
        packed, position_sizes = _packed_positions(stops, frequencies, positions)
    firsts, lasts = documents[starts].astype(np.int64), documents[stops - 1].astype(np.int64)
    return PackedLists(stops - starts, firsts, lasts, sizes, position_sizes, postings, packed)


def _packed_postings(starts: Places, stops: Places, documents: Numbers, frequencies: Numbers) -> tuple[bytes, Places]:
    pairs = np.empty(2 * len(documents), np.uint32)
    pairs[0::2] = np.diff(documents, prepend=documents[:1])
    pairs[1::2] = frequencies
    kept = np.ones(len(pairs), bool)
    kept[2 * starts] = False  # the dictionary has the first document of each list
    postings, ends = pack_numbers(pairs[kept])
    return postings, np.diff(ends[2 * stops - np.arange(len(starts)) - 2], prepend=0)


def _packed_positions(stops: Places, frequencies: Numbers, positions: Numbers) -> tuple[bytes, Places]:
    reached = frequencies.cumsum(dtype=np.int64)
    steps = np.diff(positions, prepend=positions[:1])
    begun = reached - frequencies
    steps[begun] = positions[begun]
    packed, ends = pack_numbers(steps)
    return packed, np.diff(ends[reached[stops - 1] - 1], prepend=0)


def unpack_lists(contents: Sequence[bytes], counts: Places, firsts: Places, lasts: Places) -> tuple[Places, Numbers]:
    """Return the documents and frequencies of several lists, list after list, unpacked at once.

    Raises ValueError unless the documents of each list ascend from its first to its last.
    """
    numbers = unpack_numbers(FIRST_STEP.join((b"", *contents)))
    stops = counts.cumsum()
    if len(numbers) != 2 * int(stops[-1]) or (counts <= 0).any() or not numbers.all():
        raise ValueError("postings of another number than the dictionary has, or two of one document")
    steps = numbers[0::2].astype(np.int64)
    steps[stops - counts] = firsts - np.append(0, lasts[:-1])  # continues from the previous list: one sum serves all
    documents = steps.cumsum()
    if (documents[stops - 1] != lasts).any():
        raise ValueError("postings that end at another document than in the dictionary")
    return documents, numbers[1::2].copy()  # of half the memory, and quicker to read


def unpack_positions(content: bytes, frequencies: Numbers) -> Numbers:
    """Return the positions of postings, posting after posting. Raises ValueError for bytes that are not theirs."""
    steps = unpack_numbers(content)
    ends = frequencies.cumsum(dtype=np.int64)
    if len(steps) != (ends[-1] if len(ends) else 0):
        raise ValueError("positions of another number than the frequencies add up to")
    # The sum may overflow, and the difference of two sums is still right.
    reached = steps.cumsum(dtype=np.uint32)
    begun = ends - frequencies
    positions: Numbers = reached - (reached[begun] - steps[begun]).repeat(frequencies)
    return positions


class PackedPositions:
    """The positions of postings, posting after posting, of which any can be unpacked by themselves.

    Which bytes are not the last of their number is found once. Raises ValueError as `unpack_positions` does.
    """

    def __init__(self, content: bytes, frequencies: Numbers) -> None:
        self._octets, self._frequencies = np.frombuffer(content, np.uint8), frequencies
        self._stops: Places = frequencies.cumsum(dtype=np.int64)  # of the numbers of each posting
        longer = np.flatnonzero(self._octets >= MORE)  # few: a step seldom takes more than one byte
        numbers = len(content) - len(longer)
        if numbers != (self._stops[-1] if len(frequencies) else 0) or (len(content) and content[-1] >= MORE):
            raise ValueError("positions of another number than the frequencies add up to")
        self._number_of = longer - np.arange(len(longer))  # the number to which each such byte belongs

    def of(self, rows: Places) -> Numbers:
        """Return the positions of the postings in these rows, posting after posting."""
        counts = self._frequencies[rows].astype(np.int64)
        ends = self._stops[rows]
        begins = ends - counts
        begins += self._number_of.searchsorted(begins)  # from numbers to bytes: each longer one moves it by one
        ends += self._number_of.searchsorted(ends)
        within = (sizes := ends - begins).cumsum()
        octets = self._octets[(ends - within).repeat(sizes) + np.arange(sizes.sum())]
        steps = unpack_numbers(octets.tobytes())
        # The sum may overflow, and the difference of two sums is still right.
        reached = steps.cumsum(dtype=np.uint32)
        begun = counts.cumsum() - counts
        positions: Numbers = reached - (reached[begun] - steps[begun]).repeat(counts)
        return positions
