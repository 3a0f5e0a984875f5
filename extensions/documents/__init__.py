"""What do PDF and office files say? They are read in a process of its own that may die, and become pages.

`reader.py` watches over that process, and `worker.py` is what runs in it: with limits on memory and time, it calls the
parsers, `pdf.py` and `office.py`. A process that crawls or reads again has one worker, started with the first document.
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
    """Add the limits of what is read of a document."""
    return {
        "DOCUMENT_PAGES": 1000,  # of a PDF that are read; 0: documents are only asked for their header lines
        "DOCUMENT_SECONDS": 20.0,  # for one such file; then the process that reads it is ended
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
