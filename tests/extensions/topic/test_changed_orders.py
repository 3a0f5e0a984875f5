"""Another topic, a late topic, another order, a new round: nothing is lost, and the reports are true."""

import json
from collections.abc import Callable

import pytest

from crawldb.database import MIGRATIONS
from extensions.topic import rare_first
from extensions.topic.reports import harvest_in_words, nothing_relevant, turn_rows
from extensions.topic.tables import read_harvest
from frontier.rounds import end_run
from frontier.session import Session
from reports.numbers import report
from reports.summary import Trial, run_summary
from tests.extensions.topic.topic_web import (
    A,
    Web,
    a_web,
    crawl,
    harvest_of,
    left_behind,
    page,
    promise_of,
    told,
    topic,
)
from tests.samples import SEED, accounting

Begin = Callable[..., Session]


def test_another_topic_reads_what_is_stored_and_judges_all_anew(begin: Begin) -> None:
    web, session = a_web(), begin("lamps number")
    crawl(session, web, 8)
    session.close("shutdown")
    session = begin("rye bread")
    pages = session.database.count("SELECT count(*) FROM topic_page")
    assert (pages, read_harvest(session.database).topic) == (8, "rye bread")  # type: ignore[union-attr]  # it has one
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
    monkeypatch.setattr("extensions.topic.orders.PRIORITIES_AT_ONCE", 1)
    web, session = a_web(), open_session(**topic())
    asked = crawl(session, web, 1)
    session.close("shutdown")
    session = open_session(order=rare_first)
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
    harvest = harvest_of(session.database)
    assert harvest is not None
    assert (harvest["topic"], harvest["turns"], harvest["pages"]) == ("rye bread", len(web), len(web))
    assert (harvest["relevant"], harvest["by_fifths"]) == (5, (4, 1, 0, 0, 0)), "six turns are a fifth"


def test_few_links_go_first_where_rare_pages_are_looked_for(open_session: Callable[..., Session]) -> None:
    known = [
        page(f"/{n}", f"Page {n}.", ("/menu", "menu"), *((("/rare", "rare"),) if n == 3 else ())) for n in range(4)
    ]
    web: Web = {made.url: made for made in (*known, page("/menu", "Menu."), page("/rare", "Rare."))}
    web[SEED] = page("/", "Welcome.", *((f"/{n}", f"{n}") for n in range(4)), ("/menu", "menu"))
    session = open_session(SEED, order=rare_first)
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


def test_a_turn_is_told_with_the_topic_for_which_it_was_and_counts_for_no_other(
    open_session: Callable[..., Session],
) -> None:
    web, session = a_web(), open_session(**topic("lamps number"))
    first, *_ = crawl(session, web, 6)
    turn = list(turn_rows(promise_of(session, first)))[-2].text
    assert turn.startswith("Its turn was number 1, with a priority")
    session.close("shutdown")
    session = open_session(**topic())
    assert harvest_of(session.database)["turns"] == 0
    later, *_ = crawl(session, web, 3)
    assert harvest_of(session.database)["turns"] == 3
    texts = {path: " ".join(row.text for row in turn_rows(promise_of(session, path))) for path in (first, later)}
    assert "Its turn was number 1, for the topic “lamps number” of an earlier run, with a priority" in texts[first]
    assert "Its turn was number 7, with a priority" in texts[later]
    session.close("shutdown")
    session = open_session(**topic("lamps number"))
    harvest = harvest_of(session.database)
    assert harvest is not None
    assert (harvest["turns"], harvest["in_force"]) == (6, True)


@pytest.mark.parametrize("order", [None, rare_first])
def test_after_a_run_by_another_order_the_topic_is_told_as_the_last(
    open_session: Callable[..., Session], order: object
) -> None:
    web, session = a_web(), open_session(**topic())
    first, *_ = crawl(session, web, 3)
    session.close("shutdown")
    session = open_session(order=order)
    crawl(session, web, 2)
    harvest = harvest_of(session.database)
    assert harvest is not None
    assert harvest["turns"] == 3
    assert harvest_in_words(harvest).startswith("none is in force now; the last was “rye bread”: ")
    texts = [row.text for row in turn_rows(promise_of(session, first))]
    assert any("number 1, for the topic “rye bread” of an earlier run" in text for text in texts)
    session.close("shutdown")
    harvest = harvest_of(open_session(**topic()).database)
    assert harvest is not None
    assert harvest_in_words(harvest).startswith("“rye bread”: ")


def test_a_topic_to_which_nothing_is_relevant_is_told_at_the_end(begin: Begin) -> None:
    session = begin("qwxzzy")
    assert nothing_relevant(harvest_of(session.database)) == [], "nothing is stored yet"
    crawl(session, a_web(), 4)
    numbers = report(session.database)
    assert "Topic: none of 4 stored pages is relevant to “qwxzzy”." in run_summary(numbers, 1, [], Trial())
    session.close("shutdown")
    session = begin()
    crawl(session, a_web(), 3)
    assert nothing_relevant(harvest_of(session.database)) == []


def test_the_turns_of_before_are_those_of_the_latest_topic(begin: Begin) -> None:
    """The step of the schema is taken again, over a database that was in the order of a topic."""
    session = begin()
    crawl(session, a_web(), 3)
    connection = session.database.connection
    connection.executescript(
        "ALTER TABLE topic DROP COLUMN in_force; ALTER TABLE topic DROP COLUMN turn_topic; "
        "ALTER TABLE promise DROP COLUMN turn_topic; DROP TABLE turn_topic;"
    )
    [step] = MIGRATIONS.glob("*_turn_topic.sql")
    connection.executescript(step.read_text("utf-8"))
    harvest = read_harvest(session.database)
    assert harvest is not None
    assert (harvest.topic, harvest.in_force, harvest.turns) == ("rye bread", True, 3)
