"""What of a page does the index keep? Its words by field, and one stored record from which a result is shown.

The stored record makes the index stand alone: results, snippets and their limits work with the crawl database taken
away. It is JSON, packed by zlib, so that nothing read from disk can run as code.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from enum import StrEnum
from heapq import nlargest
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from indexer.analysis.tokens import positions

if TYPE_CHECKING:
    from crawldb.page import Page

MAX_STORED_CHARS = 100_000  # of a page's text are kept for snippets: 99 pages in 100 whole
MAX_ANCHORS = 200  # distinct anchor texts of one page that are indexed
MAX_PHRASES = 500  # headings or keywords of one page that are indexed
KEPT_TERMS = 30  # the most frequent terms of the body, for the Why? page


class Field(StrEnum):
    """A part of a page in which words are looked for; its value is the name inside the index."""

    ANCHORS = "anchors"
    BODY = "body"
    DESCRIPTION = "description"
    HEADINGS = "headings"
    KEYWORDS = "keywords"
    TITLE = "title"
    URL = "url_words"


FIELDS = tuple(sorted(Field))  # the order inside a segment


@dataclass(frozen=True, slots=True)
class Stored:
    """What a result is shown from. `expires` is in seconds since the epoch, 0: never."""

    url: str
    site: str
    title: str
    text: str
    description: str
    language: str
    fetched_at: float
    expires: float
    archive: bool  # a cached copy may be shown
    snippet: int | None  # characters; None: no limit
    terms: tuple[tuple[str, int], ...]

    def pack(self) -> bytes:
        """Return the record as bytes."""
        return zlib.compress(
            json.dumps({name: getattr(self, name) for name in self.__slots__}, separators=(",", ":")).encode(), 3
        )

    @classmethod
    def unpack(cls, packed: bytes) -> Stored:
        """Read what `pack` wrote."""
        values = json.loads(zlib.decompress(packed))
        values["terms"] = tuple((str(term), int(count)) for term, count in values["terms"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Document:
    """A page ready for the index: where each term stands in each field, how long each is in positions, the record."""

    stored: Stored
    postings: dict[Field, dict[str, list[int]]]
    lengths: dict[Field, int]


def site_of(url: str) -> str:
    """Return host and port of a URL as they stand in its canonical form."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def language_of(page: Page) -> str:
    """Return the page's language as ISO 639-1, without a region."""
    return page.language.replace("_", "-").partition("-")[0].strip().lower()


def document_of(page: Page) -> Document:
    """Analyse a page."""
    language = language_of(page)
    postings: dict[Field, dict[str, list[int]]] = {}
    lengths: dict[Field, int] = {}
    for field, texts in _texts(page).items():
        found, length = positions(texts, language)
        if found:
            postings[field], lengths[field] = found, length
    return Document(_stored(page, language, postings.get(Field.BODY, {})), postings, lengths)


def _texts(page: Page) -> dict[Field, tuple[str, ...]]:
    return {
        Field.ANCHORS: page.anchors[:MAX_ANCHORS],
        Field.BODY: (page.text,),
        Field.DESCRIPTION: (page.description,),
        Field.HEADINGS: page.headings[:MAX_PHRASES],
        Field.KEYWORDS: page.keywords[:MAX_PHRASES],
        Field.TITLE: (page.title,),
        Field.URL: _url_words(page.url),
    }


def _url_words(url: str) -> tuple[str, ...]:
    """Return path and query in readable form. The host is left out: it stands in every URL of a site."""
    parts = urlsplit(url)
    return (unquote(parts.path), unquote(parts.query.replace("+", " ")))


def _stored(page: Page, language: str, body: dict[str, list[int]]) -> Stored:
    controls = page.controls
    shown = controls.snippet != 0  # nothing may be shown: then nothing is kept to show
    text = page.text if page.snippet_text is None else page.snippet_text
    top = nlargest(KEPT_TERMS, [(len(places), term) for term, places in body.items()])
    return Stored(
        url=page.url,
        site=site_of(page.url),
        title=page.title,
        text=text[:MAX_STORED_CHARS] if shown else "",
        description=page.description[:MAX_STORED_CHARS] if shown else "",
        language=language,
        fetched_at=page.fetched_at,
        expires=controls.expires.timestamp() if controls.expires else 0.0,
        archive=controls.archive,
        snippet=controls.snippet,
        terms=tuple((term, count) for count, term in top),
    )
