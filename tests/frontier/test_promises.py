"""The order of a crawl with a topic: what promises most first, the same after a restart, and told as it happened."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawldb.parts.exchange import ForeignUrl, note_source
from crawldb.tables.turns import read_harvest, read_promise
from crawldb.visited import find
from frontier.discovery import Discovery, Provenance
from frontier.job import CrawlJob
from frontier.rounds import end_run
from frontier.session import Session
from frontier.takedown import forget
from reports.numbers import report
from robots import PageControls
from spiders.topic import TopicReader, read_topic
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.promise import FIRST_WEIGHING, PARENT, RELEVANT
from urls.records import CanonicalUrl, Fate, FoundBy, Link, Page, Refusal
from urls.rules import Rule
from urls.schedule import Priority

A = "http://a.example"
RYE = "Rye bread of rye flour. " * 5
Web = dict[str, Page]


def topic(words: str = "rye bread") -> dict[str, object]:
    return {"priority": Priority.TOPIC, "topic": TopicReader(read_topic(words))}


def page(path: str, text: str, *links: tuple[str, str], **fields: object) -> Page:
    made = a_page(f"{A}{path}", text, **({"language": "en"} | fields))  # type: ignore[arg-type]  # a dict of several types
    return replace(made, title="", links=tuple(Link(f"{A}{target}", words) for target, words in links))


def a_web() -> Web:
    """A front page, a folder of rye, ten pages about other things of which each leads on, and a page of recipes."""
    pages = [
        page(
            "/", "Welcome to the shop.", *((f"/other/{n}", f"number {n}") for n in range(10)), ("/recipes", "our bread")
        ),
        page(
            "/recipes",
            f"{RYE} Here is all.",
            *((f"/rye/{n}", f"loaf {n}") for n in range(4)),
            ("/old", "old rye bread"),
        ),
        page("/old", "Nothing is here any more."),
        *(page(f"/rye/{n}", f"{RYE} Loaf {n}.", (f"/rye/{n}/notes", "notes")) for n in range(4)),
        *(page(f"/rye/{n}/notes", f"Notes on {n}, of salt and time.") for n in range(4)),
        *(page(f"/other/{n}", f"Of lamps, number {n}.", (f"/other/{n}/more", "more")) for n in range(10)),
        *(page(f"/other/{n}/more", f"More of lamps, {n}.") for n in range(10)),
    ]
    return {made.url: made for made in pages}


def crawl(session: Session, web: Web, turns: int = 1000) -> list[str]:
    """Ask for one URL after the other, as a crawl with one connection does; return the paths."""
    asked: list[str] = []
    while len(asked) < turns and (leases := session.frontier.lease(1, lambda _: 1)):
        [lease] = leases
        asked.append(lease.url.removeprefix(A))
        found = web.get(lease.url)
        if found is None:
            session.store.outcome(an_outcome(lease.url, Fate.GONE, Rule.GONE, status=404))
        else:
            session.store.page(found)
    return asked


def left_behind(session: Session) -> None:
    """Leave a session as a killed process would."""
    session.database.close()
    session._lock.release()


@pytest.fixture
def begin(open_session: Callable[..., Session]) -> Callable[..., Session]:
    return lambda words="rye bread", *seeds: open_session(*(seeds or (SEED,)), **topic(words))


Begin = Callable[..., Session]


def promise_of(session: Session, path: str) -> Any:
    """What is kept of a URL: `PromiseRow`, with parts."""
    return read_promise(session.database, find(session.database.connection, f"{A}{path}") or 0)


def told(session: Session) -> list[tuple[int, float, float | None]]:
    sql = "SELECT turn, promised, next_best FROM promise WHERE turn IS NOT NULL ORDER BY turn"
    return session.database.connection.execute(sql).fetchall()


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


def test_another_topic_reads_what_is_stored_and_judges_all_anew(begin: Begin) -> None:
    web, session = a_web(), begin("lamps number")
    crawl(session, web, 8)
    session.close("shutdown")
    session = begin("rye bread")
    pages = session.database.count("SELECT count(*) FROM topic_page")
    assert (pages, read_harvest(session.database).topic) == (8, "rye bread")  # type: ignore[union-attr]
    asked = crawl(session, web)
    rye = [path for path in asked if path.startswith("/rye/") and not path.endswith("notes")]
    assert asked.index(rye[-1]) < asked.index(next(path for path in asked if path.startswith("/other/")))
    assert accounting(session)["done"] == len(web)


def test_the_same_terms_in_other_words_are_the_same_topic(begin: Begin) -> None:
    session = begin("rye bread")
    crawl(session, a_web(), 3)
    session.close("shutdown")
    session = begin("the rye, the bread")
    assert session.database.value("SELECT given FROM topic") == "rye bread"
    assert len(told(session)) == 3


def test_a_topic_that_comes_late_knows_the_pages_that_came_before(open_session: Callable[..., Session]) -> None:
    web, session = a_web(), open_session()
    crawl(session, web, 2)
    assert not session.database.count("SELECT count(*) FROM promise"), "a crawl without a topic writes nothing"
    session.close("shutdown")
    late = open_session(**topic())
    assert late.database.count("SELECT count(*) FROM topic_page") == 2
    assert crawl(late, web, 1) == ["/recipes"]
    late.close("shutdown")
    session = open_session()
    crawl(session, web, 3)
    session.close("shutdown")
    assert open_session(**topic()).database.count("SELECT count(*) FROM topic_page") == 6, "and those in between"


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
    monkeypatch.setattr("frontier.promises.JUDGED_AT_ONCE", 3)
    session, web = begin("rye lamps number"), a_web()
    asked = crawl(session, web)
    assert sorted(asked) == sorted(url.removeprefix(A) for url in web)
    assert all(best is None or promised >= best for _, promised, best in told(session))
    assert all(
        promised == pytest.approx(sum(json.loads(parts)))
        for promised, parts in session.database.connection.execute("SELECT promised, parts FROM promise")
    ), "whatever the weights were by which it was judged, the parts are those that it came by"


def test_after_another_order_what_urls_promise_is_found_out_anew(
    open_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontier.promises.JUDGED_AT_ONCE", 1)
    web, session = a_web(), open_session(**topic())
    asked = crawl(session, web, 1)
    session.close("shutdown")
    session = open_session(priority=Priority.RARE)
    asked += crawl(session, web, 1)
    session.close("shutdown")
    session = open_session(**topic())
    asked += crawl(session, web)
    rye = [asked.index(f"/rye/{n}") for n in range(4)]
    assert max(rye) < asked.index("/other/9")
    turns = session.database.connection.execute("SELECT promised, parts FROM promise WHERE turn > 2")
    assert all(promised == pytest.approx(sum(json.loads(parts))) for promised, parts in turns)
    assert len(asked) == len(set(asked)) == len(web)


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
    session.store.outcome(an_outcome(lease.url, Fate.MOVED, Rule.MOVED, status=301, target=f"{A}/there"))
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


def test_the_report_tells_the_harvest_by_fifths_of_the_turns(begin: Begin) -> None:
    session, web = begin(), a_web()
    crawl(session, web)
    harvest = report(session.database)["topic"]
    assert harvest is not None
    assert (harvest["topic"], harvest["turns"], harvest["pages"]) == ("rye bread", len(web), len(web))
    assert (harvest["relevant"], harvest["by_fifths"]) == (5, (4, 1, 0, 0, 0)), "six turns are a fifth"


def test_few_links_go_first_where_rare_pages_are_looked_for(open_session: Callable[..., Session]) -> None:
    known = [
        page(f"/{n}", f"Page {n}.", ("/menu", "menu"), *((("/rare", "rare"),) if n == 3 else ())) for n in range(4)
    ]
    web: Web = {made.url: made for made in (*known, page("/menu", "Menu."), page("/rare", "Rare."))}
    web[SEED] = page("/", "Welcome.", *((f"/{n}", f"{n}") for n in range(4)), ("/menu", "menu"))
    session = open_session(SEED, priority=Priority.RARE)
    asked = crawl(session, web)
    assert asked[-2:] == ["/rare", "/menu"], "five pages link to the menu, which was met first"
    assert (promise_of(session, "/rare").inlinks, promise_of(session, "/menu").inlinks) == (1, 5)
    assert all(best is None or promised >= best for _, promised, best in told(session))
    assert session.database.count("SELECT count(*) FROM topic_page") == 0


def test_a_round_that_is_over_begins_again_in_the_order_of_the_topic(begin: Begin) -> None:
    session, web = begin(), a_web()
    crawl(session, web)
    assert end_run(session.database, session.run, "finished")
    left_behind(session)
    session = begin()
    again = crawl(session, web)
    assert sorted(again) == sorted(url.removeprefix(A) for url in web)
    rye = [again.index(f"/rye/{n}") for n in range(4)]
    assert max(rye) < again.index("/other/0"), "it knows from the first round what they are"
