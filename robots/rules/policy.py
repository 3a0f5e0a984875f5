"""What does this file ask of one robot? The groups that name it, or else those for `*`, put together.

A robot with a group of its own inherits nothing from `*`, not even a Crawl-delay (RFC 9309, 2.2.1). Which rule
decides is said plainly in `strongest`. Short lists are sorted by it once; long ones get an index with the same answer:
the rules that can match are found by cutting the path to the lengths that their heads have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from robots.rules.group import EVERYBODY, names_us, our_name
from robots.rules.rule import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from robots.dialect import Choices
    from robots.rules.group import Group
    from robots.rules.rule import Rule

INDEX_FROM: Final = 64  # rules; below it reading them one by one is as fast as any index (bench/robots)


def strongest(rules: Iterable[Rule], path: bytes) -> Rule | None:
    """Find the rule that decides: of those that match, the one with most octets; Allow on a tie; then the first."""
    return max((rule for rule in rules if rule.matches(path)), key=attrgetter("rank"), default=None)


def first(rules: Iterable[Rule], path: bytes) -> Rule | None:
    """Find the first rule that matches: it decides in the old texts, and in all where the strongest come first."""
    return next((rule for rule in rules if rule.matches(path)), None)


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """The same answer as `strongest`, from those rules alone whose head is a head of the path."""

    prefixes: dict[bytes, Rule]
    prefix_lengths: tuple[int, ...]  # the longest first
    wholes: dict[bytes, Rule]
    wild: dict[bytes, list[Rule]]  # by what stands before the first star
    wild_lengths: tuple[int, ...]

    def strongest(self, path: bytes) -> Rule | None:
        """Find the rule that decides."""
        prefixes = (self.prefixes.get(path[:length]) for length in self.prefix_lengths if length <= len(path))
        longest = next((rule for rule in prefixes if rule), None)
        wild = (
            rule for length in self.wild_lengths if length <= len(path) for rule in self.wild.get(path[:length], ())
        )
        plain = (rule for rule in (longest, self.wholes.get(path)) if rule)
        return strongest(chain(plain, wild), path)


def index_of(rules: Sequence[Rule]) -> RuleIndex:
    """Sort `rules` by their shape. Of two rules with one pattern and no star only the stronger is kept."""
    # Weakest first: a later entry of a dict replaces an earlier one. Rules with one pattern weigh the same.
    ordered = [rule for rule in reversed(rules) if not rule.allow] + [rule for rule in reversed(rules) if rule.allow]
    prefixes = {rule.head: rule for rule in ordered if rule.shape is Shape.PREFIX}
    wild: dict[bytes, list[Rule]] = {}
    for rule in ordered:
        if rule.shape is Shape.WILD:
            wild.setdefault(rule.head, []).append(rule)
    return RuleIndex(
        prefixes=prefixes,
        prefix_lengths=_lengths(prefixes),
        wholes={rule.head: rule for rule in ordered if rule.shape is Shape.WHOLE},
        wild=wild,
        wild_lengths=_lengths(wild),
    )


def _lengths(heads: Iterable[bytes]) -> tuple[int, ...]:
    return tuple(sorted({len(head) for head in heads}, reverse=True))


@dataclass(frozen=True, slots=True)
class Policy:
    """What applies to one robot."""

    choices: Choices
    addressed: bool  # a group names us or everybody
    rules: tuple[Rule, ...]  # in the order in which they decide, unless there is an index
    delay: float | None  # seconds between two visits
    index: RuleIndex | None = field(repr=False)

    def deciding_rule(self, path: bytes) -> Rule | None:
        """Find the rule that decides about `path`, which is in normal form; None: no rule matches."""
        return self.index.strongest(path) if self.index else first(self.rules, path)


def policy_for(agent: str, groups: Sequence[Group], choices: Choices) -> Policy:
    """Put together what `groups` ask of `agent`."""
    ours = our_name(agent, choices.naming)

    called = [(group, run) for group in groups for run in group.callees if names_us(run.names, ours, choices.naming)]
    if not called:
        called = [(group, run) for group in groups for run in group.callees if EVERYBODY in run.names]
    if not choices.groups_merge:
        called = called[:1]
    chosen = {id(group): group for group, _ in called}  # a group that names us twice still counts once
    rules = [rule for group in chosen.values() for rule in group.rules]
    index = index_of(rules) if choices.longest_rule_wins and len(rules) >= INDEX_FROM else None
    if choices.longest_rule_wins and not index:
        rules.sort(key=attrgetter("rank"), reverse=True)
    return Policy(
        choices=choices,
        addressed=bool(chosen),
        rules=tuple(rules),
        delay=max((run.delay for _, run in called if run.delay is not None), default=None),
        index=index,
    )
