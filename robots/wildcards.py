"""Which of ten thousand rules with stars match a path? A tree tries them together, and n-grams tell which can match.

Rules that begin alike share a branch. `/*a*b`, `/*a*c` and `/*d` share the head `/`, and the first two share the piece
`a`: whether and where `a` stands in the path is found out once. So what a path costs depends on the path and on what it
matches, and hardly on how many rules there are. A branch grows when a path first comes to it.

Which of ten thousand pieces stand in a path? The path is cut into runs of octets (its n-grams), and the runs are looked
up, instead of each piece being searched for in the path. *Introduction to Information Retrieval* (3.2.2) answers
wildcard queries in the same way. A path of a hundred octets has fewer than a hundred runs of four octets, whether there
are ten pieces or forty thousand. A piece whose length is none of `LENGTHS` is looked up by its end, because pieces tend
to begin alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from robots.normal_form import END, STAR

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def pieces_match(pieces: Sequence[bytes], path: bytes, at: int) -> bool:
    """Say whether what stands after each star of a pattern is in `path`, one after another, from `at` on.

    The first place where a piece fits is as good as any later one, so nothing is tried twice: a pattern of a thousand
    stars costs a thousand searches. A regular expression made from such a pattern could try for years.
    """
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:  # the last piece may have an end sign, which no path has
            return piece.endswith(END) and path.endswith(piece[:-1], at)
        at = found + len(piece)
    return True


Grams = dict[int, frozenset[bytes]]  # those of one path by their length, as far as they have been asked for
T = TypeVar("T")

MANY: Final = 128  # pieces; fewer are searched for one by one, which is as fast (bench/robots)
LENGTHS: Final = (1, 2, 3, 4, 8, 16)  # octets of the runs into which a path is cut: each length costs a pass over it


class PieceIndex(Generic[T]):
    """Things by the piece of a pattern that leads to them, and which of these pieces can be in a path."""

    __slots__ = ("_by_end", "_lengths", "_things")

    def __init__(self, things: Mapping[bytes, T]) -> None:
        self._things = things
        self._lengths: set[int] = set()  # of runs to look up; none: it would not pay
        self._by_end: dict[bytes, list[bytes]] = {}
        if len(things) >= MANY:
            lengths = set(map(len, things))
            self._lengths = set(map(_gram_length, lengths))
            if not lengths.issubset(LENGTHS):
                self._sort_by_end()

    def present_in(self, path: bytes, runs: Grams) -> Collection[tuple[bytes, T]]:
        """Give the pieces that may be in `path`, no fewer than those that are. `runs` is at first empty."""
        if not self._lengths:
            return self._things.items()
        found: list[bytes] = []
        for length in self._lengths:
            if length not in runs:
                starts = range(len(path) - length + 1)
                runs[length] = frozenset([path[start : start + length] for start in starts])
            found += self._things.keys() & runs[length]
            for end in self._by_end.keys() & runs[length]:
                found += self._by_end[end]
        return [(piece, self._things[piece]) for piece in found]

    def _sort_by_end(self) -> None:
        for piece in self._things:
            length = _gram_length(len(piece))
            if length < len(piece):
                self._by_end.setdefault(piece[-length:], []).append(piece)


def _gram_length(length: int) -> int:
    return LENGTHS[bisect_right(LENGTHS, length) - 1]


FEW: Final = 8  # rules; fewer are tried one by one, which is as fast as a tree (bench/robots)
_END: Final = END[0]


class Leaf:
    """Some patterns that are the same up to a star, tried one by one. A rank is a pattern's place in `patterns`."""

    __slots__ = ("_rules",)

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        self._rules = [(rank, patterns[rank][start:].split(STAR)) for rank in reversed(ranks)]

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Give the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        for rank, pieces in self._rules:
            if rank <= best:
                break
            if pieces_match(pieces, path, at):
                return rank
        return best


class Branch:
    """Many patterns that are the same up to a star."""

    __slots__ = ("_branches", "_fork", "_patterns", "_start", "ranks")

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        self._patterns = patterns  # of all rules
        self.ranks = ranks  # of those that are in this branch, the lowest first
        self._start = start  # where they go on after the star
        self._fork: Fork | None = None
        self._branches: dict[bytes, Branch | Leaf] = {}

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Give the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        runs: Grams = {}
        waiting: list[tuple[Branch | Leaf, int]] = [(self, at)]  # no recursion: a pattern may have 250,000 stars
        while waiting:
            branch, at = waiting.pop()
            if isinstance(branch, Leaf):
                best = branch.strongest(path, at, best)
            elif branch.ranks[-1] > best:
                fork = branch.grown()
                best = max(best, fork.ending(path, at, runs))
                for piece, ranks in fork.ways_in(path, runs):
                    found = path.find(piece, at) if ranks[-1] > best else -1
                    if found >= 0:
                        waiting.append((branch.along(piece, ranks), found + len(piece)))
        return best

    def grown(self) -> Fork:
        """Give the ways on, found when first asked for."""
        if self._fork is None:
            self._fork = Fork(self._patterns, self.ranks, self._start)
        return self._fork

    def along(self, piece: bytes, ranks: Sequence[int]) -> Branch | Leaf:
        """Give the branch of those that go on with `piece` and a star."""
        if piece not in self._branches:
            self._branches[piece] = branch_of(self._patterns, ranks, self._start + len(piece) + len(STAR))
        return self._branches[piece]


def branch_of(patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> Branch | Leaf:
    """Make a branch of the patterns with these `ranks`, the lowest first, which are the same up to `start`."""
    return Leaf(patterns, ranks, start) if len(ranks) < FEW else Branch(patterns, ranks, start)


class Fork:
    """How patterns go on that have been the same so far: by an end, by a last piece, or by a piece and a star."""

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        ways: dict[bytes, list[int]] = defaultdict(list)  # by the next piece: those that have another star after it
        pieces: dict[bytes, int] = {}  # the highest rank of those with this last piece
        self._ends: dict[bytes, int] = {}  # the same for those that end so, end sign included
        for rank in ranks:
            pattern = patterns[rank]
            stop = pattern.find(STAR, start)
            if stop >= 0:
                ways[pattern[start:stop]].append(rank)
            elif _END in pattern:
                self._ends[pattern[start:]] = rank
            else:
                pieces[pattern[start:]] = rank
        self.ways_in = PieceIndex(ways).present_in
        self._pieces_in = PieceIndex(pieces).present_in
        self._end_lengths = sorted(set(map(len, self._ends)))

    def ending(self, path: bytes, at: int, runs: Grams) -> int:
        """Give the highest rank of those that match and have no further star."""
        best = -1
        for piece, rank in self._pieces_in(path, runs):
            if rank > best and path.find(piece, at) >= 0:
                best = rank
        for length in self._end_lengths:
            begin = len(path) + len(END) - length
            if begin < at:
                break
            best = max(best, self._ends.get(path[begin:] + END, -1))
        return best
