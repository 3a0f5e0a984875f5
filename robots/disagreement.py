"""On which rule do two readings part? Each choice of the one is switched to the other's: what flips the verdict is it.

The four dialects differ in a dozen named choices and in nothing else. Most differences come down to one of them; where
no single one is enough, all are switched and given back one after another until each one left is needed. The line that
decides must be the other's, too: a choice that flips the verdict by another line is not why they part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.dialect import CHOICES, Choices, Dialect
from robots.file import parse_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Judgement = tuple[bool, int]  # allowed, and the line that decides

# What each choice is about, and what each side of it does. Naming and Escapes speak for themselves.
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
    """A choice on which two readings part: its name in `Choices`, what it is about, and what each does."""

    choice: str
    topic: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Why `theirs` judges otherwise than `ours`. Each difference alone makes it so, or only all of them together."""

    ours: Dialect
    theirs: Dialect
    differences: tuple[Difference, ...]
    together: bool

    def __str__(self) -> str:
        told = "; ".join(f"{d.topic} ({d.theirs}; {self.ours.value}: {d.ours})" for d in self.differences)
        if len(self.differences) == 1:
            return told
        return f"{len(self.differences)} rules {'together' if self.together else 'of which each is enough'}: {told}"


def disagreement_on_url(
    body: bytes, agent: str, url: str, *, theirs: Dialect, ours: Dialect = Dialect.RFC9309
) -> Disagreement | None:
    """Name the choices on which two readings of a file part about `url`; None: they agree."""
    return _disagreement(ours, theirs, lambda choices: _judged(body, choices, agent, url))


def disagreement_on_denial(*, theirs: Dialect, ours: Dialect = Dialect.RFC9309) -> Disagreement | None:
    """Name the choice on which two readings part about a site that answers 401 or 403 for its file."""
    return _disagreement(ours, theirs, lambda choices: (not choices.denial_closes, 0))


def _disagreement(ours: Dialect, theirs: Dialect, judged: Callable[[Choices], _Judgement]) -> Disagreement | None:
    here, there = CHOICES[ours], CHOICES[theirs]
    wanted = judged(there)
    if judged(here)[0] == wanted[0]:
        return None
    differing = [name for name in TOPICS if getattr(here, name) != getattr(there, name)]
    alone = [name for name in differing if judged(_switched(here, there, [name])) == wanted]
    names = alone or _needed(here, there, differing, lambda choices: judged(choices) == wanted)
    return Disagreement(ours, theirs, tuple(_difference(name, here, there) for name in names), together=not alone)


def _needed(here: Choices, there: Choices, names: list[str], flips: Callable[[Choices], bool]) -> list[str]:
    """Give back one choice after another, as long as the verdict stays the other's."""
    for name in list(names):
        fewer = [other for other in names if other != name]
        if flips(_switched(here, there, fewer)):
            names = fewer
    return names


def _switched(here: Choices, there: Choices, names: list[str]) -> Choices:
    return replace(here, **{name: getattr(there, name) for name in names})


def _difference(name: str, here: Choices, there: Choices) -> Difference:
    return Difference(name, TOPICS[name], _side(name, here), _side(name, there))


def _side(name: str, choices: Choices) -> str:
    chosen = getattr(choices, name)
    return _SIDES[name][chosen] if isinstance(chosen, bool) else chosen.value


def _judged(body: bytes, choices: Choices, agent: str, url: str) -> _Judgement:
    verdict = parse_by(choices, body).decide(agent, url)
    return verdict.allowed, verdict.line
