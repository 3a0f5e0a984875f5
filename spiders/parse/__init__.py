"""How does the answer of a server become one `Page`? Everything between the bytes and the record.

`parse_page` is the whole interface; `page_parser.py` shows its steps in order. Nothing here knows of Scrapy.
"""

from spiders.parse.http_headers import FetchedBody
from spiders.parse.page_parser import parse_page

__all__ = ["FetchedBody", "parse_page"]
