"""The order of a crawl with a topic: highest priority first, the same after a restart, and truly reported."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.exchange import ForeignUrl, note_source
from extensions.topic.priority import FIRST_WEIGHING, PARENT, RELEVANT
from frontier.discovery import Discovery, Provenance
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import forget
from robots import PageControls
from tests.extensions.topic.topic_web import RYE, A, a_web, crawl, left_behind, page, promise_of, told, topic
from tests.samples import SEED, accounting, an_outcome, lease_all
from urls.records import CanonicalUrl, FoundBy, LeaseEnd, Refusal
from urls.rules import Rule

Begin = Callable[..., Session]


def test_what_promises_most_comes_first_and_nothing_is_lost(begin: Begin) -> None:
    session, web = begin(), a_web()
    asked = crawl(session, web)
    assert asked[:2] == ["/", "/recipes"]
    assert set(asked[2:7]) == {"/old", *(f"/rye/{n}" for n in range(4))}, "before ten pages that were met before them"
    assert sorted(asked) == sorted(url.removeprefix(A) for url in web)
    assert accounting(session)["done"] == len(web)


def test_each_turn_is_told_as_it_came_and_promised_no_less_than_what_waited(begin: Begin) -> None:
    session, web = begin(), a_web()
    asked = crawl(session, web)
    rows = session.database.connection.execute(
        "SELECT url.url FROM promise JOIN url ON url.id = promise.url ORDER BY turn"
    )
    assert [url.removeprefix(A) for (url,) in rows] == asked
    turns = told(session)
    assert [turn for turn, _, _ in turns] == list(range(1, len(web) + 1))
    assert all(best is None or promised >= best for _, promised, best in turns)
    assert turns[-1][2] is None, "nothing waited beside the last"


def test_the_parts_of_a_promise_are_the_link_and_the_page_that_brought_it(begin: Begin) -> None:
    session = begin()
    crawl(session, a_web())
    told = promise_of(session, "/old")
    assert (told.via, told.anchor, told.folder) == (f"{A}/recipes", ("rye", "bread"), "/")
    assert told.parts.total == told.promised == pytest.approx(sum(told.parts))
    assert told.parts.parent > PARENT * RELEVANT, "the page of the link is relevant"
    assert promise_of(session, "/").parts.parent == PARENT, "a person named it"
    assert (promise_of(session, "/rye/1").relevant, promise_of(session, "/old").relevant) == (True, False)


def test_the_yield_of_a_folder_counts_for_what_waits_in_it(begin: Begin) -> None:
    session, web = begin(), a_web()
    pages = [
        page(f"/{folder}/{n}", RYE if folder == "rye" else "Of lamps.") for folder in ("lamps", "rye") for n in range(6)
    ]
    web |= {made.url: made for made in pages}
    web[SEED] = page("/", "Welcome.", *((made.url.removeprefix(A), "go") for made in pages))
    asked = crawl(session, web)
    assert asked.index("/rye/5") < asked.index("/lamps/5"), "what brought nothing waits, though it was met first"


def test_a_crawl_that_was_stopped_or_killed_goes_on_in_the_same_order(begin: Begin, tmp_path: Path) -> None:
    web = a_web()
    whole = Session(tmp_path / "whole", CrawlJob((SEED,), **topic()))  # type: ignore[arg-type]  # a dict of several types
    order = crawl(whole, web)
    whole.close("finished")
    session, asked = begin(), list[str]()
    for turns in (5, 4, 1, 9):
        asked += crawl(session, web, turns)
        session.close("shutdown")
        session = begin()
        assert session.frontier.lease(1, lambda _: 1), "it is promised, and nothing comes of it"
        left_behind(session)
        session = begin()
    assert asked + crawl(session, web) == order


def test_the_terms_are_weighed_anew_when_the_pages_have_doubled(begin: Begin) -> None:
    session, web = begin("rye lamps"), a_web()
    crawl(session, web, FIRST_WEIGHING - 1)
    assert session.database.value("SELECT weighed_after FROM topic") == 0
    crawl(session, web, FIRST_WEIGHING + 1)
    assert session.database.value("SELECT weighed_after FROM topic") == 2 * FIRST_WEIGHING
    counted = session.database.connection.execute(
        "SELECT sum(fetched), sum(relevant), (SELECT sum(relevant) FROM topic_page) FROM topic_folder"
    ).fetchone()
    assert counted[0] == 2 * FIRST_WEIGHING
    assert counted[1] == counted[2]


def test_a_topic_may_be_in_any_language(begin: Begin) -> None:
    session = begin("全文検索")
    pages = [
        page("/", "目次。", ("/a", "料理の話"), ("/b", "全文検索とは")),
        page("/a", "料理の話です。", language="ja"),
        page("/b", "全文検索を説明します。全文検索は速い。", language="ja"),
    ]
    assert crawl(session, {made.url: made for made in pages}) == ["/", "/b", "/a"]
    assert (promise_of(session, "/b").relevant, promise_of(session, "/a").relevant) == (True, False)


def test_a_long_queue_is_judged_again_little_by_little(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.topic.orders.PRIORITIES_AT_ONCE", 3)
    session, web = begin("rye lamps number"), a_web()
    asked = crawl(session, web)
    assert sorted(asked) == sorted(url.removeprefix(A) for url in web)
    assert all(best is None or promised >= best for _, promised, best in told(session))
    assert all(
        promised == pytest.approx(sum(json.loads(parts)))
        for promised, parts in session.database.connection.execute("SELECT promised, parts FROM promise")
    ), "whatever the weights were by which it was judged, the parts are those that it came by"


def test_the_words_of_a_link_on_another_parts_page_have_come_along(begin: Begin) -> None:
    session = begin()
    lease_all(session)
    urls = [ForeignUrl(CanonicalUrl(f"{A}/{name}"), 1, 2, FoundBy.LINK, "http://b.example/", words) for name, words in
            (("lamp", "lamps"), ("loaf", "rye bread"))]  # fmt: skip
    for foreign in urls:
        with session.database.transaction():
            Discovery(session.database, session.policy, session.store.journal).discover(
                [foreign.url], Provenance(FoundBy.LINK, None, foreign.depth)
            )
            note_source(session.database, foreign)
    assert session.frontier.lease(1, lambda _: 1)[0].url == f"{A}/loaf"
    assert promise_of(session, "/loaf").anchor == ("rye", "bread")


def test_sites_take_turns_whatever_they_promise(begin: Begin) -> None:
    session = begin("rye bread", *(f"http://{site}.example/{n}" for site in ("rye-bread", "b", "c") for n in range(3)))
    asked = []
    while leases := session.frontier.lease(1, lambda _: 1):
        asked.append(leases[0].site)
    assert all(len(set(asked[turn : turn + 3])) == 3 for turn in range(0, 9, 3))


def test_what_a_redirect_leads_to_has_the_links_of_what_redirects(begin: Begin) -> None:
    session = begin()
    lease_all(session)
    session.store.page(page("/", "Welcome.", ("/go", "rye bread"), ("/lamps", "lamps")))
    [lease] = session.frontier.lease(1, lambda _: 1)
    assert lease.url == f"{A}/go"
    session.store.outcome(an_outcome(lease.url, LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{A}/there"))
    assert session.frontier.lease(1, lambda _: 1)[0].url == f"{A}/there"
    assert promise_of(session, "/there").anchor == ("rye", "bread")


def test_a_copy_is_not_relevant_and_what_its_owner_withholds_is_not_weighed(begin: Begin) -> None:
    session = begin("rye bread", f"{A}/kept", f"{A}/copy", f"{A}/hush")
    lease_all(session)
    session.store.page(page("/kept", RYE))
    session.store.page(page("/copy", RYE, refusals=(Refusal(Rule.DUPLICATE, "the same"),)))
    hush = PageControls(index=False)
    session.store.page(page("/hush", RYE, controls=hush, refusals=(Refusal(Rule.NOINDEX, "it says noindex"),)))
    relevant = {path: promise_of(session, path).relevant for path in ("/kept", "/copy", "/hush")}
    assert relevant == {"/kept": True, "/copy": False, "/hush": False}
    assert (promise_of(session, "/copy").said, promise_of(session, "/hush").said) == (("rye", "bread"), ())
    forget(session.database, CanonicalUrl(f"{A}/kept"))
    assert promise_of(session, "/kept").relevance is None, "with a page its words are forgotten"
