"""The yield of each seed: the pages reached from it, and those of the latest round."""

from collections.abc import Callable

from crawldb.tables.seeds import seed_yields
from frontier.session import Session
from tests.samples import SEED, a_page, lease_all

OTHER = "http://b.example/"


def test_a_page_belongs_to_the_seed_from_which_it_was_first_found(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, OTHER, marks={SEED: "popular", OTHER: "rare"})
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/1",)))
    session.store.page(a_page(OTHER, links=("http://a.example/1", "http://b.example/2")))
    lease_all(session)
    session.store.page(a_page("http://a.example/1", links=("http://b.example/3",)))
    lease_all(session)
    session.store.page(a_page("http://b.example/3"))
    assert seed_yields(session.database) == [
        {"url": SEED, "kind": "popular", "pages": 3, "new": 3},
        {"url": OTHER, "kind": "rare", "pages": 1, "new": 1},
    ]


def test_pages_of_the_latest_round_are_new(open_session: Callable[..., Session]) -> None:
    session = open_session()
    lease_all(session)
    session.store.page(a_page(SEED))
    session.close("finished")
    session = open_session()
    lease_all(session)
    session.store.page(a_page(SEED, "other words", links=("http://a.example/1",)))
    lease_all(session)
    session.store.page(a_page("http://a.example/1"))
    assert seed_yields(session.database) == [{"url": SEED, "kind": "", "pages": 2, "new": 1}]


def test_a_seed_that_is_no_longer_marked_keeps_its_mark_and_an_unknown_one_has_none(
    open_session: Callable[..., Session],
) -> None:
    session = open_session(marks={SEED: "new", "http://never.example/": "rare"})
    assert [(seed["url"], seed["kind"]) for seed in seed_yields(session.database)] == [(SEED, "new")]
