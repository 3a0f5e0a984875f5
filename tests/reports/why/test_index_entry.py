"""Is a page a result, and if not, why? The search, the account and the place among the results say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from commands.frame.data_folder import open_searcher
from crawldb.database import CrawlDatabase
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import block, forget
from indexer import NoIndex
from indexer.retrieval.absence import ResultStep
from reports.why import IndexEntry, UrlRecord, index_entry, url_record, why_rows
from robots import Wish, controls_from, page_controls
from tests.gateway.conftest import SITE, a_page, crawl, index
from tests.samples import lease_all
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, LeaseEnd, Outcome, Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

URL = canonicalize(f"{SITE}/rye.html")
HOME = a_page("/", "The bakery", "Welcome to the bakery.")
RYE = a_page("/rye.html", "Rye bread", "Rye bread keeps for a week.")
PASSED = "2020-02-01 06:00 UTC has passed"
BY_HEADER = [("X-Robots-Tag", "unavailable_after: 2020-02-01T06:00:00Z")]
META = b'<meta name="robots" content="unavailable_after: 2031-01-01"><meta name="robots" content="%s">' % (
    b"unavailable_after: 2020-02-01T06:00:00Z"
)


def asked(data_dir: Path, query: str = "", **where: Any) -> tuple[UrlRecord, IndexEntry]:
    with CrawlDatabase(data_dir, readonly=True) as database:
        found = url_record(database, URL)
    return found, index_entry(lambda: open_searcher(data_dir), found, query, **where)


def visit_again(data_dir: Path, outcome: Outcome) -> None:
    session = Session(data_dir, CrawlJob((HOME.url,)))
    lease_all(session)
    session.store.outcome(outcome)
    session.close("finished")


def says_noindex(data_dir: Path) -> None:
    wishes = (Wish("noindex", "", "X-Robots-Tag: noindex"),)
    same = Outcome(
        URL, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, "it answered 304", 304, fetched_at=2e9, conditional=True
    )
    visit_again(data_dir, replace(same, wishes=wishes))


def goes(data_dir: Path) -> None:
    visit_again(data_dir, Outcome(URL, LeaseEnd.GONE, Rule.GONE, "it answered 404", 404, fetched_at=2e9))


def is_forgotten(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        forget(database, URL)


def is_blocked(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        block(database, URL, "its owner wrote to us")


def nothing(_: Path) -> None:
    """Let it be as it is."""


@pytest.mark.parametrize(
    ("page", "happens", "reason"),
    [
        pytest.param(RYE, nothing, "", id="nothing speaks against it"),
        pytest.param(replace(RYE, controls=controls_from(BY_HEADER, (), agent="Breadcrumb")), nothing,
                     f"{PASSED}, from {': '.join(BY_HEADER[0])}", id="expired by a header"),
        pytest.param(replace(RYE, controls=page_controls((), META, agent="Breadcrumb", url=URL)), nothing,
                     f'{PASSED}, from <meta name="robots">', id="expired by a meta"),
        pytest.param(replace(RYE, refusals=(Refusal(Rule.NOINDEX, "its meta says noindex"),)), nothing,
                     "its meta says noindex", id="noindex"),
        pytest.param(RYE, says_noindex, "X-Robots-Tag: noindex says noindex", id="noindex, seen by a 304"),
        pytest.param(RYE, goes, "it answered 404", id="gone"),
        pytest.param(RYE, is_forgotten, "a person took it out with forget", id="forgotten"),
        pytest.param(RYE, is_blocked, "its owner wrote to us", id="blocked since"),
        pytest.param(replace(RYE, duplicate_of=HOME.url, refusals=(Refusal(Rule.DUPLICATE, "the same text"),)), nothing,
                     "the same text", id="a copy"),
        pytest.param(replace(RYE, canonical=HOME.url), nothing, f"it names {HOME.url} as its canonical address",
                     id="it stands aside"),
    ],
)  # fmt: skip
def test_the_account_and_the_search_agree_on_what_is_a_result(
    tmp_path: Path, page: object, happens: object, reason: str
) -> None:
    crawl(tmp_path, (HOME, page), ())  # type: ignore[arg-type]  # a parameter
    index(tmp_path)
    happens(tmp_path)  # type: ignore[operator]  # a parameter
    found, place = asked(tmp_path, "rye bread")
    told = "\n".join(row.text for row in why_rows(found))
    is_result = URL in {hit.url for hit in open_searcher(tmp_path).search("rye bread").hits}
    assert is_result == (not reason) == (place.hit is not None) == ("The page can be a result" in told)
    assert reason in told
    assert bool(place.absence) == bool(reason)
    if found.page is not None:
        assert reason in place.absence
        assert found.as_dict()["page"]["indexed"] is is_result


@pytest.mark.parametrize(
    ("query", "where", "absence"),
    [
        pytest.param("helicopter", {}, "it has none of the words “helicopter”", id="no word"),
        pytest.param("rye -week", {}, "the query finds only pages without “week”", id="left out"),
        pytest.param("rye", {"site": "mill.example"}, "the query finds only pages on mill.example", id="another site"),
        pytest.param("rye -lang:en", {}, "the query finds only pages not in the language en", id="another language"),
        pytest.param("-helicopter", {}, "the query has no word to search for", id="only what is left out"),
    ],
)
def test_a_page_that_does_not_answer_says_why(tmp_path: Path, query: str, where: dict[str, str], absence: str) -> None:
    crawl(tmp_path, (HOME, RYE), ())
    index(tmp_path)
    _, place = asked(tmp_path, query, **where)
    assert place.hit is None
    assert absence in place.absence


def test_a_page_that_lacks_the_phrase_stands_behind_and_is_told_to(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME, RYE), ())
    index(tmp_path)
    _, place = asked(tmp_path, '"bread keeps rye"')
    assert place.hit is not None
    assert place.hit.lacks == ("bread keeps rye",)


def test_a_page_that_waits_for_the_index_says_so(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME,), ())
    index(tmp_path)
    session = Session(tmp_path, CrawlJob((HOME.url, URL)))
    lease_all(session)
    session.store.page(RYE)
    session.close("finished")
    assert asked(tmp_path)[1].absence == "it is not in the index yet"


def test_without_an_index_the_crawl_has_its_account_all_the_same(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME, RYE), ())
    with pytest.raises(NoIndex):
        open_searcher(tmp_path)
    assert "there is no index yet" in asked(tmp_path)[1].absence


OLD = controls_from([("X-Robots-Tag", "unavailable_after: 2020-02-01T06:00:00Z")], (), agent="Breadcrumb")
MANY = tuple(
    a_page(f"/{number}.html", f"Rye {number}", "Rye rye rye rye rye. " + "Oats. " * number) for number in range(3)
)


def at(data_dir: Path, query: str, url: str = URL, **where: Any) -> IndexEntry:
    with CrawlDatabase(data_dir, readonly=True) as database:
        found = url_record(database, url)
    return index_entry(lambda: open_searcher(data_dir), found, query, **where)


def refuses(data_dir: Path) -> None:
    visit_again(data_dir, Outcome(URL, LeaseEnd.REFUSED, Rule.ROBOTS, "robots.txt, line 2: Disallow: /rye"))


@pytest.mark.parametrize(
    ("page", "query", "step", "reason"),
    [
        pytest.param(replace(RYE, refusals=(Refusal(Rule.NOINDEX, "its meta says noindex"),)), "rye", ResultStep.KEPT,
                     "its meta says noindex (noindex)", id="a judge refused it"),
        pytest.param(replace(RYE, controls=OLD), "rye", ResultStep.CURRENT, PASSED, id="its date has passed"),
        pytest.param(RYE, "helicopter oats", ResultStep.WORDS, "none of the words “helicopter”, “oats”", id="no word"),
        pytest.param(replace(RYE, template_text="Welcome"), "welcome", ResultStep.WORDS,
                     "only its menus, header or footer have “welcome”", id="a word of its menu"),
        pytest.param(RYE, "rye lang:de", ResultStep.CONDITIONS, "only pages in the language de", id="a filter"),
        pytest.param(RYE, "bread -week", ResultStep.CONDITIONS, "only pages without “week”", id="an excluded word"),
    ],
)  # fmt: skip
def test_a_page_falls_at_the_first_step_that_it_does_not_pass(
    tmp_path: Path, page: Page, query: str, step: ResultStep, reason: str
) -> None:
    crawl(tmp_path, (HOME, page), ())
    index(tmp_path)
    entry = at(tmp_path, query)
    assert (entry.hit, entry.step) == (None, step)
    assert reason in entry.absence
    assert entry.passed == tuple(
        each for each in ResultStep if list(ResultStep).index(each) < list(ResultStep).index(step)
    )
    assert URL not in {hit.url for hit in open_searcher(tmp_path).search(query, 100).hits}


def test_an_address_that_was_never_met_falls_at_the_first_step(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME,), ())
    index(tmp_path)
    entry = at(tmp_path, "rye", f"{SITE}/unknown.html")
    assert (entry.step, entry.passed, entry.absence) == (ResultStep.KNOWN, (), "the crawl does not know it")
    assert entry.as_dict() == {
        "query": "rye", "total": 0, "place": None, "absence": "the crawl does not know it", "step": "known"
    }  # fmt: skip
    assert "would reject it" in at(tmp_path, "rye", "http://elsewhere.example/").absence


def test_a_refused_page_names_its_rule_and_one_that_waits_says_so(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME,), ())
    index(tmp_path)
    session = Session(tmp_path, CrawlJob((HOME.url, URL)))
    session.close("finished")
    assert (at(tmp_path, "rye").step, at(tmp_path, "rye").absence) == (ResultStep.FETCHED, "it is not fetched yet")
    refuses(tmp_path)
    entry = at(tmp_path, "rye")
    assert (entry.step, entry.absence) == (ResultStep.ALLOWED, "robots.txt, line 2: Disallow: /rye (robots)")


def test_a_url_that_gave_no_page_waits_to_be_fetched_again(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME, RYE), ())
    index(tmp_path)
    session = Session(tmp_path, CrawlJob())
    for url in lease_all(session):
        session.store.outcome(Outcome(CanonicalUrl(url), LeaseEnd.GONE, Rule.GONE, "it answered 404", 404))
    session.close("finished")
    Session(tmp_path, CrawlJob()).close("finished")  # a round in which nothing was requested yet
    assert at(tmp_path, "rye").absence == "it waits to be fetched again"


def test_a_page_that_a_server_does_not_give_falls_before_it_is_judged(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME,), ())
    index(tmp_path)
    Session(tmp_path, CrawlJob((HOME.url, URL))).close("finished")
    goes(tmp_path)
    assert (at(tmp_path, "rye").step, at(tmp_path, "rye").absence) == (ResultStep.FETCHED, "it answered 404 (gone)")


def test_a_page_that_answers_worse_than_all_that_are_looked_through_tells_its_place(tmp_path: Path) -> None:
    crawl(tmp_path, (HOME, RYE, *MANY), ())
    index(tmp_path)
    searcher = open_searcher(tmp_path)
    places = [hit.url for hit in searcher.search("rye").hits]
    told = searcher.reason_absent(URL, "rye")
    assert told.step is ResultStep.RANK
    assert f"it is number {places.index(URL) + 1} of {len(places)}, similar pages counted" in told.reason


def test_a_page_without_the_phrase_falls_where_enough_pages_have_it(tmp_path: Path) -> None:
    having = tuple(a_page(f"/{number}.html", "Oats", f"The oats keep well, {number}.") for number in range(12))
    crawl(tmp_path, (HOME, replace(RYE, text="Well, keep oats of rye."), *having), ())
    index(tmp_path)
    entry = at(tmp_path, '"oats keep well"')
    assert (entry.step, "it has not the phrase “oats keep well”" in entry.absence) == (ResultStep.PHRASES, True)
