"""Where are PDF and office files read? In a process of its own that may die.

`DocumentReader` (reader.py) is the whole interface: bytes in, a `DocumentText` or the reason why there is none. The
parsers of such files (pages/documents/) run in a worker (worker.py) with limits on memory and time. A process that
crawls or reads again has one worker, `READER`, which is started with the first document. Nothing here knows of Scrapy.
"""

from spiders.documents.reader import READER, DocumentReader

__all__ = ["READER", "DocumentReader"]
