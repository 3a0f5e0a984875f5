"""`parse_page` makes one `Page` of the bytes of a response.

`page_parser.py` shows the steps one after the other. `content/` compares texts and lines. The room imports `urls/`,
`robots/` and libraries. It knows no Scrapy, no database and no process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.http_headers import FetchedBody

if TYPE_CHECKING:
    from pages.page_parser import parse_page

__all__ = ["FetchedBody", "parse_page"]


def __getattr__(name: str) -> object:
    """Load the parser at its first use: a search compares texts and parses no page."""
    if name != "parse_page":
        raise AttributeError(f"module 'pages' has no attribute {name!r}")
    from pages.page_parser import parse_page

    return parse_page
