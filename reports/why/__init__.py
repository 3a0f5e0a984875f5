"""What is known about one URL? Everything that was decided about it, in the order in which it was decided.

    for row in why_rows(url_record(database, "http://bakery.localhost:8400/bread.html")):
        print(row)

From the crawl database alone; `index_entry` adds what the index knows, and `url_facts` all the rest.
"""

from reports.why.facts import UrlFacts, url_facts
from reports.why.gather import url_record
from reports.why.index_status import IndexEntry, index_entry
from reports.why.record import Fetch, StoredPage, UrlRecord
from reports.why.rows import why_rows
from reports.why.site_files import RobotsStatus
from reports.wording import Row

__all__ = [
    "Fetch",
    "IndexEntry",
    "RobotsStatus",
    "Row",
    "StoredPage",
    "UrlFacts",
    "UrlRecord",
    "index_entry",
    "url_facts",
    "url_record",
    "why_rows",
]
