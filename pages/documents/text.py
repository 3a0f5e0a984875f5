"""How does a file that is no markup become a page? Its reader takes out what it says, and the page gets it.

The parsers of such files are large and written in C, and their input is a stranger's: so a caller gives a reader that
keeps them apart. The one of a crawl runs them in a process of its own (spiders/documents/).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from pages import language
from pages.fields.dates import FIRST_DATE, TOLERANCE
from pages.links import outlinks
from pages.links.outlinks import Anchor
from pages.links.reference import BaseUrl
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from urls.records import Page

METADATA = "the metadata of its file"  # says when it was made


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What one file may cost: pages of a PDF (0: no document is read), seconds, and memory of the worker."""

    pages: int = 1000
    seconds: float = 20.0
    megabytes: int = 512


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What a file says. Dates are in seconds since the epoch; `fault` says why there is nothing else."""

    title: str = ""
    lines: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # address, words
    language: str = ""
    published: float | None = None
    modified: float | None = None
    pages: int = 0
    warnings: tuple[str, ...] = ()
    fault: str = ""


class ReadsDocuments(Protocol):
    """What reads files of DOCUMENT_TYPES within limits."""

    limits: DocumentLimits

    def read(self, body: bytes, content_type: str) -> DocumentText:
        """Read a file of one of DOCUMENT_TYPES; it never raises, whatever the bytes."""


def _believed(at: float | None, fetched_at: float) -> float | None:
    """Return a date that can be true: not before the web, and not after the file was fetched (0: not known)."""
    return at if at is not None and FIRST_DATE <= at <= (fetched_at or at) + TOLERANCE else None


def page_of_document(page: Page, reader: ReadsDocuments | None) -> Page:
    """Return a page of one of DOCUMENT_TYPES with what its file says. Rules: document, where it can't be read; type."""
    if reader is None:
        return replace(page, refusals=(Refusal(Rule.TYPE, f"{page.content_type}: no reader of documents was given"),))
    if not reader.limits.pages:
        return replace(page, refusals=(Refusal(Rule.TYPE, f"{page.content_type}: DOCUMENT_PAGES is 0"),))
    said = reader.read(page.body, page.content_type)
    if said.fault:
        return replace(page, refusals=(Refusal(Rule.DOCUMENT, said.fault),))
    anchors = [Anchor(address, words) for address, words in said.links]
    collected = outlinks.collect(anchors, BaseUrl.of(page.url), follow=page.controls.follow)
    text = "\n".join(said.lines)
    return replace(
        page,
        title=said.title,
        text=text,
        headings=said.headings,
        language=language.identify(text, declared=said.language),
        published=_believed(said.published, page.fetched_at),
        published_by=METADATA,
        modified=_believed(said.modified, page.fetched_at),
        modified_by=METADATA,
        links=collected.links,
        links_cut=collected.cut,
        warnings=(*page.warnings, *said.warnings, *collected.warnings),
    )
