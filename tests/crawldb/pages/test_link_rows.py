"""Is the graph of links read in one state, while a crawl continues?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import read_link_rows
from tests.samples import SEED, a_page, lease_all

if TYPE_CHECKING:
    from frontier.session import Session


def test_what_is_stored_while_the_graph_is_read_is_not_half_in_it(session: Session) -> None:
    lease_all(session)
    left = [lambda: session.store.page(a_page(SEED, links=("http://a.example/new",)))]

    def crawl_on(statement: str) -> None:
        if "FROM link" in statement and left:  # the URLs have been read, the links have not
            left.pop()()

    with CrawlDatabase(session.database.path.parent, readonly=True) as reader:
        reader.connection.set_trace_callback(crawl_on)
        before = read_link_rows(reader)
        reader.connection.set_trace_callback(None)
        after = read_link_rows(reader)
    assert not left, "the crawl went on in the middle"
    assert (before.urls, len(before.links)) == ((SEED,), 0)
    assert (len(after.urls), len(after.links)) == (2, 1)
    assert np.isin(after.links, after.ids).all()
