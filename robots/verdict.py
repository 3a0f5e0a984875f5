"""May this robot fetch this URL? A verdict says yes or no, names the line that decided, and says why.

The verdict comes from a rule set: all rules of a file for one robot. The rule set puts together the groups that name
the robot, or else the groups for `*`. A robot with a group of its own inherits nothing from `*`, not even a Crawl-delay
(RFC 9309, 2.2.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from robots.crawl_delay import slowest_delay, slowest_rate
from robots.dialect import Naming
from robots.group import EVERYBODY, agent_matcher, families_of
from robots.rule_index import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from robots.crawl_delay import Rate
    from robots.dialect import Choices
    from robots.group import Group, RuleLine
    from robots.rule_index import RuleIndex


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a robots.txt on one URL.

    `line` counts from 1 and is 0 where no rule decided; `rule` is that line as a field and a value, or empty;
    `reason` says in a few words why this rule decided, or why none did.
    """

    allowed: bool
    line: int
    rule: str
    reason: str

    def __str__(self) -> str:
        word = "allowed" if self.allowed else "disallowed"
        return f"{word} by line {self.line}" if self.line else f"{word}: {self.reason}"

    @property
    def with_rule(self) -> str:
        """The verdict with the rule that decided: "disallowed by line 2 (Disallow: /x)"."""
        return f"{self} ({self.rule})" if self.line else str(self)


# Where a robot is named: for each block that names it, the place of the group, and of the block within the group.
BlockPlaces = tuple[tuple[int, int], ...]

MAX_RULE_SHOWN: Final = 200  # characters of a rule in a verdict: it goes into journals and pages
MAX_VERDICTS_KEPT: Final = 512  # one for each rule that has decided before; a file may have seventy thousand rules
NO_RULE: Final = Verdict(allowed=True, line=0, rule="", reason="no rule matches")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules for one robot, or for all robots that the same blocks name."""

    choices: Choices
    addressed: bool  # a group names the robot or everybody
    index: RuleIndex = field(repr=False)
    delay: float | None  # seconds between two visits
    rate: Rate | None
    _verdicts: dict[int, Verdict] = field(default_factory=dict, init=False, repr=False, compare=False)

    def verdict(self, path: bytes) -> Verdict:
        """Return the verdict on `path`, which is in normal form."""
        rank = self.index.strongest(path)
        return NO_RULE if rank < 0 else self._verdicts.get(rank) or self._verdict_of(rank)

    def verdict_of_any(self, paths: Iterable[bytes]) -> Verdict:
        """Return the verdict on one path with several forms: the strongest rule for any of them decides."""
        rank = max(map(self.index.strongest, paths))
        return NO_RULE if rank < 0 else self._verdict_of(rank)

    def _verdict_of(self, rank: int) -> Verdict:
        if len(self._verdicts) >= MAX_VERDICTS_KEPT:
            self._verdicts.clear()
        verdict = self._verdicts[rank] = _verdict_of(self.index.lines[rank], self.choices)
        return verdict


def blocks_for(agent: str, groups: Sequence[Group], choices: Choices) -> BlockPlaces:
    """Find the blocks of `groups` that mean `agent`: by its name, or else as everybody."""
    blocks = _blocks_naming(groups, agent_matcher(agent, choices.naming))
    if choices.naming is Naming.LETTERS:
        for family in families_of(agent):
            blocks = blocks or _blocks_naming(groups, agent_matcher(family, choices.naming))
    blocks = blocks or _blocks_naming(groups, lambda names: EVERYBODY in names)
    return tuple(blocks if choices.groups_merge else blocks[:1])


def _blocks_naming(groups: Sequence[Group], is_meant: Callable[[Sequence[bytes]], bool]) -> list[tuple[int, int]]:
    return [
        (number, place)
        for number, group in enumerate(groups)
        for place, block in enumerate(group.blocks)
        if is_meant(block.names)
    ]


def rule_set_of(blocks: BlockPlaces, groups: Sequence[Group], choices: Choices) -> RuleSet:
    """Make the rule set of a robot that these `blocks` of `groups` name."""
    chosen = [groups[number].rules for number in dict(blocks)]  # a group that names us twice counts once
    rules = chosen[0] if len(chosen) == 1 else [rule for of_group in chosen for rule in of_group]
    paces = [pace for number, place in blocks for pace in groups[number].blocks[place].paces]
    paces = paces if choices.crawl_delay else []
    return RuleSet(
        choices=choices,
        addressed=bool(blocks),
        index=index_of(rules, choices),
        delay=slowest_delay(paces) if paces else None,
        rate=slowest_rate(paces) if paces else None,
    )


def _verdict_of(line: RuleLine, choices: Choices) -> Verdict:
    number, allow, value = line
    field = "Allow: " if allow else "Disallow: "
    shown = field + value.decode("utf-8", "backslashreplace") if value else field.rstrip()
    if len(shown) > MAX_RULE_SHOWN:
        shown = shown[: MAX_RULE_SHOWN - 1] + "…"
    if not value and not choices.empty_disallow_closes:
        return Verdict(allowed=True, line=number, rule=shown, reason="a Disallow without a path forbids nothing")
    reason = "the longest rule that matches" if choices.longest_rule_wins else "the first rule that matches"
    return Verdict(allow, number, shown, reason)
