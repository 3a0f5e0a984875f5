"""Which type does a response have? The declared type decides, and the first bytes may only contradict it.

The order is that of the WHATWG's MIME sniffing standard, made stricter. A declared type is never upgraded: HTML that
calls itself image/png stays an image, so a server cannot smuggle a page in. But a program, an archive or an image that
calls itself HTML is recognized by its bytes. A missing type is guessed.

Some header lines are unreadable: too many of them, or impossible dates. They are ignored, with a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from robots import X_ROBOTS_TAG
from robots.freshness import first_header
from robots.page_controls import HTML_TYPES, MAX_DATE_PARTS, date_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from urls.records import CanonicalUrl


PDF = "application/pdf"
# Documents without markup, by ending: the registered media type. Slides and texts alone: a spreadsheet is numbers.
DOCUMENT_TYPE_OF = MappingProxyType(
    {
        "pdf": PDF,
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt": "application/vnd.oasis.opendocument.text",
        "odp": "application/vnd.oasis.opendocument.presentation",
    }
)
DOCUMENT_TYPES = frozenset(DOCUMENT_TYPE_OF.values())


LOOKED_AT = (
    "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"  # an Accept: of what is no text, the header lines
)
SNIFFED_BYTES = 1024  # WHATWG MIME sniffing reads 1,445 at most; all our signatures stand at the front
BINARY_SHARE = 0.05  # of control characters among the sniffed bytes; text has none
MIN_CONTROLS = 5  # fewer are slips that can be repaired, however short the text is


@dataclass(frozen=True, slots=True)
class FetchedBody:
    """The unpacked body of a response, and the facts of its fetch."""

    body: bytes
    url: CanonicalUrl
    headers: Sequence[tuple[str, str]] = ()  # (name, value) in the order they came
    status: int = 200
    fetched_at: float = 0.0  # seconds since the epoch
    seconds: float = 0.0  # how long the fetch took
    cut_off: bool = False  # nobody can tell whether more was to come
    sheets: Mapping[str, str] = field(default_factory=dict)  # the stylesheets of its site that are known, by URL


class DocumentKind(Enum):
    """The ways to read a document."""

    HTML = "html"
    TEXT = "plain text"
    XML = "xml"  # a feed, perhaps
    DOCUMENT = "document"  # PDF or office: read in a process of its own
    OTHER = "other"


TEXT_TYPES = frozenset({"text/plain"})
FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"}
)

# The signatures which servers mislabel most, from each format's own specification.
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or an office document)"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "an ELF program"),
    (b"OggS\x00", "an Ogg recording"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"SQLite format 3\x00", "an SQLite database"),
)
# WHATWG MIME sniffing, 3: bytes that no text holds. Tab, LF, FF, CR and ESC (ISO-2022-JP) are text.
_CONTROL = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


NOT_TEXT = frozenset({DocumentKind.DOCUMENT, DocumentKind.OTHER})


def document_kind(body: bytes, declared: str) -> DocumentKind:
    """Say what can be done with a document of that declared type; the bytes decide only where no type is declared."""
    if declared in HTML_TYPES:
        return DocumentKind.HTML
    if declared in TEXT_TYPES:
        return DocumentKind.TEXT
    if declared in FEED_TYPES:
        return DocumentKind.XML
    if declared in DOCUMENT_TYPES:
        return DocumentKind.DOCUMENT
    if declared:
        return DocumentKind.OTHER
    return (
        DocumentKind.HTML
        if body[:SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n\f").startswith(b"<")
        else DocumentKind.TEXT
    )


def binary_format(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """Name the binary format that the bytes show, or return an empty string where they may be text."""
    start = body[:SNIFFED_BYTES]
    for signature, name in SIGNATURES:
        if start.startswith(signature):
            return name
    if start.startswith(_UTF16_BOMS) or "utf-16" in first_header(headers, "content-type").lower():
        return ""  # every other byte of UTF-16 may be a NUL
    controls = len(start) - len(start.translate(None, _CONTROL))
    if controls < MIN_CONTROLS or controls <= BINARY_SHARE * len(start):
        return ""
    return "a Windows program" if start.startswith(b"MZ") else "binary data"


# What the readers ask of an answer: a body that is stored is read again with these lines alone.
READ_LINES = frozenset({"content-type", "content-language", "last-modified", "link", "refresh", X_ROBOTS_TAG})


def kept_lines(headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the lines of `headers` that reading minds, in the order they came, names in lower case."""
    return tuple((name.lower(), value) for name, value in headers if name.lower() in READ_LINES)


MAX_HEADER_LINES = 1000  # of one answer; beyond, a warning says so. Servers send 10 to 40. All are read, few are kept.
_UNAVAILABLE_AFTER = re.compile(r"unavailable_after[ \t]*:[ \t]*(.{0,100})", re.IGNORECASE)
_MAX_DATES_TOLD = 3  # of one answer


def header_warnings(headers: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return a sentence for each thing in `headers`, (name, value) in the order they came, that is left aside."""
    too_many = [f"{len(headers)} header lines came: all but those that a search engine reads were left aside"]
    values = [value for name, value in headers if name.lower() == X_ROBOTS_TAG]
    lost = [date for value in values[:MAX_HEADER_LINES] for date in _no_dates(value)]
    dates = [
        f"X-Robots-Tag: unavailable_after says {date!r}, which is no date: left aside"
        for date in lost[:_MAX_DATES_TOLD]
    ]
    return (*(too_many if len(headers) > MAX_HEADER_LINES else ()), *dates)


def _no_dates(value: str) -> Iterator[str]:
    for match in _UNAVAILABLE_AFTER.finditer(value):
        parts = match[1].split(",")[:MAX_DATE_PARTS]
        if not any(date_of(",".join(parts[:count])) for count in range(1, len(parts) + 1)):
            yield parts[0].strip()
