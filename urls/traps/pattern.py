"""Which URLs may one program have made? Those that differ only in numbers, tokens, or the values of their query.

A counter writes numbers, a calendar dates, a session a token into the path or behind a semicolon, a filter values. The
pattern is the URL without these. Its budget stops traps that no rule on a single URL can detect. Numbers count if they
are a whole path part, alone (`17`) or as a date (`2026-11-21`), if they follow a semicolon, or in a path with a query.
`/news-17.html` has none, because people name pages so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urls.records import CanonicalUrl

SEVERAL = "{several}"  # stands for names that were put together: a filter makes any choice of them a path
TOKEN = "{token}"  # noqa: S105 - stands in a pattern for a session's or a hash's letters
ALL = "*"
BELOW = "**"
_NUMBER = re.compile(r"[0-9]+")
NUMBERS = re.compile(r"[0-9]+(?:-[0-9]+)*\Z")  # a whole part of a path
# A hash, a shorter one where letters and digits are mixed, a UUID, letters and digits in a heap, a session as ASP.NET
# writes it into a path; and what a session, or a program's state, puts behind a semicolon.
TOKENS = re.compile(
    r"(?:[0-9a-f]{16,}|(?=(?:[a-f]*[0-9]){2})(?=[0-9]*[a-f])[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=(?:[A-Za-z]*[0-9]){4})[A-Za-z0-9]{20,}|\([A-Z]\([a-z0-9]{8,}\)\))\Z",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[^+]+(?:[+][^+]+)+\Z")
_SESSION = re.compile(r"(;[a-z]*(?:sess|sid)[a-z]*=)[^/;]*", re.IGNORECASE)
_COUNTED = re.compile(r"(;[^=/;]+=)-?[0-9]+(?![^/;])")


class PatternKind(IntEnum):
    """The common part of the URLs of a pattern, as in the column `pattern.kind`."""

    NUMBERED = 0  # they differ only in numbers, tokens or values
    PROGRAM = 1  # all that one program answers: whatever the parameters, or whatever comes after the token
    FOLDER = 2  # they lie in one folder, and nothing counts in them


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern within a site, by the name under which it is shown and released."""

    name: str
    kind: PatternKind

    @property
    def is_tree(self) -> bool:
        """Whether it holds what lies below a folder, however deep."""
        return self.name.endswith(f"/{BELOW}")

    def is_made_by(self, url: CanonicalUrl) -> bool:
        """Return whether `url` is the program itself, whose parameters make the pattern."""
        path, mark, _ = self.name.partition("?")
        return bool(mark) and path == path_and_query(url)[0]


def patterns_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return the patterns to which `url` belongs, the narrowest first: numbers and program, or its folder."""
    own = pattern_of(url)
    if own is None:
        path = path_and_query(url)[0]
        return (Pattern(path[: path.rindex("/") + 1] + ALL, PatternKind.FOLDER),)
    numbered = Pattern(own, PatternKind.NUMBERED)
    before, token, _ = own.partition(TOKEN)
    if token:
        return numbered, Pattern(f"{before}{token}/{ALL}", PatternKind.PROGRAM)
    path, mark, _ = own.partition("?")
    return (numbered, Pattern(f"{path}?{ALL}", PatternKind.PROGRAM)) if mark else (numbered,)


def trees_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return the trees that a page lies in: that of its first folder, and the whole site's."""
    path = path_and_query(url)[0]
    first = path[: path.find("/", 1) + 1]
    site = Pattern(f"/{BELOW}", PatternKind.FOLDER)
    return (Pattern(f"{first}{BELOW}", PatternKind.FOLDER), site) if first else (site,)


def views_of(url: CanonicalUrl) -> Pattern | None:
    """Return what a page with a query shares with all pages of its site whose queries have the same names."""
    query = path_and_query(url)[2]
    return Pattern(f"/{BELOW}?{_names(query)}", PatternKind.PROGRAM) if query else None


def all_patterns_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return every pattern to which `url` belongs: its own, its trees and its views."""
    views = views_of(url)
    return (*patterns_of(url), *trees_of(url), *((views,) if views else ()))


def pattern_of(url: CanonicalUrl) -> str | None:
    """Return what `url` has in common with the pages that a counter would invent, or None if nothing counts in it.

    `/2026/07/?view=day&tz=utc` and `/2027/11/?tz=cet&view=week` share `/#/#/?tz&view`.
    """
    path, mark, query = path_and_query(url)
    parts = [_folded_part(part) for part in path.split("/")]
    folded = "/".join(parts)
    if not mark:
        return None if folded == path else folded
    return f"{_NUMBER.sub('#', folded)}?{_names(query)}"


def _names(query: str) -> str:
    # A key alone (`?4711`) counts like a value: gateways put their state there.
    return "&".join(sorted({_NUMBER.sub("#", key) for key in (pair.partition("=")[0] for pair in query.split("&"))}))


def path_and_query(url: CanonicalUrl) -> tuple[str, str, str]:
    """Return the path, "?" where there is a query, and the query of a canonical URL."""
    return url[url.index("/", url.index("//") + 2) :].partition("?")


def _folded_part(part: str) -> str:
    name, semicolon, state = part.partition(";")
    if semicolon:
        return _folded_part(name) + _COUNTED.sub(r"\1#", _SESSION.sub(rf"\1{TOKEN}", f";{state}"))
    if NUMBERS.match(part):
        return "#"
    if TOKENS.match(part):
        return TOKEN
    return SEVERAL if _SEVERAL.match(part) else part
