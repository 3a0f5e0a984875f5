"""Who is meant? A group: User-agent lines, and the rules that follow them (RFC 9309, 2.1 and 2.2.1).

A rule is stored once, however many robots its group names: a file of 15,000 names and 15,000 rules must not become
225 million rules. Crawl-delay and Sitemap lines do not end a group (2.2.4); a Crawl-delay belongs to the
User-agent lines just above it, since sites write one delay for each robot and then rules for all.
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from robots.dialect import Naming
from robots.rules.lines import Field
from robots.rules.rule import Rule, rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.dialect import Choices
    from robots.rules.lines import Line

EVERYBODY: Final = b"*"
_LETTERS: Final = (string.ascii_letters + "-_").encode()
# RFC 9309 lets a product token have letters, - and _ only. Robots named MJ12bot or archive.org_bot exist all the
# same, so digits and points are taken as part of a name: ours is not bread2crumb, nor is theirs archive.
_TOKEN: Final = _LETTERS + b"0123456789."


@dataclass(frozen=True, slots=True)
class Callees:
    """Names that stand on neighbouring User-agent lines, and the Crawl-delay below them, in seconds."""

    names: tuple[bytes, ...]
    delay: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """Robots and the rules for them. The names are in lower case, cut as the dialect cuts them."""

    callees: tuple[Callees, ...]
    rules: tuple[Rule, ...]


def name_in_file(value: bytes, naming: Naming) -> bytes:
    """Cut a User-agent value to the name that counts; `*` alone, or before a blank, is everybody."""
    value = value.lower()
    if value.split(maxsplit=1)[:1] == [EVERYBODY]:
        return EVERYBODY
    match naming:
        case Naming.TOKEN:
            return _leading(value, _TOKEN)
        case Naming.LETTERS:
            return _leading(value, _LETTERS)
        case Naming.THEIRS_WITHIN:
            return value.partition(b"/")[0].rstrip()  # the version is no part of the name
        case Naming.OURS_WITHIN:
            return value


def our_name(agent: str, naming: Naming) -> bytes:
    """Cut what a robot calls itself to the name that is looked for; empty: a robot without a usable name."""
    name = agent.strip().lower().encode("utf-8", "surrogatepass")
    return _leading(name, _TOKEN) if naming is Naming.TOKEN else name


def names_us(theirs: Sequence[bytes], ours: bytes, naming: Naming) -> bool:
    """Say whether one of the names in the file means us. An empty name, part of every name, means nobody."""
    if not ours:
        return False
    match naming:
        case Naming.TOKEN | Naming.LETTERS:
            return ours in theirs
        case Naming.OURS_WITHIN:
            return any(ours in name for name in theirs)
        case Naming.THEIRS_WITHIN:
            return any(name in ours for name in theirs if name not in {b"", EVERYBODY})


def _leading(value: bytes, alphabet: bytes) -> bytes:
    return value[: len(value) - len(value.lstrip(alphabet))]


def seconds(value: bytes) -> float | None:
    """Read a Crawl-delay; None for what is no number of seconds. What is too long is for the caller to say."""
    if value.strip(b"0123456789.eE+"):  # "nan", "inf" and "1_000" are numbers to float()
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class GroupBuilder:
    """Collects lines into groups, as the texts let a group begin and end."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.homeless: list[int] = []  # lines with rules that stand before any User-agent line
        self._groups: list[Group] = []
        self._runs: list[tuple[list[bytes], list[float]]] = []  # neighbouring names, and their delays
        self._rules: list[Rule] = []
        self._ruled = False  # a rule line has been seen: the next User-agent line begins a new group
        self._run_ended = True  # a delay or rule has been seen: the next User-agent line begins a new run of names

    def add(self, line: Line) -> None:
        """Take the next line, which is a User-agent, Allow, Disallow, Crawl-delay or blank line."""
        if line.field is Field.USER_AGENT:
            self._name(line)
        elif line.field is Field.DISALLOW or line.field is Field.ALLOW:
            self._rule(line)
        elif line.field is Field.CRAWL_DELAY and self.choices.crawl_delay and self._runs:
            self._delay(line)
        elif line.field is Field.BLANK and self.choices.blank_line_ends_group:
            self._close()

    def groups(self) -> tuple[Group, ...]:
        """Give the groups, the last one closed by the end of the file."""
        self._close()
        return tuple(self._groups)

    def _name(self, line: Line) -> None:
        if self._ruled:
            self._close()
        if self._run_ended:
            self._runs.append(([], []))
            self._run_ended = False
        self._runs[-1][0].append(name_in_file(line.value, self.choices.naming))

    def _rule(self, line: Line) -> None:
        if not self._runs:
            self.homeless.append(line.number)
            return
        self._ruled = self._run_ended = True
        allow = line.field is Field.ALLOW
        self._rules.extend(rules_of(line.number, line.value, self.choices, allow=allow))

    def _delay(self, line: Line) -> None:
        self._run_ended = True
        delay = seconds(line.value)
        if delay is not None:
            self._runs[-1][1].append(delay)

    def _close(self) -> None:
        if self._runs:
            # Of two delays for one robot the slower counts: it harms nobody.
            callees = tuple(Callees(tuple(names), max(delays, default=None)) for names, delays in self._runs)
            self._groups.append(Group(callees, tuple(self._rules)))
        self._runs, self._rules = [], []
        self._ruled, self._run_ended = False, True
