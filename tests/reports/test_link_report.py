"""The foremost pages by their links, each number in times the mean."""

import pytest

from frontier.session import Session
from reports.links import link_report
from tests.samples import SEED, a_page, lease_all

HOST = "http://a.example"


def test_the_foremost_pages_are_told_with_their_links(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/b", f"{HOST}/c")))
    lease_all(session)
    session.store.page(a_page(f"{HOST}/b", links=(SEED,)))
    session.store.page(a_page(f"{HOST}/c", links=(f"{HOST}/b",)))
    found = link_report(session.database)
    assert (found.pages, found.links) == (3, 4)
    assert [(page.url, page.inlinks, page.outlinks) for page in found.foremost] == [
        (SEED, 1, 2),
        (f"{HOST}/b", 2, 1),
        (f"{HOST}/c", 1, 1),
    ]
    for values in zip(*((page.pagerank, page.hub, page.authority) for page in found.foremost), strict=True):
        assert sum(values) == pytest.approx(3, abs=1e-3)
    told = [row.text for row in found.rows()]
    assert told[0] == "4 links between 3 URLs, damping 0.85"
    assert told[2].split()[-3:] == ["1", "2", SEED]


def test_a_crawl_without_links_has_one_page_that_is_all(session: Session) -> None:
    found = link_report(session.database)
    assert [(page.url, page.pagerank, page.inlinks) for page in found.foremost] == [(SEED, 1.0, 0)]
