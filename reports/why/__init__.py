"""What is known about one URL? Everything that was decided about it, in the order in which it was decided.

    for row in account(dossier(database, "http://bakery.localhost:8400/bread.html")):
        print(row)

From the crawl database alone; `index_entry` adds what the index knows, and `url_facts` all the rest.
"""

from reports.why.account import account
from reports.why.dossier import Dossier, Fetch, StoredPage
from reports.why.facts import UrlFacts, url_facts
from reports.why.index_entry import IndexEntry, index_entry
from reports.why.site_files import RobotsAnswer
from reports.why.sources import dossier
from reports.wording import Row

__all__ = [
    "Dossier",
    "Fetch",
    "IndexEntry",
    "RobotsAnswer",
    "Row",
    "StoredPage",
    "UrlFacts",
    "account",
    "dossier",
    "index_entry",
    "url_facts",
]
