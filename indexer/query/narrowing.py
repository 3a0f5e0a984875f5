"""To which pages is a question narrowed beside its words? By a click on a site, a language, a type or a year.

It is the same as an operator in the question, and holds beside those: `site:bakery` with `site="a.bakery"` asks for the
pages of both.
"""

from __future__ import annotations

from typing import TypedDict

from indexer.query.clauses import Clause, ClauseKind

YEARS = range(1000, 9999)  # that can be asked for: of four digits, with a year before and one after


class Narrowing(TypedDict, total=False):
    """What a page must be. Empty or 0: anything."""

    site: str  # host, with its port
    language: str  # of two or three letters
    file_type: str  # "pdf"
    year: int  # in which it was published, else changed, else fetched


def narrowing_clauses(asked: Narrowing) -> list[Clause]:
    """Return what a question would say of it."""
    told = {
        ClauseKind.SITE: asked.get("site", ""),
        ClauseKind.LANGUAGE: asked.get("language", ""),
        ClauseKind.FILE_TYPE: asked.get("file_type", ""),
    }
    if (year := asked.get("year", 0)) in YEARS:
        told |= {ClauseKind.AFTER: str(year - 1), ClauseKind.BEFORE: str(year + 1)}
    return [Clause(kind, value) for kind, value in told.items() if value]
