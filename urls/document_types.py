"""Which files are documents but no markup? Their types, by the extension of a file name."""

from __future__ import annotations

from types import MappingProxyType

PDF = "application/pdf"
# By ending: the registered media type. Slides and texts alone: a spreadsheet is a table of numbers.
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
