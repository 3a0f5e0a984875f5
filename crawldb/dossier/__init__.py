"""What is known about one URL? Everything that was decided about it, in the order in which it was decided.

    for line in dossier(database, "http://bakery.localhost:8400/bread.html").lines():
        print(line)

From the crawl database alone: `why` and the gateway add what the index knows.
"""

from crawldb.dossier.advice import advice
from crawldb.dossier.reading import dossier
from crawldb.dossier.record import Dossier, Fetch, Row, StoredPage
from crawldb.dossier.robots import RobotsAnswer

__all__ = ["Dossier", "Fetch", "RobotsAnswer", "Row", "StoredPage", "advice", "dossier"]
