"""How do PDF and office files become pages? A separate process, which may die, reads them.

`reader.py` supervises that process. `worker.py` runs in it, within limits on memory and time, and calls the parsers
`pdf.py` and `office.py`. A process that crawls or reads again has one worker, and starts it for the first document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from extensions.documents.reader import DocumentProcess
    from spiders.setting_values import ReadableSettings

NO_FILE = "no file could be read so; DOCUMENT_PAGES=0 leaves documents unread"


@extends
def settings() -> dict[str, object]:
    """Add the limits for documents."""
    return {
        "DOCUMENT_PAGES": 1000,  # of a PDF that are read; 0: of documents a crawl reads only header lines
        "DOCUMENT_SECONDS": 20.0,  # for one such file; then its reader is killed
        "DOCUMENT_MEMORY": 512,  # MB of that process
    }


@extends
def document_readers(settings: ReadableSettings) -> list[DocumentProcess]:
    """Read PDF and office files within the limits of the settings."""
    from extensions.documents.reader import DocumentLimits, reader_within
    from spiders.setting_values import more_than_none, read_number

    limits = DocumentLimits(
        read_number(settings.getint, "DOCUMENT_PAGES"),
        more_than_none(settings.getfloat, "DOCUMENT_SECONDS", NO_FILE),
        more_than_none(settings.getint, "DOCUMENT_MEMORY", NO_FILE),
    )
    return [reader_within(limits)]
