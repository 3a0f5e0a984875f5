"""Which of the rules that match decides? The rules are ranked once; of those that match a path, the highest decides.

The rule with most octets decides, an Allow before a Disallow of the same length (RFC 9309, 2.2.2), and then the first
in the file. In the old texts the first rule that matches decides. A rule without a star is looked up: each beginning of
the path that is as long as such a rule is one key. A rule with stars is looked up by its head, the octets before the
first star, and from there through a tree. `tests/robots/oracle.py` reads all rules one by one and finds the same.

**The tree.** The stars cut a rule into pieces. Rules that begin with the same pieces share a branch: `/*a*b`, `/*a*c`
and `/*d` share the head `/`, and the first two share the piece `a`. So one search for `a` serves both. The cost depends
on the path and on the rules that match it, hardly on the number of rules. The first path that reaches a branch builds
it.

**The pieces.** A branch may have ten thousand next pieces. To find those in the path, the index looks up the path's
n-grams (all sequences of n octets) among the pieces. The method is that of wildcard queries in *Introduction to
Information Retrieval* (3.2.2). A path of a hundred octets has fewer than a hundred n-grams of four octets, whether
there are ten pieces or forty thousand. A piece longer than an n-gram is looked up by its end, because pieces tend to
begin alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from robots.dialect import Escapes
from robots.normal_form import END, ESCAPED_IN_QUERY, STAR, normal_patterns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from robots.dialect import Choices
    from robots.group import RuleLine


T = TypeVar("T")
Grams = dict[int, frozenset[bytes]]  # the n-grams of one path by their length, for the lengths in use so far

FEW: Final = 8  # rules; fewer are tried one by one, which is as fast as a tree (bench/robots)
_END: Final = END[0]


def pieces_match(pieces: Sequence[bytes], path: bytes, at: int) -> bool:
    """Say whether the pieces after the stars of a pattern occur in `path`, one after another, from `at` on.

    The first place where a piece fits is as good as any later one, so nothing is tried twice. A pattern of a thousand
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
        """Return how the patterns continue; the first call computes it."""
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


_STAR: Final = STAR[0]  # as a number it is found six times as fast
_INDEX_PAGE: Final = b"/index.htm"


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """The rules of a rule set, the weakest first. A rule's rank is its place among them; -1 is the rank of no rule."""

    lines: Sequence[RuleLine]
    patterns: Sequence[bytes]
    plain: dict[bytes, int]  # the highest rank of each pattern without a star
    lengths: tuple[int, ...]  # of these patterns, the shortest first
    wholes: bool  # whether some of them have an end sign
    wild: dict[bytes, list[int] | Branch | Leaf]  # the ranks of the others, by the octets before the first star
    wild_lengths: tuple[int, ...]
    wild_escapes: bool  # whether a star precedes an escape that the normal form of a query decodes

    def strongest(self, path: bytes) -> int:
        """Find the rank of the rule that decides about `path`, which is in normal form."""
        best, size = -1, len(path)
        for length in self.lengths:
            if length > size:
                break
            found = self.plain.get(path[:length], -1)
            if found > best:  # noqa: PLR1730 - calling max() would be slower, and this is the busiest place
                best = found
        if self.wholes:
            found = self.plain.get(path + END, -1)
            if found > best:  # noqa: PLR1730 - calling max() would be slower, and this is the busiest place
                best = found
        for length in self.wild_lengths:
            branch = self.wild.get(path[:length])
            if branch:
                if isinstance(branch, list):  # no path has come here yet
                    branch = self.wild[path[:length]] = branch_of(self.patterns, branch, length + len(STAR))
                best = branch.strongest(path, length, best)
        return best


def index_of(lines: Sequence[RuleLine], choices: Choices) -> RuleIndex:
    """Rank the Allow and Disallow lines of one robot, which are in the order of the file."""
    if choices.index_page_opens_folder:
        lines = [rule for line in lines for rule in _with_folder(line)]
    if not choices.empty_allow_counts:
        lines = [line for line in lines if line[2] or not line[1]]
    patterns, weights = normal_patterns([value for _, _, value in lines], choices)
    order = _order([allow for _, allow, _ in lines], weights if choices.longest_rule_wins else None)
    patterns = [patterns[place] for place in order]
    plain: dict[bytes, int] = {}
    wild: dict[bytes, Any] = defaultdict(list)
    for rank, pattern in enumerate(patterns):  # a later one is stronger
        if _STAR in pattern:
            wild[pattern[: pattern.index(STAR)]].append(rank)
        else:
            plain[pattern] = rank
    lines = [lines[place] for place in order]
    wholes = END in b"".join(plain)
    wild_escapes = False
    if wild and b"%" in b"".join(patterns) and choices.escapes is Escapes.UNRESERVED_DECODED:
        wild_escapes = any(ESCAPED_IN_QUERY.search(rule, rule.index(STAR)) for rule in patterns if STAR in rule)
    return RuleIndex(lines, patterns, plain, _lengths(plain), wholes, wild, _lengths(wild), wild_escapes)


def _order(allows: Sequence[bool], weights: Sequence[int] | None) -> Sequence[int]:
    """Return the places of the rules, the weakest first: by weight, then Allow, then the first in the file."""
    backwards = range(len(allows) - 1, -1, -1)
    if weights is None:
        return backwards
    order = [*compress(backwards, map(not_, reversed(allows))), *compress(backwards, reversed(allows))]
    order.sort(key=weights.__getitem__)
    return order


def _with_folder(line: RuleLine) -> Iterator[RuleLine]:
    """Yield a rule, and after an Allow of an index page one more, which allows its folder."""
    yield line
    number, allow, value = line
    folder = value.rfind(b"/")
    if allow and folder >= 0 and value.startswith(_INDEX_PAGE, folder):
        yield number, True, value[: folder + 1] + b"$"


def _lengths(heads: Iterable[bytes]) -> tuple[int, ...]:
    return tuple(sorted(set(map(len, heads))))
