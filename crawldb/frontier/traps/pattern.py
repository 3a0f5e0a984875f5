"""Which URLs may one program have made? Those that differ only in numbers, tokens, or the values of their query.

A counter writes numbers, a session writes a token into the path or behind a semicolon, a filter writes values. What is
left when these are taken out is the pattern, and a budget for it ends what no rule on a single URL can see. Numbers
count where they are a whole path part or stand beside a query: `/news-17.html` has none, because people name pages so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

TOKEN = "{token}"  # noqa: S105 - stands in a pattern for a session's or a hash's letters
ALL = "*"
_NUMBER = re.compile(r"[0-9]+")
# A hash, a UUID, or letters and digits in a heap; and what a session puts behind a semicolon.
_TOKEN = re.compile(
    r"(?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=(?:[A-Za-z]*[0-9]){4})[A-Za-z0-9]{20,})\Z",
    re.IGNORECASE,
)
_SESSION = re.compile(r"(;[a-z]*(?:sess|sid)[a-z]*=)[^/;]*", re.IGNORECASE)


class PatternKind(IntEnum):
    """How a pattern holds its URLs together, as the column `pattern.kind` has it."""

    NUMBERED = 0  # they differ only in numbers, tokens or values
    PROGRAM = 1  # all that one program answers: whatever the parameters, or whatever comes after the token
    FOLDER = 2  # they lie in one folder, and nothing counts in them


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern within a site, by the name under which it is shown and released."""

    name: str
    kind: PatternKind

    def is_made_by(self, url: CanonicalUrl) -> bool:
        """Return whether `url` is the program itself, whose parameters make the pattern."""
        path, mark, _ = self.name.partition("?")
        return bool(mark) and path == _path_and_query(url)[0]


def patterns_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return the patterns that `url` is of, the narrowest first: a numbered one and its program's, or its folder."""
    own = pattern_of(url)
    if own is None:
        path = _path_and_query(url)[0]
        return (Pattern(path[: path.rindex("/") + 1] + ALL, PatternKind.FOLDER),)
    numbered = Pattern(own, PatternKind.NUMBERED)
    before, token, _ = own.partition(TOKEN)
    if token:
        return numbered, Pattern(f"{before}{token}/{ALL}", PatternKind.PROGRAM)
    path, mark, _ = own.partition("?")
    return (numbered, Pattern(f"{path}?{ALL}", PatternKind.PROGRAM)) if mark else (numbered,)


def pattern_of(url: CanonicalUrl) -> str | None:
    """Return what `url` has in common with the pages that a counter would invent, or None if nothing counts in it.

    `/2026/07/?view=day&tz=utc` and `/2027/11/?tz=cet&view=week` share `/#/#/?tz&view`.
    """
    path, mark, query = _path_and_query(url)
    parts = [_folded(part) for part in path.split("/")]
    folded = "/".join(parts)
    if not mark:
        return None if folded == path else folded
    # A key alone (`?4711`) counts like a value: gateways put their state there.
    names = sorted({_NUMBER.sub("#", key) for key in (pair.partition("=")[0] for pair in query.split("&"))})
    return f"{_NUMBER.sub('#', folded)}?{'&'.join(names)}"


def _path_and_query(url: CanonicalUrl) -> tuple[str, str, str]:
    return url[url.index("/", url.index("//") + 2) :].partition("?")


def _folded(part: str) -> str:
    if part.isdecimal():
        return "#"
    if _TOKEN.match(part):
        return TOKEN
    return _SESSION.sub(rf"\1{TOKEN}", part) if ";" in part else part
