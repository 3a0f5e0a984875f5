"""Everything known about one URL, in the order in which it was decided.

    for row in why_rows(url_record(database, "http://bakery.localhost:8400/bread.html")):
        print(row)

This uses the crawl database alone. `index_entry` adds the index, and `url_facts` adds everything else.
"""

from reports.why.facts import UrlFacts, url_facts
from reports.why.gather import url_record
from reports.why.index_status import IndexEntry, index_entry
from reports.why.record import StoredPage, UrlRecord
from reports.why.rows import why_rows
from reports.why.site_files import RobotsStatus
from reports.wording import Row

__all__ = [
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
