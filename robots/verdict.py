"""May this robot fetch this URL? A verdict says yes or no, names the line that decided, and says why.

The verdict comes from a rule set: what a file asks of one robot. That is the groups that name it, or else those for
`*`, put together. A robot with a group of its own inherits nothing from `*`, not even a Crawl-delay (RFC 9309, 2.2.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from robots.crawl_delay import slowest_delay, slowest_rate
from robots.group import EVERYBODY, agent_matcher
from robots.rule_index import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robots.crawl_delay import Rate
    from robots.dialect import Choices
    from robots.group import Group, RuleLine
    from robots.rule_index import RuleIndex


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a robots.txt about one URL.

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


BlockPlaces = tuple[
    tuple[int, int], ...
]  # runs of names that mean a robot: the place of the group, and of the run in it

MAX_RULE_SHOWN: Final = 200  # characters of a rule in a verdict: it goes into journals and pages
MAX_VERDICTS_KEPT: Final = 512  # one for each rule that has decided; a file may have seventy thousand rules
NO_RULE: Final = Verdict(allowed=True, line=0, rule="", reason="no rule matches")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What applies to one robot, or to all that the file calls by the same names."""

    choices: Choices
    addressed: bool  # a group names the robot or everybody
    index: RuleIndex = field(repr=False)
    delay: float | None  # seconds between two visits
    rate: Rate | None
    _verdicts: dict[int, Verdict] = field(default_factory=dict, init=False, repr=False, compare=False)

    def verdict(self, path: bytes) -> Verdict:
        """Judge `path`, which is in normal form."""
        rank = self.index.strongest(path)
        if rank < 0:
            return NO_RULE
        verdict = self._verdicts.get(rank)
        if verdict is None:
            if len(self._verdicts) >= MAX_VERDICTS_KEPT:
                self._verdicts.clear()
            verdict = self._verdicts[rank] = _verdict_of(self.index.lines[rank], self.choices)
        return verdict


def blocks_for(agent: str, groups: Sequence[Group], choices: Choices) -> BlockPlaces:
    """Find out where `groups` mean `agent`: by its name, or else as everybody."""
    means_us = agent_matcher(agent, choices.naming)
    called = _blocks_naming(groups, means_us) or _blocks_naming(groups, lambda names: EVERYBODY in names)
    return tuple(called if choices.groups_merge else called[:1])


def _blocks_naming(groups: Sequence[Group], by_one_of: Callable[[Sequence[bytes]], bool]) -> list[tuple[int, int]]:
    return [
        (at, place) for at, group in enumerate(groups) for place, run in enumerate(group.runs) if by_one_of(run.names)
    ]


def rule_set_of(called: BlockPlaces, groups: Sequence[Group], choices: Choices) -> RuleSet:
    """Put together what `groups` ask of a robot that is called there."""
    chosen = [groups[at].rules for at in dict(called)]  # a group that names us twice counts once
    rules = chosen[0] if len(chosen) == 1 else [rule for of_one in chosen for rule in of_one]
    paces = [pace for at, place in called for pace in groups[at].runs[place].paces] if choices.crawl_delay else []
    return RuleSet(
        choices=choices,
        addressed=bool(called),
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
