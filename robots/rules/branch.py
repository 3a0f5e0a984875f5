"""Which of ten thousand rules with stars match a path? Rules that begin alike are tried together, as a tree.

`/*a*b`, `/*a*c` and `/*d` share the head `/`, and the first two the piece `a`: whether and where it stands in the path
is found out once. So what a path costs depends on the path and on what it matches, and hardly on how many rules there
are. A branch grows when a path first comes to it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from robots.rules.patterns import END, STAR, fits
from robots.rules.runs import Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.rules.runs import Runs

FEW: Final = 8  # rules; fewer are tried one by one, which is as fast as a tree (bench/robots)
_END: Final = END[0]


class Few:
    """Some patterns that are the same up to a star, tried one by one. A rank is a pattern's place in `patterns`."""

    __slots__ = ("_rules",)

    def __init__(self, patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> None:
        self._rules = [(rank, patterns[rank][start:].split(STAR)) for rank in reversed(ranks)]

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Give the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        for rank, pieces in self._rules:
            if rank <= best:
                break
            if fits(pieces, path, at):
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
        self._branches: dict[bytes, Branch | Few] = {}

    def strongest(self, path: bytes, at: int, best: int) -> int:
        """Give the highest rank above `best` of a rule that matches `path`, searched from `at` on; or else `best`."""
        runs: Runs = {}
        waiting: list[tuple[Branch | Few, int]] = [(self, at)]  # no recursion: a pattern may have 250,000 stars
        while waiting:
            branch, at = waiting.pop()
            if isinstance(branch, Few):
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

    def along(self, piece: bytes, ranks: Sequence[int]) -> Branch | Few:
        """Give the branch of those that go on with `piece` and a star."""
        if piece not in self._branches:
            self._branches[piece] = branch_of(self._patterns, ranks, self._start + len(piece) + len(STAR))
        return self._branches[piece]


def branch_of(patterns: Sequence[bytes], ranks: Sequence[int], start: int) -> Branch | Few:
    """Make a branch of the patterns with these `ranks`, the lowest first, which are the same up to `start`."""
    return Few(patterns, ranks, start) if len(ranks) < FEW else Branch(patterns, ranks, start)


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
        self.ways_in = Pieces(ways).present_in
        self._pieces_in = Pieces(pieces).present_in
        self._end_lengths = sorted(set(map(len, self._ends)))

    def ending(self, path: bytes, at: int, runs: Runs) -> int:
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
