"""Which page of a host first, where PRIORITY says by worth?"""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.tables.worth import ORDERS
from frontier.session import Session
from tests.frontier.test_leases import one_by_one
from tests.samples import SEED, a_page, lease_all
from urls.priority import UNJUDGED, Priority, worth


@pytest.mark.parametrize(
    ("more", "less"),
    [
        pytest.param((1, 0, 0, 0.0), (2, 0, 0, 0.0), id="nearer to a seed"),
        pytest.param((2, 5, 0, 0.0), (2, 1, 0, 0.0), id="more pages link to it"),
        pytest.param((2, 1, 1, 0.0), (2, 1, 0, 0.0), id="a sitemap lists it"),
        pytest.param((2, 1, 0, 0.5), (2, 1, 0, 0.0), id="it changes"),
        pytest.param((3, 40, 0, 0.0), (2, 1, 0, 0.0), id="many links make up for a step"),
    ],
)
def test_worth_follows_its_weights(more: tuple[int, int, int, float], less: tuple[int, int, int, float]) -> None:
    assert worth(*more) > worth(*less)


@given(st.integers(0, 10_000), st.integers(0, 10**9), st.integers(0, 1), st.floats(0, allow_infinity=True))
def test_every_worth_is_below_that_of_the_unjudged(depth: int, inlinks: int, listed: int, changes: float) -> None:
    assert 0 <= worth(depth, inlinks, listed, changes) < UNJUDGED


def test_what_many_pages_link_to_goes_first(open_session: Callable[..., Session]) -> None:
    session = open_session(priority=Priority.WORTH)
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"http://a.example/{page}" for page in "1234")))
    [first] = session.frontier.lease(1, lambda _: 1)
    session.store.page(a_page(first.url, links=("http://a.example/4", "http://a.example/deep")))
    session.frontier.look_again()
    assert one_by_one(session) == [f"http://a.example/{page}" for page in ("4", "2", "3", "deep")]


def test_the_next_run_judges_by_breadth_again_and_loses_nothing(open_session: Callable[..., Session]) -> None:
    pages = {f"http://a.example/{page}" for page in range(5)}
    open_session(*pages, priority=Priority.WORTH).close("shutdown")
    session = open_session(*pages)
    assert set(one_by_one(session)) == pages
    assert session.database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is None


def test_the_order_by_worth_is_read_from_an_index(open_session: Callable[..., Session]) -> None:
    session = open_session(priority=Priority.WORTH)
    plan = session.database.connection.execute(
        f"EXPLAIN QUERY PLAN SELECT id FROM url WHERE site = 1 AND state = 0 ORDER BY {ORDERS[Priority.WORTH]} LIMIT 32"
    ).fetchall()
    assert "url_worth" in plan[0][3]
    assert "TEMP B-TREE" not in str(plan)
