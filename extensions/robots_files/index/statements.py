"""What does each line of a robots.txt say, and to which group does it belong? All lines, those too that mean nothing.

For whoever counts or searches lines, not for a verdict. Fields and values are read and groups formed by RFC 9309: a
group is here what `RobotsFile.groups` has, with the numbers of its lines. A Sitemap line and a field that the standard
does not know stand in no group: they speak for the file (2.2.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from robots.dialect import CHOICES, Dialect
from robots.group import groups_of
from robots.lines import Field, scan_lines, whole_lines, without_byte_order_mark

if TYPE_CHECKING:
    from robots.lines import LineTuple

NO_GROUP = 0


class Statement(NamedTuple):
    """A line that is not blank. `number` and `group` count from 1; group 0: none."""

    number: int
    field: str  # in lower case, as typed where it is unknown; "" where there is no colon
    value: str  # of a User-agent line the name as it is compared: in lower case, without a version
    group: int
    comment: str  # what stands behind a #
    text: str  # the whole line


def statements_of(body: bytes) -> list[Statement]:
    """Return the lines of a robots.txt in UTF-8 that are not blank, as far as robots read the file (2.5)."""
    text = whole_lines(body)
    known = _known_lines(text)
    found = []
    for number, octets in enumerate(without_byte_order_mark(text).splitlines(), start=1):
        said, _, comment = octets.partition(b"#")
        if not (said.strip() or comment.strip()):
            continue
        field, value, group = known.get(number) or _unknown(said)
        found.append(Statement(number, field, value, group, as_text(comment), as_text(octets)))
    return found


def as_text(octets: bytes) -> str:
    """Return what a line has as text; octets that are no UTF-8 are written as escapes, so that nothing is lost."""
    return octets.decode("utf-8", "backslashreplace").strip()


def _known_lines(text: bytes) -> dict[int, tuple[str, str, int]]:
    """Return field, value and group of each line that the standard knows, by the number of the line."""
    choices = CHOICES[Dialect.RFC9309]
    lines = list(scan_lines(text, forgiving=choices.forgiving_fields))
    said = groups_of(lines, choices)
    naming = (line for line in lines if line[1] is Field.USER_AGENT)  # each has given one name to one group, in order
    group_of: dict[int, int] = {}
    name_of: dict[int, str] = {}
    for place, group in enumerate(said.groups, start=1):
        for name in (name for block in group.blocks for name in block.names):
            number = next(naming)[0]
            group_of[number], name_of[number] = place, as_text(name)
        for number, *_ in (*group.rules, *(pace for block in group.blocks for pace in block.paces)):
            group_of[number] = place
    return {line[0]: _said(line, name_of, group_of) for line in lines}


def _said(line: LineTuple, name_of: dict[int, str], group_of: dict[int, int]) -> tuple[str, str, int]:
    number, field, value = line
    return field.value.lower(), name_of.get(number, as_text(value)), group_of.get(number, NO_GROUP)


def _unknown(said: bytes) -> tuple[str, str, int]:
    name, colon, value = said.partition(b":")
    return (as_text(name).lower(), as_text(value), NO_GROUP) if colon else ("", as_text(said), NO_GROUP)
