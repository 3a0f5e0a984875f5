"""What effect did each page control have? Robots metas, X-Robots-Tag and the canonical link, one by one.

All controls are combined, and the most restrictive one wins (robots/page_controls.py). The effect is derived from
stored data. If another control already had the same effect, or nothing here can apply it, the text says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.wording import counted, sentence
from robots.page_controls import UNAVAILABLE_AFTER, date_of
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.tables.journal import JournalEntry
    from reports.why.record import StoredPage, UrlRecord
    from robots import PageControls, Wish

_NOTHING_HERE = {
    "all": "It allows what is allowed anyway.",
    "index": "It allows what is allowed anyway; a noindex would win.",
    "follow": "It allows what is allowed anyway; a nofollow would win.",
    "notranslate": "Breadcrumb translates nothing.",
    "noimageindex": "Breadcrumb shows no pictures; their alternative texts are part of the page.",
    "noodp": "It refers to a directory that no longer exists.",
    "noydir": "It refers to a directory that no longer exists.",
    "noyaca": "It refers to a directory that no longer exists.",
    "nositelinkssearchbox": "Breadcrumb shows no search box of a site.",
    "max-image-preview": "Breadcrumb shows no pictures.",
    "max-video-preview": "Breadcrumb shows no videos.",
    "indexifembedded": "It has no effect here: a noindex holds.",
}


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """A page control, its source, and its effect as a sentence."""

    wish: str
    source: str
    effect: str


def control_effects(found: UrlRecord) -> tuple[ControlEffect, ...]:
    """Return what the controls of the stored page have caused; empty where it has none."""
    page = found.page
    if page is None:
        return ()
    effects = [
        ControlEffect(f"{wish.directive}{f': {wish.value}' if wish.value else ''}", wish.source, effect)
        for wish in page.controls.wishes
        for effect in (" ".join(_effects(wish, found, page)),)
    ]
    if page.canonical:
        effects.append(ControlEffect(f"canonical: {page.canonical}", "its canonical link", _of_canonical(found, page)))
    return tuple(effects)


def _effects(wish: Wish, found: UrlRecord, page: StoredPage) -> Iterator[str]:
    name, controls = wish.directive, page.controls
    if name in _NOTHING_HERE:
        yield _NOTHING_HERE[name]
    if name in {"noindex", "none"}:
        by_this = page.hidden is not None and page.hidden.rule == Rule.NOINDEX
        yield "The page is kept out of the index." if by_this else "It is kept out by another rule."
    if name in {"nofollow", "none"}:
        yield _of_nofollow(found.journal)
    if name in {"noarchive", "nocache"}:
        yield "No copy of the page is shown."
    if name == "nosnippet":
        yield "The results show no text of it."
    if name == "max-snippet":
        yield _of_length(controls, wish.value)
    if name == UNAVAILABLE_AFTER:
        yield _of_date(controls, wish.value)


def _of_nofollow(journal: tuple[JournalEntry, ...]) -> str:
    last = next((entry for entry in reversed(journal) if entry.rule == Rule.NOFOLLOW), None)
    if last is None:
        return "Its links are not followed; it has none."
    return f"{counted(last.count, 'link')} of it {'is' if last.count == 1 else 'are'} not followed."


def _of_length(controls: PageControls, value: str) -> str:
    if controls.snippet is None:
        return "It sets no limit."
    if value.lstrip("0") == str(controls.snippet).lstrip("0"):
        return f"Its snippet has at most {counted(controls.snippet, 'character')}."
    return (
        f"A stricter control applies, or this is invalid: at most {counted(controls.snippet, 'character')} are shown."
    )


def _of_date(controls: PageControls, value: str) -> str:
    date = date_of(value)
    if date is None:
        return "It is not a date, so it has no effect."
    if controls.expires is not None and date > controls.expires:
        return "An earlier date applies."
    ended = date.timestamp() <= time.time()
    day = f"{date:%Y-%m-%d %H:%M} UTC"
    return f"It is no result since {day}." if ended else f"It may be a result until {day}."


def _of_canonical(found: UrlRecord, page: StoredPage) -> str:
    if page.canonical == found.canonical:
        return "It names itself, so it has no effect."
    if any(refusal.rule == Rule.CANONICAL for refusal in page.refusals):
        return "That page is in the index instead of this one."
    about = next((entry for entry in reversed(found.journal) if str(page.canonical)[:200] in entry.reason), None)
    if about is not None and about.rule != Rule.CANONICAL:
        return sentence(f"It has no effect: {about.reason}")
    kept_out = (
        "another rule already keeps the page out" if page.refusals else "the page that it names is not in the index"
    )
    return f"It has no effect: {kept_out}."
