"""How does a file that is no markup become a page? Its reader extracts the text, and the page gets it.

Readers are extensions (`document_readers` in extension_points/). Parsers of such files are large, written in C, and
their input is untrusted: so a reader isolates them. Nothing here starts a process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from extension_points import call_extensions
from pages import language
from pages.html_document import MAX_TITLE_CHARS
from pages.http_headers import DOCUMENT_TYPE_OF
from pages.links import Anchor, BaseUrl, collect_links
from pages.metadata import has_ink
from pages.structured_data import FIRST_DATE, TOLERANCE
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urls.records import Page

METADATA = "the metadata of its file"  # says when it was made


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The content of a file. Dates are in seconds since the epoch; `fault` says why there is nothing else."""

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


class DocumentReader(Protocol):
    """Reads files of some types that are no markup. Its `repr` names what its reading depends on, such as limits."""

    @property
    def types(self) -> Mapping[str, str]:
        """The media type by file extension: {"pdf": "application/pdf"}."""

    @property
    def off(self) -> str:
        """Why it reads no file at present, such as "DOCUMENT_PAGES is 0"; "": it does."""

    def read(self, body: bytes, content_type: str) -> DocumentText:
        """Read a file of one of its types; it never raises, whatever the bytes. Called by one thread at a time."""

    def close(self) -> None:
        """Stop everything that reading started. A second call does nothing."""


@dataclass(frozen=True, slots=True)
class DocumentReaders:
    """Readers of files that are no markup, at most one a type: the first that names it."""

    readers: tuple[DocumentReader, ...] = ()

    @classmethod
    def installed(cls, settings: object) -> DocumentReaders:
        """Return those of all extensions. Raises SettingError where one of their settings can't be used."""
        return cls(tuple(call_extensions("document_readers", settings=settings)))

    def of(self, content_type: str) -> DocumentReader | None:
        """Return the reader of a type, None where there is none."""
        return next((reader for reader in self.readers if content_type in reader.types.values()), None)

    @property
    def unread_extensions(self) -> frozenset[str]:
        """The extensions of documents that no reader reads now: only their headers are requested."""
        read = {ending for reader in self.readers if not reader.off for ending in reader.types}
        return frozenset(DOCUMENT_TYPE_OF.keys() - read)

    def close(self) -> None:
        """Close all readers."""
        for reader in self.readers:
            reader.close()


def _believed(at: float | None, fetched_at: float) -> float | None:
    """Return a date that can be true: not before the web, and not after the file was fetched (0: not known)."""
    return at if at is not None and FIRST_DATE <= at <= (fetched_at or at) + TOLERANCE else None


def page_of_document(page: Page, readers: DocumentReaders | None) -> Page:
    """Return a page of one of DOCUMENT_TYPES with what its file says. Rules: document, where it can't be read; type."""
    reader = readers.of(page.content_type) if readers else None
    if reader is None:
        return replace(page, refusals=(Refusal(Rule.TYPE, f"{page.content_type}: no reader of documents was given"),))
    if reader.off:
        return replace(page, refusals=(Refusal(Rule.TYPE, f"{page.content_type}: {reader.off}"),))
    said = reader.read(page.body, page.content_type)
    if said.fault:
        return replace(page, refusals=(Refusal(Rule.DOCUMENT, said.fault),))
    anchors = [Anchor(address, words) for address, words in said.links]
    collected = collect_links(anchors, BaseUrl.of(page.url), follow=page.controls.follow)
    text = "\n".join(said.lines)
    title = next(filter(has_ink, (said.title, *said.headings, *said.lines)), "")
    return replace(
        page,
        title=title[:MAX_TITLE_CHARS],
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
