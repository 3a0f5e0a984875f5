"""Which parts of a page does the index get? The texts of each field, and the record that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from indexer.analysis.readings import readings_of
from indexer.analysis.tokenizer import MAX_INDEXED_CHARS
from indexer.segments.schema import ADDED_FIELDS, MAX_STORED_CHARS, IndexField, StoredFields
from pages.http_headers import DOCUMENT_TYPE_OF
from pages.text.layout import text_lines
from urls.canonical import site_of

if TYPE_CHECKING:
    from indexer.segments.schema import SectionRow
    from urls.records import Page

MAX_INDEXED_ANCHORS = 200  # distinct anchor texts of one page that are indexed
MAX_INDEXED_PHRASES = 500  # headings, or texts of pictures, of one page that are indexed
LARGE_SHARE = 0.3  # of a page's text: a query in the language of so much of it finds the page
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})\Z")
_TYPE_NAMES = {kind: ending for ending, kind in DOCUMENT_TYPE_OF.items()} | {  # media types as people name them
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}


@dataclass(frozen=True, slots=True)
class Document:
    """A page ready for the index: the texts of each field, and the record.

    `is_quotable`: the record has the beginning of the main text as it is indexed.
    """

    stored: StoredFields
    texts: dict[IndexField, tuple[str, ...]]
    is_quotable: bool = False


def document_of(page: Page) -> Document:
    """Return what of a page goes into the index, except for its most frequent terms."""
    stored, texts = _stored(page), _texts(page)
    if readings := readings_of(page.text, page.title, stored.languages):
        texts[IndexField.READING], stored = readings.texts, replace(stored, reading_checkpoints=readings.checkpoints)
    return Document(stored, texts, page.snippet_text is None and page.controls.snippet != 0)


def _texts(page: Page) -> dict[IndexField, tuple[str, ...]]:
    return {
        IndexField.ANCHORS: page.anchors[:MAX_INDEXED_ANCHORS],
        IndexField.BODY: (page.text, *page.pictures[:MAX_INDEXED_PHRASES]),
        IndexField.DESCRIPTION: (page.description,),
        IndexField.HEADINGS: page.headings[:MAX_INDEXED_PHRASES],
        IndexField.TEMPLATE: (page.template_text,),
        IndexField.TITLE: (page.title,),
        IndexField.URL: _url_words(page.url),
    } | {field: values for field in ADDED_FIELDS if (values := dict(page.added_fields).get(field.value))}


def _url_words(url: str) -> tuple[str, ...]:
    """Return path and query in readable form, without the host: every URL of a site has it."""
    parts = urlsplit(url)
    return (unquote(parts.path), unquote(parts.query.replace("+", " ")))


def _description(page: Page) -> str:
    """Return the description of a page, or of one that was never fetched the texts of links to it."""
    return ", ".join(f"“{text}”" for text in page.anchors) if page.not_fetched else page.description


def _stored(page: Page) -> StoredFields:
    controls, languages = page.controls, page_languages(page)
    shown = controls.snippet != 0  # otherwise no snippet may be shown, and no text is kept
    text = page.text if page.snippet_text is None else page.snippet_text
    return StoredFields(
        url=page.url,
        site=site_of(page.url),
        title=page.title,
        text=text[:MAX_STORED_CHARS] if shown else "",
        description=_description(page)[:MAX_STORED_CHARS] if shown else "",
        language=languages[0],
        fetched_at=page.fetched_at,
        expires=controls.expires.timestamp() if controls.expires else 0.0,
        archive=controls.archive,
        snippet=controls.snippet,
        languages=languages,
        published=page.published or 0.0,
        modified=page.modified or 0.0,
        signals=tuple((each.name.value, each.value, each.evidence) for each in page.signals),
        cluster=page.cluster or 0,
        not_fetched=page.not_fetched,
        file_types=file_types_of(page),
        added_fields=page.added_fields if shown else (),
        sections=_sections(page) if shown else (),
    )


def _sections(page: Page) -> tuple[SectionRow, ...]:
    """Return the sections of the main text, where it is stored as it is indexed."""
    if not page.sections or page.snippet_text is not None:
        return ()
    return tuple(each for each in text_lines(page).content_sections() if each.heading_end < MAX_INDEXED_CHARS)


def page_languages(page: Page) -> tuple[str, ...]:
    """Return the languages of a page as ISO 639-1 without regions, its own first; "" if that is unknown."""
    own = page.language.replace("_", "-").partition("-")[0].strip().lower()
    return tuple(dict.fromkeys((own, *(language for language, share in page.languages if share >= LARGE_SHARE))))


def file_types_of(page: Page) -> tuple[str, ...]:
    """Return the file types of a page for the filter `filetype:`, in lower case."""
    ending = _ENDING.search(urlsplit(page.url).path)
    named = _TYPE_NAMES.get(page.content_type.partition(";")[0].strip().lower())
    return tuple(dict.fromkeys(kind for kind in (ending and ending[1].lower(), named) if kind))
