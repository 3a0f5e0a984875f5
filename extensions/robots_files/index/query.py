r"""Which queries can search the robots.txt files? Lines that must be in one group, words, dates; never an error.

    agent:Googlebot disallow:/       A group that names Googlebot, with a Disallow of exactly this value.
    disallow:/wp*                    The value begins so. disallow:* is any Disallow, agent:* the group for everybody.
    disallow:"/*.pdf*"               Quotes take each character literally: the star is a star, "" is an empty value.
    path:/search                     Allow or Disallow. directive:clean-param is any line with that field.
    crawl-delay:>10  size:1000..5000 Numbers. Also status:404.
    sitemap:https://a.example/*      And any other field that a file has, such as host:.
    lint:misspelt  comment:seo       Findings of the lint (docs/robots.md), and words of a comment.
    site:a.example  origin:https://a.example  collection:NAME   Its source.
    date:2026-03  date:2026-01..2026-06  before:2026  after:2026-02-01   When it was seen: searches the history.
    spider  "not for robots"  seo*   Words, words in a row of a line, words that begin so, anywhere.
    -agent:Googlebot  -(agent:Googlebot disallow:/)  a OR b   Nowhere in the file. Either.

All conditions must hold. Values are compared exactly, with three exceptions. Names of robots are compared as robots do
(RFC 9309, 2.2.1). Names of fields and of sites have no case. Numbers are compared as numbers. Everything without a
meaning here is text (indexer/query/syntax.py has the rest of the grammar).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extensions.robots_files.index.conditions import END, Excluded, Joined, LineCondition, VersionCondition, told
from extensions.robots_files.index.tables import AGENT, HAS_WORDS, LINT, SIZE_OF_VERSION
from indexer.query.syntax import (
    MAX_QUERY_CHARS,
    OR,
    Clause,
    ClauseKind,
    clause_pattern,
    clean_query,
    date_range,
    parse_clauses_by,
)
from robots import origin_of
from robots.dialect import Naming
from robots.group import name_in_file
from robots.lint import FINDINGS
from urls.wording import enumerated, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.robots_files.index.conditions import Asked
    from extensions.robots_files.index.tables import Value

MAX_CONDITIONS = 32  # of a query; each is a look into the index
_PATTERN = clause_pattern(r'(?P<key>[a-z][\w-]*):(?P<value>"[^"]*"|(?!//)[^\s"()]+)')
_OF_GROUPS = frozenset({AGENT, "allow", "disallow", "crawl-delay", "request-rate"})
_NUMBER = re.compile(r"(?P<sign>>=|<=|>|<)?(?P<low>\d{1,12}(?:\.\d{1,6})?)(?:\.\.(?P<high>\d{1,12}(?:\.\d{1,6})?))?")
_VERSION_TEXT = {"site": "on the site", "collection": "of the collection"}


@dataclass(frozen=True, slots=True)
class RobotsQuery:
    """A parsed query: each condition of `asked` must hold."""

    text: str
    asked: tuple[Asked, ...] = ()
    history: bool = False  # it searches older versions, too
    unread: tuple[str, ...] = ()  # parts that are not searched as typed, and why

    @property
    def understood(self) -> str:
        """The conditions, in a sentence."""
        return f"Files: {told(self.asked)}." if self.asked else ""


class _Reading:
    """A query during parsing: the number of conditions so far, and the known fields."""

    def __init__(self, is_field: Callable[[str], bool]) -> None:
        self.is_field = is_field
        self.conditions = 0
        self.wordless: list[str] = []
        self.misread: list[str] = []

    def leaf(self, found: re.Match[str], minus: bool) -> Clause | None:
        """Return the clause of a piece of a query."""
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
        """Return the condition of a clause; None for an empty clause, or one beyond the bound."""
        made: Asked | None
        if clause.parts:
            parts = tuple(part for each in clause.parts if (part := self.asked(each)) is not None)
            made = Joined(parts, any_of=clause.kind is ClauseKind.ANY) if parts else None
        else:
            self.conditions += 1
            made = self._leaf(clause) if self.conditions <= MAX_CONDITIONS else None
        return Excluded(made) if made is not None and clause.excluded else made

    def _leaf(self, clause: Clause) -> Asked | None:
        if isinstance(clause, RobotsClause):
            return condition_of(clause)
        if not any(map(str.isalnum, clause.text)):
            self.wordless.append(clause.text)
            return None
        return words_in_a_row(clause.text, beginning=clause.kind is ClauseKind.WORDS and clause.text.endswith("*"))


def read_robots_question(text: str, is_field: Callable[[str], bool]) -> RobotsQuery:
    """Parse a query; `is_field` returns whether any file has a line with this field."""
    read = clean_query(text)
    reading = _Reading(is_field)
    made = (reading.asked(clause) for clause in parse_clauses_by(_PATTERN, read, reading.leaf))
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


@dataclass(frozen=True, slots=True)
class RobotsClause(Clause):
    """A key with its value; in quotes a star is a star."""

    key: str = ""
    quoted: bool = False

    @property
    def typed(self) -> str:
        """The clause as it was typed."""
        return f'{self.key}:"{self.text}"' if self.quoted else f"{self.key}:{self.text}"

    @property
    def beginning(self) -> str | None:
        """The beginning of the wanted values; None if the whole value is given."""
        return self.text[:-1] if self.text.endswith("*") and not self.quoted else None


def condition_of(clause: RobotsClause) -> LineCondition | VersionCondition | None:
    """Return the condition of a key with its value; None if the value has no meaning for the key."""
    make = KEYS.get(clause.key)
    return _field(clause) if make is None else make(clause)


def _field(clause: RobotsClause) -> LineCondition:
    """Lines with the field that the key names."""
    compared, values, shown = _compared("value", clause)
    words = f"{clause.key.capitalize()}: {shown}"
    return LineCondition(
        clause.typed, words, f"field = ? AND {compared}", (clause.key, *values), clause.key in _OF_GROUPS
    )


def _compared(column: str, clause: RobotsClause) -> tuple[str, tuple[Value, ...], str]:
    """Return SQL that compares a column with the value of a clause, the bound values, and the value in words."""
    if (start := clause.beginning) is None:
        return f"{column} = ?", (clause.text,), clause.text or "(empty)"
    return f"{column} >= ? AND {column} < ?", (start, start + END), f"{start}…" if start else "(any)"


def _agent(clause: RobotsClause) -> LineCondition:
    """Return the lines that name a robot as RFC 9309 compares it: without a version, in any case; `*` is everybody."""
    start = clause.beginning
    if start:
        named = replace(clause, text=f"{start.lower()}*")
    else:
        name = name_in_file(clause.text.encode("utf-8", "surrogatepass"), Naming.TOKEN).decode("utf-8", "ignore")
        named = replace(clause, text=name, quoted=True)
    compared, values, shown = _compared("value", named)
    words = "User-agent: " + ("* (everybody)" if named.text == "*" and named.quoted else shown)
    return LineCondition(clause.typed, words, f"field = '{AGENT}' AND {compared}", values, True, named.text)


def _path(clause: RobotsClause) -> LineCondition:
    compared, values, shown = _compared("value", clause)
    return LineCondition(
        clause.typed, f"Allow or Disallow: {shown}", f"field IN ('allow', 'disallow') AND {compared}", values, True
    )


def _directive(clause: RobotsClause) -> LineCondition:
    named = replace(clause, text=clause.text.lower())
    compared, values, shown = _compared("field", named)
    of_group = named.text in _OF_GROUPS
    return LineCondition(
        clause.typed, f"a line with the field {shown}", f"{compared} AND field NOT IN ('', '{LINT}')", values, of_group
    )


def _value(clause: RobotsClause) -> LineCondition:
    compared, values, shown = _compared("value", clause)
    return LineCondition(
        clause.typed, f"a line with the value {shown}", f"{compared} AND field NOT IN ('', '{LINT}')", values, False
    )


def _delay(clause: RobotsClause) -> LineCondition:
    numbers = _between("amount", clause.text)
    if numbers is None or clause.quoted:
        return _field(clause)
    compared, values, shown = numbers
    words = f"Crawl-delay {shown}"
    return LineCondition(clause.typed, words, f"field = 'crawl-delay' AND {compared}", values, True)


def _lint(clause: RobotsClause) -> LineCondition:
    compared, values, shown = _compared("value", clause)
    return LineCondition(clause.typed, f"the finding {shown}", f"field = '{LINT}' AND {compared}", values, False)


def _comment(clause: RobotsClause) -> LineCondition | None:
    if not any(map(str.isalnum, clause.text)):
        return None
    made = words_in_a_row(clause.text, beginning=clause.beginning is not None)
    words = (f"comment : {made.values[0]}",)
    return replace(made, typed=clause.typed, words=f"{made.words} in a comment", values=words)


def words_in_a_row(text: str, *, beginning: bool) -> LineCondition:
    """Lines with these words in a row. A quoted string keeps SQLite's own syntax out of a person's query."""
    quoted = '"{}"'.format(text.replace('"', " ")) + (" *" if beginning else "")
    return LineCondition(text, f"the text “{text}”", HAS_WORDS, (quoted,), of_group=False)


def _text_of_version(clause: RobotsClause) -> VersionCondition:
    named = replace(clause, text=clause.text.lower()) if clause.key == "site" else clause
    compared, values, shown = _compared(named.key, named)
    if named.key == "site" and named.beginning is None:  # with its port, or without one any port
        compared, values = "(site = ? OR site >= ? AND site < ?)", (*values, f"{named.text}:", f"{named.text}:{END}")
    elif named.key == "collection":
        compared = f"collection != '' AND {compared}"
    return VersionCondition(f"{_VERSION_TEXT[named.key]} {shown}", compared, values)


def _origin(clause: RobotsClause) -> VersionCondition | None:
    try:
        origin = clause.text if clause.beginning is not None else origin_of(clause.text)
    except ValueError:
        return None
    compared, values, shown = _compared("origin", replace(clause, text=origin))
    return VersionCondition(f"of the origin {shown}", compared, values)


def _number(clause: RobotsClause) -> VersionCondition | None:
    column = SIZE_OF_VERSION if clause.key == "size" else clause.key
    numbers = _between(column, clause.text)
    if numbers is None:
        return None
    compared, values, shown = numbers
    noun = "bytes" if clause.key == "size" else "as the latest status"
    return VersionCondition(f"{shown} {noun}", compared, values)


def _between(column: str, text: str) -> tuple[str, tuple[Value, ...], str] | None:
    """Read a number, `>10`, or `10..20`."""
    found = _NUMBER.fullmatch(text)
    if found is None or (found["sign"] and found["high"]):
        return None
    low = float(found["low"])
    if found["high"]:
        high = float(found["high"])
        if high < low:
            return None
        return f"{column} BETWEEN ? AND ?", (low, high), f"from {plain(low)} to {plain(high)}"
    return f"{column} {found['sign'] or '='} ?", (low,), f"{found['sign'] or ''}{plain(low)}"


def _date(clause: RobotsClause) -> VersionCondition | None:
    first, dots, last = clause.text.partition("..")
    begin, end = date_range(first), date_range(last if dots else first)
    if begin is None or end is None or begin[0] >= end[1]:
        return None
    since, until = begin[0].timestamp(), end[1].timestamp()
    match clause.key:
        case "before":
            return VersionCondition(f"seen before {first}", "first_seen < ?", (since,), of_time=True)
        case "after":
            return VersionCondition(f"seen on {first} or later", "last_seen >= ?", (since,), of_time=True)
        case _:
            where = "first_seen < ? AND last_seen >= ?"
            return VersionCondition(f"seen in {clause.text}", where, (until, since), of_time=True)


KEYS: dict[str, Callable[[RobotsClause], LineCondition | VersionCondition | None]] = {
    "agent": _agent,
    AGENT: _agent,
    "allow": _field,
    "disallow": _field,
    "request-rate": _field,
    "sitemap": _field,
    "crawl-delay": _delay,
    "path": _path,
    "directive": _directive,
    "value": _value,
    "lint": _lint,
    "comment": _comment,
    "site": _text_of_version,
    "collection": _text_of_version,
    "origin": _origin,
    "size": _number,
    "status": _number,
    "date": _date,
    "before": _date,
    "after": _date,
}
_DATES = "a year, a month or a day such as 2026-03-01, or from one to a later one"
_NUMBERS = "a number, one behind >, >=, < or <=, or from one to a larger one such as 5..7"
_MEANT: dict[str, str] = {  # by key: which values have a meaning
    **dict.fromkeys(("date", "before", "after"), _DATES),
    **dict.fromkeys(("size", "status"), _NUMBERS),
    "origin": "an address such as https://a.example",
    "comment": "words",
}


def misread(clause: RobotsClause) -> str:
    """Return why the value of a key is not read as it seems to be meant; "" if it is."""
    key, text, start = clause.key, clause.text, clause.beginning
    if condition_of(clause) is None:
        return f"{clause.typed}, whose value is not {_MEANT[key]}; it is looked for as text"
    if clause.quoted:
        return ""
    if key == "crawl-delay" and start is None and _between("amount", text) is None:
        return f"{clause.typed} as a number, as its value is not {_NUMBERS}; it is compared letter for letter"
    if key == "lint" and not any(name.startswith(start) if start is not None else name == text for name in FINDINGS):
        known = enumerated(sorted(FINDINGS))
        return f"{clause.typed} as a finding of the lint, so no file has it; the findings are {known}"
    if key in {"agent", AGENT} and "*" in text[:-1]:
        return f"{clause.typed} with a star for any letters, as it is that at the end alone"
    return ""
