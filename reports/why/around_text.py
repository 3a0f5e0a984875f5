"""Which lines of a page were not taken for its main text, and why? Its own signs, or what its site repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.learnt.site_templates import SiteTemplates
from pages.text.layout import REPEATED, SIGNED, text_lines
from reports.wording import Row, counted
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from urls.records import Page

FIRST_LINES = 5  # of each rule that are told
LINE_SHOWN = 60  # characters of each


@dataclass(frozen=True, slots=True)
class AroundText:
    """How many lines of a page are its template by each rule, and the first of them."""

    signed: int = 0
    signed_first: tuple[str, ...] = ()
    repeated: int = 0
    repeated_first: tuple[str, ...] = ()
    learnt_from: int = 0  # pages of its site that taught what repeats there


def around_text(database: CrawlDatabase, page: Page) -> AroundText:
    """Return what stands around the main text of a stored page."""
    text = text_lines(page)
    by_site = frozenset(REPEATED.values())
    signed = [line for line, kind in zip(text.lines, text.kinds, strict=True) if kind in SIGNED]
    repeated = [line for line, kind in zip(text.lines, text.kinds, strict=True) if kind in by_site]
    learnt_from = SiteTemplates(database).of(site_of(page.url)).learnt_from if repeated else 0
    first, second = (tuple(line[:LINE_SHOWN] for line in lines[:FIRST_LINES]) for lines in (signed, repeated))
    return AroundText(len(signed), first, len(repeated), second, learnt_from)


def template_rows(around: AroundText) -> Iterator[Row]:
    """Yield a row for each rule by which lines were taken out of the main text."""
    if around.signed:
        lines = counted(around.signed, "line")
        why = "by its markup, its links or its place"
        yield Row(
            "read",
            f"Taken for a template, not for main text, {why}: {lines}, {_shown(around.signed, around.signed_first)}.",
        )
    if around.repeated:
        lines = counted(around.repeated, "line")
        why = f"as other pages of its site have the same (learnt from {counted(around.learnt_from, 'page')} of it)"
        yield Row(
            "read", f"Taken for a template, too, {why}: {lines}, {_shown(around.repeated, around.repeated_first)}."
        )


def _shown(count: int, first: tuple[str, ...]) -> str:
    told = ", ".join(f"“{line}”" for line in first)
    return f"{told}, …" if count > len(first) else told
