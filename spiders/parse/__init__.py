"""How does the answer of a server become one `Page`? Everything between the bytes and the record.

`parse_page` is the whole interface; `reading.py` shows its steps in order. Nothing here knows of Scrapy.
"""

from spiders.parse.page_parser import parse_page

__all__ = ["parse_page"]
