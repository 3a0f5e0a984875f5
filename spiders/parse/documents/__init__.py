"""How is a file read that is no markup? PDF and office files, in a process of its own that may die.

`DocumentReader` (reader.py) is the whole interface: bytes in, a `DocumentText` or the reason why there is none. The
parsers of such files are large and written in C, and their input is a stranger's: so they run in a worker (worker.py)
with limits on memory and time. A process that crawls or reads again has one worker, `READER`, which is started with the
first document. Nothing here knows of Scrapy.
"""

from spiders.parse.documents.reader import READER, DocumentLimits, DocumentReader, DocumentText, page_of_document

__all__ = ["READER", "DocumentLimits", "DocumentReader", "DocumentText", "page_of_document"]
