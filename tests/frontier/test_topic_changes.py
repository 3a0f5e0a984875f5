"""Another topic, a topic that comes late, another order, a new round: nothing is lost, and what is told is true."""

import json
from collections.abc import Callable

import pytest

from crawldb.tables.turns import read_harvest
from frontier.rounds import end_run
from frontier.session import Session
from reports.numbers import report
from tests.frontier.topic_web import A, Web, a_web, crawl, left_behind, page, promise_of, told, topic
from tests.samples import SEED, accounting
from urls.schedule import Priority

Begin = Callable[..., Session]


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
