"""Which line of robots.txt decided, and what stands around it? The lines of the file as it is kept, with their numbers.

What decides is told by the robots parser (robots/verdict.py); here its line is found in the file. The lines that begin
the group are marked, too: those that name us, or everybody where none does (RFC 9309, 2.2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.robots_files import read_robots
from robots import Access, parse
from robots.group import EVERYBODY, agent_matcher, name_in_file
from robots.lines import Field, meant_lines, read_lines, whole_lines, without_byte_order_mark
from robots.verdict import blocks_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from reports.why.site_files import RobotsAnswer
    from robots import RobotsFile

AROUND = 3  # lines before and after the deciding one
SHOWN = 160  # characters of a line
FIRST = 8  # lines of a file of which none decided
NAMES_SHOWN = 3  # User-agent lines of the group that applies


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of a file by its number from 1; `role` is "decides", "group" for a User-agent line of ours, or ""."""

    number: int
    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class RobotsExcerpt:
    """A few `lines` of a file of `total`; `group` says for whom the group is that applies, as a clause."""

    lines: tuple[ExcerptLine, ...]
    total: int
    group: str


def robots_excerpt(database: CrawlDatabase, answer: RobotsAnswer | None) -> RobotsExcerpt | None:
    """Return the lines that matter for an answer; None where no file decides."""
    if answer is None or answer.allowed is None or not (answer.line or answer.state == Access.PARSED.name):
        return None
    record = read_robots(database, answer.origin)
    copy = None if record is None else record.access_state.copy
    if copy is None:
        return None
    understood = any(group.rules for group in parse(copy.body).groups)  # as parse_meant (robots/availability.py) asks
    text = whole_lines(copy.body)
    said = meant_lines(text) if copy.meant and not understood else read_lines(text, forgiving=False)
    names = [(line.number, line.value) for line in said if line.field is Field.USER_AGENT]
    return excerpt_of(copy.body, copy.file, names, answer.agent, answer.line)


def excerpt_of(
    text: bytes, file: RobotsFile, named: Sequence[tuple[int, bytes]], agent: str, line: int
) -> RobotsExcerpt:
    """Return what of a file is shown where `line` decides for `agent`; 0: none does. `named`: its User-agent lines."""
    lines = without_byte_order_mark(text).splitlines()
    names = tuple(_names_for(file, named, agent, line))
    begin = names[0][0] - 1 if names else 1  # where no line decides: the group that applies, or the file's beginning
    near = range(line - AROUND, line + AROUND + 1) if line else range(begin, begin + FIRST)
    chosen = [number for number in sorted({*near, *(number for number, _ in names)}) if 1 <= number <= len(lines)]
    shown = tuple(
        ExcerptLine(
            number,
            lines[number - 1].decode("utf-8", "backslashreplace")[:SHOWN],
            "decides" if number == line else "group" if number in dict(names) else "",
        )
        for number in chosen
    )
    return RobotsExcerpt(shown, len(lines), _group(agent, [value for _, value in names]))


def _group(agent: str, names: list[str]) -> str:
    if not names:
        return f"no group of it is for {agent} or for everybody"
    if "*" in names:
        return f"it has no group for {agent}, so the one for everybody (*) applies"
    return f"its group for {', '.join(names)} applies, and nothing that is for everybody (*)"


def _names_for(
    file: RobotsFile, named: Sequence[tuple[int, bytes]], agent: str, line: int
) -> Iterator[tuple[int, str]]:
    """Yield the User-agent lines that begin the group of `line`; where no line decides, the first group of ours."""
    naming = file.choices.naming
    places = sorted({number for number, _ in blocks_for(agent, file.groups, file.choices)})
    if not places:
        return
    deciding = (place for place in places if any(number == line for number, *_ in file.groups[place].rules))
    place = next(deciding, places[0])
    before = [number for group in file.groups[:place] for number, *_ in group.rules]
    begin = max(before, default=0)
    end = min((number for number, *_ in file.groups[place].rules), default=max(number for number, _ in named) + 1)
    own = [(number, value) for number, value in named if begin < number < end]
    is_meant = agent_matcher(agent, naming)
    by_name = [(number, value) for number, value in own if is_meant([name_in_file(value, naming)])]
    everybody = [(number, value) for number, value in own if name_in_file(value, naming) == EVERYBODY]
    for number, value in (by_name or everybody)[:NAMES_SHOWN]:
        yield number, value.decode("utf-8", "backslashreplace")[:SHOWN] if by_name else "*"
