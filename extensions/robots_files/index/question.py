r"""What is asked of the robots.txt files? Lines that must stand together in one group, words, dates; never an error.

    agent:Googlebot disallow:/       a group that names Googlebot, with a Disallow of exactly this value
    disallow:/wp*                    the value begins so; disallow:* is any Disallow, agent:* the group for everybody
    disallow:"/*.pdf*"               in quotes each character is meant: the star is a star, "" is an empty value
    path:/search                     Allow or Disallow; directive:clean-param any line with that field
    crawl-delay:>10  size:1000..5000 numbers, also status:404
    sitemap:https://a.example/*      and any other field that a file has, such as host:
    lint:misspelt  comment:seo       what the lint finds (docs/robots.md), and words of a comment
    site:a.example  origin:https://a.example  collection:NAME   where it is from
    date:2026-03  date:2026-01..2026-06  before:2026  after:2026-02-01   when it was seen: reaches the history
    spider  "not for robots"  seo*   words, words in a row of a line, words that begin so, anywhere
    -agent:Googlebot  -(agent:Googlebot disallow:/)  a OR b   nowhere in the file; either

All of it must hold. Whatever has no meaning here is text (indexer/question/clauses.py has the rest of the grammar).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.robots_files.index.conditions import Excluded, Joined, VersionCondition, told
from extensions.robots_files.index.keys import KEYS, RobotsClause, condition_of, misread, words_in_a_row
from indexer.question.clauses import (
    MAX_QUERY_CHARS,
    OR,
    Clause,
    ClauseKind,
    clause_pattern,
    clauses_by,
    readable_question,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from extensions.robots_files.index.conditions import Asked

MAX_CONDITIONS = 32  # of a question; each is a look into the index
_PATTERN = clause_pattern(r'(?P<key>[a-z][\w-]*):(?P<value>"[^"]*"|(?!//)[^\s"()]+)')


@dataclass(frozen=True, slots=True)
class RobotsQuery:
    """A question as it is understood: all of `asked` must hold."""

    text: str
    asked: tuple[Asked, ...] = ()
    history: bool = False  # not only the newest version of each file is asked
    unread: tuple[str, ...] = ()  # what is not asked for as it was typed, and why

    @property
    def understood(self) -> str:
        """What is looked for, in a sentence."""
        return f"Files: {told(self.asked)}." if self.asked else ""


class _Reading:
    """One question being read: how many conditions there are so far, and which fields the files have."""

    def __init__(self, is_field: Callable[[str], bool]) -> None:
        self.is_field = is_field
        self.conditions = 0
        self.wordless: list[str] = []
        self.misread: list[str] = []

    def leaf(self, found: re.Match[str], minus: bool) -> Clause | None:
        """Return the clause of a piece of a question."""
        if found["phrase"] is not None:
            return Clause(ClauseKind.PHRASE, found["phrase"], minus)
        if found["key"]:
            key, value = found["key"].lower(), found["value"]
            clause = RobotsClause(ClauseKind.FIELD, value.strip('"'), minus, key=key, quoted=value.startswith('"'))
            if key in KEYS and (why := misread(clause)):
                self.misread.append(why)
            return clause if self._means(clause) else Clause(ClauseKind.PHRASE, f"{key} {clause.text}", minus)
        if not found["words"]:
            return None
        if found["words"] == "OR" and not minus:
            return OR
        return Clause(ClauseKind.WORDS, found["words"], minus)

    def _means(self, clause: RobotsClause) -> bool:
        return condition_of(clause) is not None and (clause.key in KEYS or self.is_field(clause.key))

    def asked(self, clause: Clause) -> Asked | None:
        """Return what a clause asks for; None for what asks for nothing, or is beyond the bound."""
        made: Asked | None
        if clause.parts:
            parts = tuple(part for each in clause.parts if (part := self.asked(each)) is not None)
            made = Joined(parts, any_of=clause.kind is ClauseKind.ANY) if parts else None
        else:
            self.conditions += 1
            made = self._leaf(clause) if self.conditions <= MAX_CONDITIONS else None
        return Excluded(made) if made is not None and clause.minus else made

    def _leaf(self, clause: Clause) -> Asked | None:
        if isinstance(clause, RobotsClause):
            return condition_of(clause)
        if not any(map(str.isalnum, clause.text)):
            self.wordless.append(clause.text)
            return None
        return words_in_a_row(clause.text, beginning=clause.kind is ClauseKind.WORDS and clause.text.endswith("*"))


def read_robots_question(text: str, is_field: Callable[[str], bool]) -> RobotsQuery:
    """Understand a question; `is_field` tells whether any file has a line with this field."""
    read = readable_question(text)
    reading = _Reading(is_field)
    made = (reading.asked(clause) for clause in clauses_by(_PATTERN, read, reading.leaf))
    asked = tuple(one for one in made if one is not None)
    beyond = {
        f"characters after the first {MAX_QUERY_CHARS:,}": len(text) > MAX_QUERY_CHARS,
        f"conditions after the first {MAX_CONDITIONS}": reading.conditions > MAX_CONDITIONS,
        f"{' and '.join(dict.fromkeys(reading.wordless))}, which has no letter or digit": bool(reading.wordless),
    }
    unread = (*dict.fromkeys(reading.misread), *(what for what, holds in beyond.items() if holds))
    return RobotsQuery(read, asked, history=any(map(_is_of_time, asked)), unread=unread)


def _is_of_time(asked: Asked) -> bool:
    match asked:
        case VersionCondition():
            return asked.of_time
        case Joined(parts):
            return any(map(_is_of_time, parts))
        case Excluded(part):
            return _is_of_time(part)
        case _:
            return False
