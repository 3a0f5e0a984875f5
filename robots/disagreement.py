"""Why do two readings of a file disagree? Each choice is switched to the other reading's, to see which one matters.

The four dialects differ in a dozen named choices and in nothing else. Most disagreements come from a single choice.
Where no single one is enough, `_needed` switches all of them, then switches back each one that is not needed. The
deciding line must also be the other reading's: a choice that changes the verdict by another line is not the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.dialect import CHOICES, Choices, Dialect
from robots.file import parse_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from robots.file import RobotsFile

_TemplateLines = tuple[bool, int]  # allowed, and the line that decides

# The topic of each choice. `_SIDES` describes its two sides; the values of Naming and Escapes describe themselves.
TOPICS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "naming": "which names mean a robot",
        "groups_merge": "which groups count",
        "longest_rule_wins": "which rule wins",
        "wildcards": "* and $ in paths",
        "escapes": "percent escapes",
        "blank_line_ends_group": "blank lines",
        "empty_disallow_closes": "a Disallow without a path",
        "forgiving_fields": "misspelt fields",
        "index_page_opens_folder": "an Allow of an index page",
        "empty_allow_counts": "an Allow without a path",
        "cuts_lines": "a NUL in a line, and lines of 16 KiB",
        "robots_txt_exempt": "/robots.txt itself",
        "denial_closes": "401 and 403 for robots.txt",
    }
)
_SIDES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {  # where the choice is False, and where it is True
        "groups_merge": ("the first that names it", "all that name it, put together"),
        "longest_rule_wins": ("the first that matches", "the one with most octets, Allow on a tie"),
        "wildcards": ("plain characters", "any text, and the end"),
        "blank_line_ends_group": ("mean nothing", "end a group"),
        "empty_disallow_closes": ("forbids nothing", "forbids everything"),
        "forgiving_fields": ("are passed over", "count"),
        "index_page_opens_folder": ("opens that page alone", "opens its folder too"),
        "empty_allow_counts": ("is no rule", "is a rule of no octets"),
        "cuts_lines": ("are octets like others", "cut the line there"),
        "robots_txt_exempt": ("falls under the rules", "may always be fetched"),
        "denial_closes": ("mean that there is no file", "close the site"),
    }
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A choice on which two readings disagree: its name in `Choices`, what it is about, and what each reading does."""

    choice: str
    topic: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Why `theirs` and `ours` differ in a verdict: each difference is enough, or (`together`) only all of them."""

    ours: Dialect
    theirs: Dialect
    differences: tuple[Difference, ...]
    together: bool

    def __str__(self) -> str:
        listed = "; ".join(f"{d.topic} ({d.theirs}; {self.ours.value}: {d.ours})" for d in self.differences)
        if len(self.differences) == 1:
            return listed
        return f"{len(self.differences)} rules {'together' if self.together else 'of which each is enough'}: {listed}"


def disagreement_on_url(
    body: bytes,
    agent: str,
    url: str,
    *,
    theirs: Dialect,
    ours: Dialect = Dialect.RFC9309,
    parsed: dict[Choices, RobotsFile] | None = None,
) -> Disagreement | None:
    """Name the choices by which two readings of a file disagree about `url`; None: they agree.

    `parsed` keeps the file as each set of choices reads it, for callers that check several URLs of one file.
    """
    files = {} if parsed is None else parsed

    def judged(choices: Choices) -> _TemplateLines:
        if choices not in files:
            files[choices] = parse_by(choices, body)
        verdict = files[choices].decide(agent, url)
        return verdict.allowed, verdict.line

    return _disagreement(ours, theirs, judged)


def disagreement_on_denial(*, theirs: Dialect, ours: Dialect = Dialect.RFC9309) -> Disagreement | None:
    """Name the choice by which two readings disagree about a site that returns 401 or 403 for its file."""
    return _disagreement(ours, theirs, lambda choices: (not choices.denial_closes, 0))


def _disagreement(ours: Dialect, theirs: Dialect, judged: Callable[[Choices], _TemplateLines]) -> Disagreement | None:
    here, there = CHOICES[ours], CHOICES[theirs]
    theirs_says = judged(there)
    if judged(here)[0] == theirs_says[0]:
        return None
    differing = [name for name in TOPICS if getattr(here, name) != getattr(there, name)]
    alone = [name for name in differing if judged(_switched(here, there, [name])) == theirs_says]
    names = alone or _needed(here, there, differing, lambda choices: judged(choices) == theirs_says)
    return Disagreement(ours, theirs, tuple(_difference(name, here, there) for name in names), together=not alone)


def _needed(here: Choices, there: Choices, names: list[str], agrees: Callable[[Choices], bool]) -> list[str]:
    """Switch one choice after another back, as long as the verdict stays the other reading's."""
    for name in list(names):
        fewer = [other for other in names if other != name]
        if agrees(_switched(here, there, fewer)):
            names = fewer
    return names


def _switched(here: Choices, there: Choices, names: list[str]) -> Choices:
    return replace(here, **{name: getattr(there, name) for name in names})


def _difference(name: str, here: Choices, there: Choices) -> Difference:
    return Difference(name, TOPICS[name], _side(name, here), _side(name, there))


def _side(name: str, choices: Choices) -> str:
    chosen = getattr(choices, name)
    return _SIDES[name][chosen] if isinstance(chosen, bool) else chosen.value
