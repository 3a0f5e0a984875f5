"""In which languages is a page found? In its own, and in any other that much of its text is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urls.records import Page

MUCH = 0.3  # of a page's text: in what language that is, in that language it is found too


def page_languages(page: Page) -> tuple[str, ...]:
    """Return the languages of a page as ISO 639-1, without regions, its own first: "" where that is not known."""
    own = page.language.replace("_", "-").partition("-")[0].strip().lower()
    return tuple(dict.fromkeys((own, *(language for language, share in page.languages if share >= MUCH))))
