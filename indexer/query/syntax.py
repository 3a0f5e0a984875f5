"""Of which clauses is a question made? Words, phrases, operators with a value, alternatives, groups; never an error.

    rust compiler            two words
    "borrow checker"         a phrase; quotes of any shape
    -gcc  -"C++ 98"          without; but -Fc, where pages name an option so, is a word
    rust OR go               either of two neighbours; only in capitals, only between two clauses
    (rust OR go) compiler    a group; only after a blank, so that f(x) is text
    site:doc.example.com     an operator with a value, as are lang: intitle: inurl: filetype: before: after:
    compil*                  the words that begin so

Whatever has no meaning here is text: a quote that does not close, `AND`, `/regex/`, `filtype:pdf`, `before:lunch`.
The text is bounded, and groups nest MAX_DEPTH deep; parentheses inside them are text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict

from indexer.segments.schema import ADDED_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?\Z", re.ASCII)


def date_range(text: str) -> tuple[datetime, datetime] | None:
    """Return the first moment of what a date names and the first one after it, in UTC; None for what is no date."""
    found = _DATE.match(text)
    if not found:
        return None
    year, month, day = (int(found[name] or 0) for name in ("year", "month", "day"))
    try:
        begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if day:
            return begin, begin + timedelta(days=1)
        if month:
            return begin, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
        return begin, datetime(year + 1, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None  # the 31st of February, and the year after 9999


MAX_QUERY_CHARS = 2_000  # what is beyond is not read: a long abstract fits
MAX_DEPTH = 10  # groups in one another: nobody means more
MIN_PREFIX_CHARS = 2  # letters before a `*`: one letter begins a third of a dictionary
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")  # controls, and halves of characters
_QUOTES = str.maketrans(dict.fromkeys("“”„‟", '"'))


def clause_pattern(operator: str) -> re.Pattern[str]:
    """Return what finds clauses; `operator` matches one with its value, in the groups `key` and `value`."""
    return re.compile(
        rf"""(?P<minus>(?<![^\s(])-(?=["\w(]))?
            (?: (?P<open>(?<![^\s(\-])\() | (?P<close>\))
              | {operator} | "(?P<phrase>[^"]*)" | (?P<words>[^\s"()]+) | [("] )""",
        re.VERBOSE | re.IGNORECASE,
    )


OPERATORS = ("site", "lang", "intitle", "inurl", "filetype", "before", "after", *map(str, ADDED_FIELDS))
_CLAUSE = clause_pattern(rf"""(?P<key>{"|".join(OPERATORS)}):(?P<value>"[^"]+"|[^\s"()]+)""")
_BEGINNING = re.compile(rf"[^\W_]\w{{{MIN_PREFIX_CHARS - 1},}}\*\Z")


class ClauseKind(StrEnum):
    """What a clause asks for; the value of an operator is its name. A field of an extension is an operator, too."""

    _ignore_ = ["members", "added"]  # noqa: RUF012 - the enumeration reads it and drops it

    WORDS = "words"
    PHRASE = "phrase"
    BEGINNING = "beginning"
    SITE = "site"
    LANGUAGE = "lang"
    TITLE = "intitle"
    ADDRESS = "inurl"
    FILE_TYPE = "filetype"
    BEFORE = "before"
    AFTER = "after"
    FIELD = "field"  # of a document that an extension searches
    ALL = "all"  # of its parts: a group
    ANY = "any"  # of its parts: alternatives
    members = vars()
    for added in ADDED_FIELDS:
        members[added.name] = added.value


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a question; `minus` asks for pages without it."""

    kind: ClauseKind
    text: str = ""
    minus: bool = False
    parts: tuple[Clause, ...] = ()
    option: bool = False  # a word that looked like an exclusion

    def leaves(self) -> Iterator[Clause]:
        """Yield the clauses of which this one is made, and which have no parts of their own."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


OR = Clause(ClauseKind.WORDS, "OR")  # between two clauses


class _Level:
    """What stands between two parentheses; as text where these are no group."""

    def __init__(self, *, minus: bool = False, is_group: bool = True) -> None:
        self.minus, self.is_group = minus, is_group
        self.clauses: list[Clause] = []


def clean_query(text: str) -> str:
    """Return what is read of a question as it was typed."""
    return " ".join(_UNREADABLE.sub(" ", text[:MAX_QUERY_CHARS]).split())


def parse_clauses(text: str, is_known: Callable[[str], bool]) -> tuple[Clause, ...]:
    """Read a question; `is_known` tells whether a word, such as `-fc`, stands in the index."""
    return parse_clauses_by(_CLAUSE, text, lambda found, minus: _clause(found, is_known, minus=minus))


def parse_clauses_by(
    pattern: re.Pattern[str], text: str, leaf: Callable[[re.Match[str], bool], Clause | None]
) -> tuple[Clause, ...]:
    """Read a question by a pattern of `clause_pattern`; `leaf` makes a clause of what is no parenthesis."""
    levels = [_Level()]
    for found in pattern.finditer(text.translate(_QUOTES)):
        minus = bool(found["minus"])
        if found["open"]:
            depth = sum(level.is_group for level in levels)
            levels.append(_Level(minus=minus, is_group=depth <= MAX_DEPTH))
        elif found[0] == "(":
            levels.append(_Level(is_group=False))
        elif found["close"]:
            _close(levels)
        elif (clause := leaf(found, minus)) is not None:
            _group(levels).clauses.append(clause)
    while len(levels) > 1:
        _close(levels)
    return _with_alternatives(levels[0].clauses)


def _group(levels: list[_Level]) -> _Level:
    return next(level for level in reversed(levels) if level.is_group)


def _close(levels: list[_Level]) -> None:
    if len(levels) == 1:
        return  # one that was never opened is text
    level = levels.pop()
    parts = _with_alternatives(level.clauses)
    if not parts:
        return
    if len(parts) == 1 and not (level.minus and parts[0].minus):
        _group(levels).clauses.append(replace(parts[0], minus=True) if level.minus else parts[0])
    else:
        _group(levels).clauses.append(Clause(ClauseKind.ALL, minus=level.minus, parts=parts))


def _with_alternatives(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Join the neighbours of each OR; one without a neighbour on both sides is a word."""
    made: list[Clause] = []
    joins = False
    for place, clause in enumerate(clauses):
        if clause is OR and made and not joins and place + 1 < len(clauses):
            joins = True
            continue
        if joins and made[-1].kind is ClauseKind.ANY:
            made[-1] = replace(made[-1], parts=(*made[-1].parts, clause))
        elif joins:
            made[-1] = Clause(ClauseKind.ANY, parts=(made[-1], clause))
        else:
            made.append(clause)
        joins = False
    return tuple(made)


def _clause(found: re.Match[str], is_known: Callable[[str], bool], *, minus: bool) -> Clause | None:
    if found["phrase"] is not None:
        return Clause(ClauseKind.PHRASE, found["phrase"], minus)
    if found["key"]:
        return _operator(found["key"], found["value"].strip('" '), minus=minus)
    return _word(found["words"], is_known, minus=minus) if found["words"] else None  # a quote that does not close


def _operator(key: str, value: str, *, minus: bool) -> Clause:
    kind = ClauseKind(key.lower())
    is_date = kind in {ClauseKind.BEFORE, ClauseKind.AFTER}
    if value and (not is_date or date_range(value)):
        return Clause(kind, value, minus)
    return Clause(ClauseKind.WORDS, f"{key} {value}")


def _word(word: str, is_known: Callable[[str], bool], *, minus: bool) -> Clause:
    if word == "OR" and not minus:
        return OR
    if minus and is_known(f"-{word}"):
        return Clause(ClauseKind.WORDS, f"-{word}", option=True)
    if _BEGINNING.match(word):
        return Clause(ClauseKind.BEGINNING, word[:-1].lower(), minus)
    return Clause(ClauseKind.WORDS, word, minus)


YEARS = range(1000, 9999)  # that can be asked for: of four digits, with a year before and one after


class SearchFilters(TypedDict, total=False):
    """What a page must be. Empty or 0: anything."""

    site: str  # host, with its port
    language: str  # of two or three letters
    file_type: str  # "pdf"
    year: int  # in which it was published, else changed, else fetched


def filter_clauses(asked: SearchFilters) -> list[Clause]:
    """Return what a question would say of it."""
    told = {
        ClauseKind.SITE: asked.get("site", ""),
        ClauseKind.LANGUAGE: asked.get("language", ""),
        ClauseKind.FILE_TYPE: asked.get("file_type", ""),
    }
    if (year := asked.get("year", 0)) in YEARS:
        told |= {ClauseKind.AFTER: str(year - 1), ClauseKind.BEFORE: str(year + 1)}
    return [Clause(kind, value) for kind, value in told.items() if value]
