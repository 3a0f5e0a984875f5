"""In which words do two stored pages differ? The main text of one beside that of the other, where both may be shown.

What a page withholds stays withheld: one that says noarchive, nosnippet or max-snippet, and one that is no result for
another reason than that it is a copy, is not laid open here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from crawldb.pages.pages import Pages
from pages.content.similarity import resemblance
from reports.why.text_difference import WordDifference, word_difference
from reports.wording import sentence
from urls.canonical import UnusableUrl, canonicalize
from urls.records import reason_hidden
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.databases import Parts
    from urls.records import Page

_COPIES = frozenset({Rule.DUPLICATE, Rule.CANONICAL})  # pages that are left out because another one says the same


@dataclass(frozen=True, slots=True)
class PageDifference:
    """Two pages by their canonical URLs: how they differ, or `reason`, why that is not told, as a sentence.

    `resemblance` is the share of word groups that both have of those that either has, 0 to 1.
    """

    first: str
    second: str
    difference: WordDifference | None = None
    resemblance: float | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


def page_difference(parts: Parts, first: str, second: str) -> PageDifference:
    """Compare two pages, however their URLs are spelt. Raises DatabaseError where a part can't be read."""
    names, texts = [], []
    for url in (first, second):
        try:
            canonical = canonicalize(url)
        except UnusableUrl as error:
            return PageDifference(first, second, reason=sentence(f"{url[:200]}: {error.refusal.reason}"))
        page = Pages(parts.home(canonical)).get(canonical)
        names.append(canonical)
        texts.append("no page of it is stored" if page is None else page)
    for name, found in zip(names, texts, strict=True):
        reason = found if isinstance(found, str) else _withheld(found)
        if reason:
            return PageDifference(
                names[0], names[1], reason=sentence(f"{name} can't be shown beside another: {reason}")
            )
    one, other = (_shown(page) for page in texts if not isinstance(page, str))
    return PageDifference(names[0], names[1], word_difference(one, other), resemblance(one, other))


def _withheld(page: Page) -> str:
    if not page.controls.archive:
        return "it says noarchive, and its owner wants no copy of it to be shown"
    if page.controls.snippet is not None:
        return "it limits how much of its text may be shown"
    hidden = reason_hidden(page.refusals, page.controls, datetime.now(UTC))
    return "" if hidden is None or hidden.rule in _COPIES else f"it is no result ({hidden.rule}): {hidden.reason}"


def _shown(page: Page) -> str:
    return page.text if page.snippet_text is None else page.snippet_text
