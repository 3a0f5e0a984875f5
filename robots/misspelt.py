"""What did an owner mean whose robots.txt nobody understands? Typing errors in fields, as Google's parser reads them.

Every other reading passes a misspelt field over, and a file in which nothing else stands allows everything. So it is
told, and whoever wants to may read it as it is meant. Where one rule is understood, the file is read as it stands.
"""

from __future__ import annotations

from typing import Final

from robots.dialect import CHOICES, Dialect
from robots.group import Groups, groups_of
from robots.lines import meant_lines, read_lines, without_byte_order_mark

NO_RULE_UNDERSTOOD: Final = ", and no rule is understood"
READ_AS_MEANT: Final = ", and read as it is meant"
MAX_LINE_SHOWN: Final = 60  # octets of a line in a note
_IN_RULES: Final = (b"allow", b"alow", b"sllow", b"allaw")  # each spelling of Allow and Disallow has one of them


def has_rules(said: Groups) -> bool:
    """Say whether a file has a rule for anybody."""
    for group in said.groups:  # noqa: SIM110 - any() would take longer, and each file is asked
        if group.rules:
            return True
    return False


def meant_groups(text: bytes) -> Groups:
    """Sort the lines of a file into groups, misspelt ones too."""
    return groups_of(meant_lines(text), CHOICES[Dialect.RFC9309])


def misspelt_line(text: bytes) -> str:
    """Name the first misspelt line, where misspelt lines are all that keeps a file from having rules; else ""."""
    lower = text.lower()
    if b"agent" not in lower or not any(part in lower for part in _IN_RULES):
        return ""  # nearly always: no name or no rule, however it may be spelt
    if without_byte_order_mark(text).lstrip().startswith(b"<"):
        return ""  # a page in the place of the file
    if not has_rules(meant_groups(text)):
        return ""
    known = {line.number for line in read_lines(text, forgiving=False)}
    number = next((line.number for line in meant_lines(text) if line.number not in known), 0)
    if not number:
        return ""  # the old texts find no rule for another reason
    octets = without_byte_order_mark(text).splitlines()[number - 1].strip()
    return f"{number} ({octets[:MAX_LINE_SHOWN].decode('utf-8', 'backslashreplace')})"
