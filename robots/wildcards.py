"""Which of ten thousand rules with stars match a path? A tree tries them together, and n-grams tell which can match.

The stars cut a rule into pieces. Rules that begin with the same pieces share a branch: `/*a*b`, `/*a*c` and `/*d` share
the head `/`, and the first two share the piece `a`, so whether `a` stands in the path is found out once. What a path
costs depends on the path and on what it matches, and hardly on how many rules there are. A branch is built when a path
first comes to it.

Which of ten thousand pieces stand in a path? The path is cut into its n-grams (all sequences of n octets), and the
n-grams are looked up among the pieces; searching the path for each piece would take longer. *Introduction to
Information Retrieval* (3.2.2) answers wildcard queries in the same way. A path of a hundred octets has fewer than a
hundred n-grams of four octets, whether there are ten pieces or forty thousand. A piece that is longer than an n-gram is
looked up by its end, because pieces tend to begin alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from robots.normal_form import END, STAR

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


T = TypeVar("T")
Grams = dict[int, frozenset[bytes]]  # the n-grams of one path by their length, as far as they have been asked for

FEW: Final = 8  # rules; fewer are tried one by one, which is as fast as a tree (bench/robots)
_END: Final = END[0]


def pieces_match(pieces: Sequence[bytes], path: bytes, at: int) -> bool:
    """Say whether the pieces after the stars of a pattern stand in `path`, one after another, from `at` on.

    The first place where a piece fits is as good as any later one, so nothing is tried twice: a pattern of a thousand
    stars costs a thousand searches. A regular expression made from such a pattern could try for years.
    """
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:  # the last piece may have an end sign, which no path has
            return piece.endswith(END) and path.endswith(piece[:-1], at)
        at = found + len(piece)
    return True


class Leaf:
    """A few patterns that are the same up to a star, tried one by one. A rank is a pattern's place in `patterns`."""

    __slots__ = ("_rules",)

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        self._rules = [(rank, patterns[rank][start:].split(STAR)) for rank in reversed(ranks)]

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Return the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        for rank, pieces in self._rules:
            if rank <= best:
                break
            if pieces_match(pieces, path, at):
                return rank
        return best


class Branch:
    """Many patterns that are the same up to a star."""

    __slots__ = ("_children", "_fork", "_patterns", "_start", "ranks")

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        self._patterns = patterns  # of all rules
        self.ranks = ranks  # of those that are in this branch, the lowest first
        self._start = start  # where the patterns go on after the star
        self._fork: Fork | None = None
        self._children: dict[bytes, Branch | Leaf] = {}

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Return the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        grams: Grams = {}
        stack: list[tuple[Branch | Leaf, int]] = [(self, at)]  # no recursion: a pattern may have 250,000 stars
        while stack:
            branch, at = stack.pop()
            if isinstance(branch, Leaf):
                best = branch.strongest(path, at, best)
            elif branch.ranks[-1] > best:
                fork = branch.fork()
                best = max(best, fork.strongest_ending(path, at, grams))
                for piece, ranks in fork.next_pieces(path, grams):
                    found = path.find(piece, at) if ranks[-1] > best else -1
                    if found >= 0:
                        stack.append((branch.child(piece, ranks), found + len(piece)))
        return best

    def fork(self) -> Fork:
        """Return how the patterns go on; it is worked out when first asked for."""
        if self._fork is None:
            self._fork = Fork(self._patterns, self.ranks, self._start)
        return self._fork

    def child(self, piece: bytes, ranks: Sequence[int]) -> Branch | Leaf:
        """Return the branch of the patterns that go on with `piece` and a star."""
        if piece not in self._children:
            self._children[piece] = branch_of(self._patterns, ranks, self._start + len(piece) + len(STAR))
        return self._children[piece]


def branch_of(patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> Branch | Leaf:
    """Make a branch of the patterns with these `ranks`, the lowest first, which are the same up to `start`."""
    return Leaf(patterns, ranks, start) if len(ranks) < FEW else Branch(patterns, ranks, start)


class Fork:
    """How patterns that are the same so far go on: with a last piece, with an end, or with a piece and a star."""

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        onward: dict[bytes, list[int]] = defaultdict(list)  # by the next piece: those that have another star after it
        last: dict[bytes, int] = {}  # by the last piece: the highest rank of the patterns that have it
        self._ends: dict[bytes, int] = {}  # the same for patterns with an end sign, which is part of the key
        for rank in ranks:
            pattern = patterns[rank]
            stop = pattern.find(STAR, start)
            if stop >= 0:
                onward[pattern[start:stop]].append(rank)
            elif _END in pattern:
                self._ends[pattern[start:]] = rank
            else:
                last[pattern[start:]] = rank
        self.next_pieces = PieceIndex(onward).present_in
        self._last_pieces = PieceIndex(last).present_in
        self._end_lengths = sorted(set(map(len, self._ends)))

    def strongest_ending(self, path: bytes, at: int, grams: Grams) -> int:
        """Return the highest rank of the patterns that match and have no further star."""
        best = -1
        for piece, rank in self._last_pieces(path, grams):
            if rank > best and path.find(piece, at) >= 0:
                best = rank
        for length in self._end_lengths:
            begin = len(path) + len(END) - length
            if begin < at:
                break
            best = max(best, self._ends.get(path[begin:] + END, -1))
        return best


MANY: Final = 128  # pieces; fewer are searched for one by one, which is as fast (bench/robots)
LENGTHS: Final = (1, 2, 3, 4, 8, 16)  # octets of the n-grams of a path: each length costs a pass over the path


class PieceIndex(Generic[T]):
    """A map whose keys are pieces of patterns; it finds the keys that can stand in a path."""

    __slots__ = ("_by_end", "_lengths", "_things")

    def __init__(self, things: Mapping[bytes, T]) -> None:
        self._things = things
        self._lengths: set[int] = set()  # of n-grams to look up; none: there are too few pieces for it to pay
        self._by_end: dict[bytes, list[bytes]] = {}
        if len(things) >= MANY:
            lengths = set(map(len, things))
            self._lengths = set(map(_gram_length, lengths))
            if not lengths.issubset(LENGTHS):
                self._sort_by_end()

    def present_in(self, path: bytes, grams: Grams) -> Collection[tuple[bytes, T]]:
        """Return all pieces that are in `path`, and perhaps some more. `grams` is empty at first, and filled here."""
        if not self._lengths:
            return self._things.items()
        found: list[bytes] = []
        for length in self._lengths:
            if length not in grams:
                starts = range(len(path) - length + 1)
                grams[length] = frozenset([path[start : start + length] for start in starts])
            found += self._things.keys() & grams[length]
            for end in self._by_end.keys() & grams[length]:
                found += self._by_end[end]
        return [(piece, self._things[piece]) for piece in found]

    def _sort_by_end(self) -> None:
        for piece in self._things:
            length = _gram_length(len(piece))
            if length < len(piece):
                self._by_end.setdefault(piece[-length:], []).append(piece)


def _gram_length(length: int) -> int:
    return LENGTHS[bisect_right(LENGTHS, length) - 1]
