"""Which of the rules that match decides? The rules are ranked once; of those that match a path, the highest decides.

The rule with most octets decides, an Allow before a Disallow of the same length (RFC 9309, 2.2.2), and then the first
in the file; in the old texts simply the first that matches. A rule without a star is looked up: each beginning of the
path that is as long as such a rule is one key. A rule with stars is looked up by its head, which is what stands before
the first star, and from there through a tree. `tests/robots/oracle.py` reads all rules one by one and finds the same.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING, Any, Final

from robots.dialect import Escapes
from robots.normal_form import END, ESCAPED_IN_QUERY, STAR, normal_patterns
from robots.wildcards import branch_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from robots.dialect import Choices
    from robots.group import RuleLine
    from robots.wildcards import Branch, Leaf

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
    wild: dict[bytes, list[int] | Branch | Leaf]  # the ranks of the others by what stands before the first star
    wild_lengths: tuple[int, ...]
    wild_escapes: bool  # whether a star stands before an escape that a query has open

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
