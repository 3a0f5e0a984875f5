"""The answer in one sentence: it says what the search shows, and names the first step at which a page fell."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commands.frame.data_folder import open_searcher
from crawldb.databases import Parts
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from frontier.session import Session
from indexer.retrieval.absence import ResultStep
from pages.content.similarity import ORDERS
from reports.why import UrlFacts, url_facts
from tests.gateway.conftest import REFUSED, SITE, a_page, crawl, index
from tests.samples import lease_all
from urls.canonical import canonicalize
from urls.records import Refusal, Sitemap
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

PAGES = (
    a_page("/", "The bakery", "Welcome to the bakery."),
    a_page("/rye.html", "Rye bread", "Rye bread keeps for a week, says the baker of the bakery."),
    a_page("/oats.html", "Oats", "The oats keep for a year."),
    replace(a_page("/no.html", "No", "Not here."), refusals=(Refusal(Rule.NOINDEX, "a meta says noindex"),)),
)


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("answers")
    crawl(data_dir, PAGES)
    index(data_dir)
    return data_dir


def facts(data_dir: Path, path: str, query: str = "") -> UrlFacts:
    with Parts.in_folder(data_dir) as parts:
        return url_facts(parts, SITE + path, lambda: open_searcher(data_dir), policy_in, query=query)


@pytest.mark.parametrize(
    ("path", "query", "sentence", "remedy"),
    [
        pytest.param("/rye.html", "baker", "Yes, it is in the index: for “baker” it is the only result.", "",
                     id="only"),
        pytest.param("/rye.html", "bakery", "Yes, it is in the index: for “bakery” it is result 2 of 2.", "",
                     id="second"),
        pytest.param("/rye.html", "", "Yes, it is in the index: for its own title, “Rye bread”, it is the only result.",
                     "", id="no question"),
        pytest.param("/private/", "link", "Yes, it is in the index only by the text of links, because robots.txt "
                     "disallows it: for “link” it is", "", id="links alone"),
        pytest.param("/rye.html", "helicopter", "It is in the index, but no result for “helicopter”: it failed at the "
                     "step “words”: it has none of the words “helicopter”.",
                     "Search for words that distinguish it from other pages: “rye”, “", id="words"),
        pytest.param("/rye.html", "baker lang:de", "“conditions”: the query finds only pages in the language de",
                     "Search without that condition.", id="conditions"),
        pytest.param("/no.html", "here", "No, it is not in the index: it failed at the step “kept”: a meta "
                     "says noindex",
                     "", id="kept"),
        pytest.param("/unknown.html", "rye", "No, it is not in the index: it failed at the step “known”: the "
                     "crawl does not know it.", "", id="known"),
    ],
)  # fmt: skip
def test_the_answer_is_what_a_search_shows(bakery: Path, path: str, query: str, sentence: str, remedy: str) -> None:
    found = facts(bakery, path, query)
    asked = open_searcher(bakery).search(query or found.place.query, 100)
    place = [hit.url for hit in asked.hits].index(SITE + path) + 1 if found.answer.is_result else 0
    assert (SITE + path in {hit.url for hit in asked.hits}) == found.answer.is_result == sentence.startswith("Yes")
    assert sentence in found.answer.sentence
    assert remedy in found.answer.remedy
    assert f"result {place} of {asked.total}" in found.answer.sentence or asked.total == 1 or not place
    assert bool(found.answer.remedy) is not found.answer.is_result


def test_what_would_change_it_does(bakery: Path) -> None:
    """The words that are proposed bring the page up."""
    proposed = facts(bakery, "/rye.html", "helicopter").answer.remedy
    words = proposed.partition(": ")[2].replace("“", "").replace("”", "").replace(",", "").removesuffix(".")
    assert facts(bakery, "/rye.html", words).answer.is_result


def test_all_steps_are_told_as_passed_fallen_at_or_not_asked(bakery: Path) -> None:
    steps = facts(bakery, "/rye.html", "helicopter").answer.steps
    assert [each.step for each in steps] == list(ResultStep)
    fell = list(ResultStep).index(ResultStep.WORDS)
    assert [each.passed for each in steps] == [True] * fell + [False] + [None] * (len(steps) - fell - 1)
    assert all(each.passed for each in facts(bakery, "/rye.html", "rye").answer.steps)


def test_of_a_page_that_only_links_tell_of_no_step_is_claimed_that_it_never_took(bakery: Path) -> None:
    for query in ("link", "helicopter"):
        steps = {each.step: each.passed for each in facts(bakery, "/private/", query).answer.steps}
        assert steps[ResultStep.ALLOWED] is steps[ResultStep.FETCHED] is steps[ResultStep.KEPT] is None
        assert steps[ResultStep.INDEXED] is True
        assert steps[ResultStep.WORDS] is (query == "link")
    assert REFUSED.url == f"{SITE}/private/"


def test_without_an_index_nothing_is_claimed(tmp_path: Path) -> None:
    crawl(tmp_path, PAGES)
    found = facts(tmp_path, "/rye.html", "rye").answer
    assert found.sentence == "No, it is not in the index: it failed at the step “indexed”: there is no index yet."
    assert found.remedy == "./breadcrumb index updates the index."


def test_programs_get_all_of_it(bakery: Path) -> None:
    told = json.loads(json.dumps(facts(bakery, "/rye.html", "helicopter").as_dict()))
    assert told["answer"]["steps"][6] == {
        "step": "words", "passed": False, "told": "it has none of the words “helicopter”"
    }  # fmt: skip
    assert [step["by"] for step in told["path"]["steps"]] == ["seed", "link"]
    assert told["path"]["steps"][1]["words"] == ["a link"]
    assert told["inlinks_told"]["shown"][0]["url"] == f"{SITE}/"
    assert told["history"][0]["change"] == "the first known request"
    assert next(iter(told["terms"])) == told["words"][0]["word"], "content words first"
    assert told["robots_excerpt"] is None


def test_a_page_that_stands_under_another_says_so_of_its_own_title(tmp_path: Path) -> None:
    signature = random.Random(5).randbytes(ORDERS)
    same = [a_page(f"/{n}.html", "Rye", f"Rye bread {'rye ' * n}", signature=signature) for n in (1, 5)]
    crawl(tmp_path, (PAGES[0], *same), ())
    index(tmp_path)
    answers = [facts(tmp_path, f"/{n}.html").answer for n in (1, 5)]
    [under] = [answer for answer in answers if not answer.is_result]
    assert under.sentence.startswith(
        "It is in the index, but no result for its own title, “Rye”: it failed at the step “own place”: it is under"
    )
    assert under.remedy == "A search among the similar pages of that result shows it."


def test_a_sitemap_is_told_to_be_one(tmp_path: Path) -> None:
    session = Session(tmp_path, CrawlJob((PAGES[0].url,)))
    session.store.name_sitemaps(SITE, [f"{SITE}/map.xml"])
    lease_all(session)
    session.store.sitemap(Sitemap(canonicalize(f"{SITE}/map.xml"), "urlset", ()))
    session.close("finished")
    assert "at the step “fetched”: it was read as a sitemap (sitemap)" in facts(tmp_path, "/map.xml").answer.sentence
