"""How is a stored answer read again? As it was read when it came, documents too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import FetchedBody, parse_page
from spiders.documents.reader import READER

if TYPE_CHECKING:
    from crawldb.pages.bodies import StoredAnswer
    from pages.documents import DocumentLimits
    from urls.records import Page


def parse_again(answer: StoredAnswer, *, agent: str, documents: DocumentLimits | None = None) -> Page:
    """Read a stored answer as `parse_page` reads one that comes; `documents` are the limits of this process."""
    if documents is not None:
        READER.limits = documents
    body, url, headers, status, fetched_at, sheets = answer
    return parse_page(FetchedBody(body, url, headers, status, fetched_at, sheets=sheets), agent=agent, documents=READER)
