r"""How is a query written? Words, phrases, operators with a value, alternatives and groups become clauses.

    rust compiler            two words
    "borrow checker"         a phrase, in quotes of any shape
    -gcc  -"C++ 98"          an exclusion; but -Fc is a word if pages have it as an option
    rust OR go               either of two neighbours; OR in capitals, between two clauses; not in A WHOLE SENTENCE
    (rust OR go) compiler    a group; only after a blank, so that f(x) is text
    site:doc.example.com     an operator with a value; also lang: intitle: inurl: filetype: before: after:
    compil*                  the words with this prefix

Parsing never fails: anything else is text, such as a quote that does not close, `AND`, `/regex/`, `filtype:pdf` or
`before:lunch`. The text is bounded. Groups nest MAX_DEPTH deep, and deeper parentheses are text.
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
YEARS = range(1000, 9999)  # for the filter `year`: of four digits, with a year before and one after
MAX_QUERY_CHARS = 2_000  # the rest is ignored: a long abstract fits
MAX_DEPTH = 10  # nested groups: nobody means more
SHOUTED_CLAUSES = 6  # all in capitals: a sentence, not a list of acronyms such as JSON OR XML OR CSV, which is one
MIN_PREFIX_CHARS = 2  # before a `*`: one letter begins a third of a dictionary
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")  # and lone surrogates
_QUOTES = str.maketrans(dict.fromkeys("“”„‟", '"'))


def clause_pattern(operator: str) -> re.Pattern[str]:
    """Return a pattern that finds clauses; `operator` matches one with its value, in the groups `key` and `value`."""
    return re.compile(
        rf"""(?P<minus>(?<![^\s(])-(?=["\w(]))?
            (?: (?P<open>(?<![^\s(\-])\() | (?P<close>\))
              | {operator} | "(?P<phrase>[^"]*)" | (?P<words>[^\s"()]+) | [("] )""",
        re.VERBOSE | re.IGNORECASE,
    )


OPERATORS = ("site", "lang", "intitle", "inurl", "filetype", "before", "after", *map(str, ADDED_FIELDS))
_CLAUSE = clause_pattern(rf"""(?P<key>{"|".join(OPERATORS)}):(?P<value>"[^"]+"|[^\s"()]+)""")
_PREFIX = re.compile(rf"[^\W_]\w{{{MIN_PREFIX_CHARS - 1},}}\*\Z")


class ClauseKind(StrEnum):
    """The kind of a clause; that of an operator has its name. A field of an extension is an operator too."""

    _ignore_ = ["members", "added"]  # noqa: RUF012 - the enumeration reads it and drops it

    WORDS = "words"
    PHRASE = "phrase"
    PREFIX = "prefix"
    SITE = "site"
    LANGUAGE = "lang"
    TITLE = "intitle"
    URL = "inurl"
    FILE_TYPE = "filetype"
    BEFORE = "before"
    AFTER = "after"
    FIELD = "field"  # of documents that an extension searches
    ALL = "all"  # its parts: a group
    ANY = "any"  # of its parts: alternatives
    members = vars()
    for added in ADDED_FIELDS:
        members[added.name] = added.value


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a query; `excluded` asks for pages without it."""

    kind: ClauseKind
    text: str = ""
    excluded: bool = False
    parts: tuple[Clause, ...] = ()
    is_option: bool = False  # a word with a dash, such as -Fc, that looked like an exclusion

    def leaves(self) -> Iterator[Clause]:
        """Yield the clauses without parts of which this one is made."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


OR = Clause(ClauseKind.WORDS, "OR")


class _Level:
    """The clauses between two parentheses. If these are no group, the clauses belong to the level around."""

    def __init__(self, *, excluded: bool = False, is_group: bool = True) -> None:
        self.excluded, self.is_group = excluded, is_group
        self.clauses: list[Clause] = []


def clean_query(text: str) -> str:
    """Return the part of a typed query that is parsed, without control characters."""
    return " ".join(_CONTROLS.sub(" ", text[:MAX_QUERY_CHARS]).split())


def parse_clauses(text: str, is_known: Callable[[str], bool]) -> tuple[Clause, ...]:
    """Parse a query; `is_known` returns whether the index has a word, such as `-fc`."""
    words = text.split()
    if text.isupper() and len(words) - 2 * words.count("OR") >= SHOUTED_CLAUSES:
        text = text.lower()  # OR is a word in it
    return parse_clauses_by(_CLAUSE, text, lambda found, excluded: _clause(found, is_known, excluded=excluded))


def parse_clauses_by(
    pattern: re.Pattern[str], text: str, leaf: Callable[[re.Match[str], bool], Clause | None]
) -> tuple[Clause, ...]:
    """Parse a query by a pattern of `clause_pattern`; `leaf` makes the clauses that are no groups."""
    levels = [_Level()]
    for found in pattern.finditer(text.translate(_QUOTES)):
        excluded = bool(found["minus"])
        if found["open"]:
            depth = sum(level.is_group for level in levels)
            levels.append(_Level(excluded=excluded, is_group=depth <= MAX_DEPTH))
        elif found[0] == "(":
            levels.append(_Level(is_group=False))
        elif found["close"]:
            _close(levels)
        elif (clause := leaf(found, excluded)) is not None:
            _group(levels).clauses.append(clause)
    while len(levels) > 1:
        _close(levels)
    return _with_alternatives(levels[0].clauses)


def _group(levels: list[_Level]) -> _Level:
    return next(level for level in reversed(levels) if level.is_group)


def _close(levels: list[_Level]) -> None:
    if len(levels) == 1:
        return  # a parenthesis that closes nothing is text
    level = levels.pop()
    parts = _with_alternatives(level.clauses)
    if not parts:
        return
    if len(parts) == 1 and not (level.excluded and parts[0].excluded):
        _group(levels).clauses.append(replace(parts[0], excluded=True) if level.excluded else parts[0])
    else:
        _group(levels).clauses.append(Clause(ClauseKind.ALL, excluded=level.excluded, parts=parts))


def _with_alternatives(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Join the neighbours of each OR; an OR without a neighbour on both sides is a word."""
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


def _clause(found: re.Match[str], is_known: Callable[[str], bool], *, excluded: bool) -> Clause | None:
    if found["phrase"] is not None:
        return Clause(ClauseKind.PHRASE, found["phrase"], excluded)
    if found["key"]:
        return _operator(found["key"], found["value"].strip('" '), excluded=excluded)
    return _word(found["words"], is_known, excluded=excluded) if found["words"] else None  # a quote that does not close


def _operator(key: str, value: str, *, excluded: bool) -> Clause:
    kind = ClauseKind(key.lower())
    is_date = kind in {ClauseKind.BEFORE, ClauseKind.AFTER}
    if value and (not is_date or date_range(value)):
        return Clause(kind, value, excluded)
    return Clause(ClauseKind.WORDS, f"{key} {value}")


def _word(word: str, is_known: Callable[[str], bool], *, excluded: bool) -> Clause:
    if word == "OR" and not excluded:
        return OR
    if excluded and is_known(f"-{word}"):
        return Clause(ClauseKind.WORDS, f"-{word}", is_option=True)
    if _PREFIX.match(word):
        return Clause(ClauseKind.PREFIX, word[:-1].lower(), excluded)
    return Clause(ClauseKind.WORDS, word, excluded)


def date_range(text: str) -> tuple[datetime, datetime] | None:
    """Return the start of a year, month or day in ISO 8601, and its exclusive end, in UTC; None for another text."""
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


class SearchFilters(TypedDict, total=False):
    """Filters next to a query, set by a click on a site, a language, a type or a year. Empty or 0: no filter.

    They work as operators do, and both must hold: `site:bakery` with `site="a.bakery"` finds pages of both.
    """

    site: str  # host, with its port
    language: str  # of two or three letters
    file_type: str  # "pdf"
    year: int  # in which the page was published, else changed, else fetched


def filter_clauses(filters: SearchFilters) -> list[Clause]:
    """Return the clauses that have the same effect."""
    values = {
        ClauseKind.SITE: filters.get("site", ""),
        ClauseKind.LANGUAGE: filters.get("language", ""),
        ClauseKind.FILE_TYPE: filters.get("file_type", ""),
    }
    if (year := filters.get("year", 0)) in YEARS:
        values |= {ClauseKind.AFTER: str(year - 1), ClauseKind.BEFORE: str(year + 1)}
    return [Clause(kind, value) for kind, value in values.items() if value]
