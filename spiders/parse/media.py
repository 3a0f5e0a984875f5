"""What kind of document is this? The declared type decides, and the first bytes may only unmask it.

The order is that of the WHATWG's MIME sniffing text, made stricter: a declared type is never upgraded (HTML
that calls itself image/png stays an image, so nobody can smuggle a page in), but a program, an archive or a
picture that calls itself HTML is seen for what it is. A missing type is guessed.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TYPE = 255  # characters of a media type: two names of up to 127 (RFC 6838, 4.2)
MAX_VALIDATOR = 1000  # characters; real ones have under 100
SNIFFED_BYTES = 1024  # WHATWG MIME sniffing reads 1,445 at most; all our signatures stand at the front
BINARY_SHARE = 0.05  # control characters among the sniffed bytes; text has none
MIN_CONTROLS = 5  # fewer are slips that can be repaired, however short the text


class Kind(Enum):
    """What can be done with a document."""

    HTML = "html"
    TEXT = "plain text"
    OTHER = "other"


HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
TEXT_TYPES = frozenset({"text/plain"})

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
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


def header(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return the first header of that name (given in lower case), or an empty string."""
    return next((value.strip(" \t") for key, value in headers if key.lower() == name), "")


def declared_type(content_type: str) -> str:
    """Return the bare type in lower case: no parameters, and the first where a proxy joined two with a comma."""
    return content_type.split(";", 1)[0].split(",", 1)[0].strip()[:MAX_TYPE].lower()


def validator(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Return an ETag or a Last-Modified, to be sent back at the next visit; one that is too long is as good as none."""
    value = header(headers, name)
    return value if len(value) <= MAX_VALIDATOR else ""


def kind(body: bytes, declared: str) -> Kind:
    """Say what can be done with a document of that declared type; only where there is none are the bytes asked."""
    if declared in HTML_TYPES:
        return Kind.HTML
    if declared in TEXT_TYPES:
        return Kind.TEXT
    if declared:
        return Kind.OTHER
    return Kind.HTML if body[:SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n\f").startswith(b"<") else Kind.TEXT


def unmask(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """Name the binary format that the bytes show, or return an empty string where they may be text."""
    start = body[:SNIFFED_BYTES]
    for signature, name in SIGNATURES:
        if start.startswith(signature):
            return name
    if start.startswith(_WIDE_BOMS) or "utf-16" in header(headers, "content-type").lower():
        return ""  # every other byte of UTF-16 may be a NUL
    controls = len(start) - len(start.translate(None, _CONTROL))
    if controls < MIN_CONTROLS or controls <= BINARY_SHARE * len(start):
        return ""
    return "a Windows program" if start.startswith(b"MZ") else "binary data"
