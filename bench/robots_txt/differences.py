"""Which differences do two parsers have, and which rule explains each? Remove the rule's lines, and decide again.

A rule explains a difference if Protego decides as ours does without the lines that the rule is about.
`tests/bench/robots_txt/test_differences.py` has an example of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bench.robots_txt.engines import ENGINES, OURS
from robots import to_utf8
from robots.lines import Field, read_lines, without_byte_order_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.robots_txt.engines import Case
    from robots.lines import Line

RIVAL = "protego"


@dataclass(frozen=True, slots=True)
class PartingRule:
    """A rule on which the two differ: its name, its source, what each does, and its lines."""

    name: str
    source: str
    ours: str
    theirs: str
    about: Callable[[Line], bool]


RULES = (
    PartingRule(
        "whole address",
        "RFC 9309, 2.2 (path-pattern begins with /); Google's parser, R116",
        "a rule that begins like no path matches none",
        "a whole address as a path is looked for within the path",
        lambda line: line.field in {Field.ALLOW, Field.DISALLOW} and not line.value.startswith((b"/", b"*")),
    ),
    PartingRule(
        "other records",
        "RFC 9309, 2.2.4; R054, R055, R375",
        "a Crawl-delay between User-agent lines does not end their group",
        "it ends the group: the robots above it have no rules",
        lambda line: line.field in {Field.CRAWL_DELAY, Field.REQUEST_RATE},
    ),
)


@dataclass(frozen=True, slots=True)
class VerdictDifference:
    """One URL and robot on which the two parsers differ."""

    file: str
    agent: str
    url: str
    ours: bool
    explained_by: str | None


def verdict_differences(
    cases: Sequence[Case], ours: Sequence[bool], theirs: Sequence[bool]
) -> Iterator[VerdictDifference]:
    """Yield the differing verdicts, in the order of `cases`."""
    asked = [(case, agent, url) for case in cases for agent, url in case.questions]
    for (case, agent, url), own, other in zip(asked, ours, theirs, strict=True):
        if own != other:
            yield VerdictDifference(case.name, agent, url, own, explanation(case.body, agent, url))


def explanation(body: bytes, agent: str, url: str) -> str | None:
    """Return the rule without whose lines Protego decides as ours does; None: no rule of `RULES` explains it."""
    ours, rival = ENGINES[OURS], ENGINES[RIVAL]
    verdict = ours.decide(ours.parse(body), agent, url)
    for rule in RULES:
        if rival.decide(rival.parse(_without(body, rule)), agent, url) == verdict:
            return rule.name
    return None


@lru_cache(maxsize=64)
def _without(body: bytes, rule: PartingRule) -> bytes:
    text = to_utf8(body)
    gone = {line.number for line in read_lines(text, forgiving=False) if rule.about(line)}
    lines = without_byte_order_mark(text).splitlines()
    return b"\n".join(b"" if number in gone else line for number, line in enumerate(lines, start=1))
