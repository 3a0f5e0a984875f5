"""What does a page say? `parse_page` makes one `Page` of the bytes of an answer.

`page_parser.py` shows the steps in order. `content/` compares texts and lines. The room imports `urls/`, `robots/` and
libraries. It knows no Scrapy, no database and no process.
"""

from pages.http_headers import FetchedBody
from pages.page_parser import parse_page

__all__ = ["FetchedBody", "parse_page"]
