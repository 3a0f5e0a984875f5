"""Of which type is a page? By the ending of its address, and by what its server called it: either may be asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from urls.records import Page

_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})\Z")
_CALLED = {  # media types as people name them
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
}


def file_types_of(page: Page) -> tuple[str, ...]:
    """Return the types under which a page can be asked for, in lower case."""
    ending = _ENDING.search(urlsplit(page.url).path)
    called = _CALLED.get(page.content_type.partition(";")[0].strip().lower())
    return tuple(dict.fromkeys(kind for kind in (ending and ending[1].lower(), called) if kind))
