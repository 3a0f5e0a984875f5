"""`search`: the best pages, with the lines that show why."""

from __future__ import annotations

import json
import random
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from commands.frame.terminal import COLUMNS, width_of
from frontier.job import CrawlJob
from frontier.session import Session
from indexer.following import catch_up
from pages.content.similarity import ORDERS
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


@pytest.mark.parametrize(
    ("words", "url"),
    [
        pytest.param(["sourdough", "starter"], "/sourdough.html", id="several words"),
        pytest.param(["sourdough starter"], "/sourdough.html", id="one argument"),
        pytest.param(["Kruste"], "/brot.html", id="German"),
        pytest.param(["食パン"], "/pan.html", id="Japanese"),
    ],
)
def test_the_right_page_stands_first(bakery: Breadcrumb, words: list[str], url: str) -> None:
    done = bakery.run("search", *words)
    assert (done.code, done.err) == (0, "")
    assert next(line for line in done.out.splitlines() if "http" in line).strip() == HOST + url


def test_json_has_the_names_of_the_api(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "rye", "--json")
    found = json.loads(done.out)
    assert set(found) == {"query", "total", "folded", "took_ms", "generation", "hits"}
    assert set(found["hits"][0]) == {
        *("url", "title", "snippet", "score", "lang", "fetched_at", "published", "modified", "similar", "explain"),
        *("not_fetched", "inlinks"),
    }
    assert found["query"] == "rye"


def test_what_there_was_no_time_for_is_told(bakery: Breadcrumb) -> None:
    words = ("search", "rye", "bread", "-s", "SEARCH_TIMEOUT=0")
    assert "The time for one query, 0 s, was up" in bakery.run(*words).out
    assert "the word “bread”" in json.loads(bakery.run(*words, "--json").out)["left_out"]


def test_the_parts_of_a_score_add_up_to_it(bakery: Breadcrumb) -> None:
    hit = json.loads(bakery.run("search", "rye bread", "--json").out)["hits"][0]
    assert sum(round(part["value"] * 10_000) for part in hit["explain"]["parts"]) == round(hit["score"] * 10_000)


def test_explain_shows_what_a_score_is_made_of(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "rye", "--explain")
    assert "= the sum of:" in done.out
    assert "rye in title" in done.out


def test_no_line_but_an_address_is_wider_than_the_screen(bakery: Breadcrumb) -> None:
    for query in ("sourdough", "食パン"):
        lines = bakery.run("search", query, "--explain").out.splitlines()
        assert all(width_of(line) <= COLUMNS for line in lines if "http" not in line)


def test_nothing_found_is_an_answer_with_exit_code_1(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "zeppelin")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("No results for zeppelin")
    assert json.loads(bakery.run("search", "zeppelin", "--json").out)["hits"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [([""], "QUERY is empty"), (["rye", "-n", "0"], "n='0'"), (["rye", "--site", "a b"], "site='a b'"),
     (["rye", "--lang", "klingon"], "lang='klingon'"), (["x" * 2000], "2000 characters"),
     (["rye", "--similar", "no address"], "similar='no address' is no URL: give that of a result")],
)  # fmt: skip
def test_what_can_t_be_asked_is_told(bakery: Breadcrumb, words: list[str], said: str) -> None:
    done = bakery.run("search", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_results_are_limited_and_paged(bakery: Breadcrumb) -> None:
    first = json.loads(bakery.run("search", "-n", "1", "bread", "rye", "--json").out)
    second = json.loads(bakery.run("search", "-n", "1", "--page", "2", "bread", "rye", "--json").out)
    assert first["total"] == second["total"] > 1
    assert first["hits"][0]["url"] != second["hits"][0]["url"]


def test_a_language_and_a_site_narrow_the_search(bakery: Breadcrumb) -> None:
    assert bakery.run("search", "Roggenbrot", "--lang", "de").code == 0
    assert bakery.run("search", "Roggenbrot", "--lang", "en").code == 1
    assert bakery.run("search", "Roggenbrot", "--site", "bakery.localhost:8400").code == 0
    assert bakery.run("search", "Roggenbrot", "--site", "cellar.localhost:8400").code == 1


def test_words_after_two_dashes_are_never_options(bakery: Breadcrumb) -> None:
    found = json.loads(bakery.run("search", "--json", "rye", "--", "-n", "--json", "-sqlite").out)
    assert found["query"] == "rye -n --json -sqlite"


@pytest.mark.parametrize("hidden", ["/copy.html", "/secret.html"])
def test_what_was_refused_is_not_found(bakery: Breadcrumb, hidden: str) -> None:
    out = bakery.run("search", "sourdough", "secret", "recipe", "index", "--json").out
    assert HOST + hidden not in out


def test_plain_text_goes_into_a_pipe(bakery: Breadcrumb) -> None:
    assert "\x1b" not in bakery.run("search", "rye").out


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["rye", "site:bakery.localhost"], id="without its port"),
        pytest.param(["rye", "--site", "bakery.localhost"], id="as an option"),
        pytest.param(["rye", f"site:{HOST}/rye.html"], id="a whole address"),
        pytest.param(["rye", "site:baker"], id="a part of its name"),
    ],
)
def test_a_site_is_known_by_a_part_of_its_name_and_shown_in_whole(bakery: Breadcrumb, words: list[str]) -> None:
    done = bakery.run("search", *words)
    assert done.code == 0
    assert "Only pages on bakery.localhost:8400." in done.out


def test_a_site_that_the_index_does_not_have_leads_to_the_one_that_was_meant(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "rye", "site:bakry.localhost:8400")
    assert done.code == 1
    assert "did you mean bakery.localhost:8400?" in done.out


def test_a_pasted_address_is_answered_with_the_command_that_tells_why(bakery: Breadcrumb) -> None:
    assert f"breadcrumb why {HOST}/nothing" in bakery.run("search", f"{HOST}/nothing").out


def test_a_result_that_lacks_the_phrase_says_so(bakery: Breadcrumb) -> None:
    assert "without “rye rye” in a row" in bakery.run("search", "“rye rye”").out


def test_a_site_that_is_there_is_not_told_to_be_missing(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "zeppelin", "site:bakery.localhost:8400")
    assert done.code == 1
    assert "did you mean" not in done.out


def test_a_page_behind_the_last_one_says_so(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "rye", "--page", "9")
    assert done.code == 1
    assert done.out.startswith("There is no page 9: ")


def test_an_index_without_pages_says_so(crawled: Breadcrumb) -> None:
    crawled.run("block", "bakery.localhost:8400", "--yes")
    crawled.run("index")
    done = crawled.run("search", "rye")
    assert done.code == 1
    assert "The index is empty" in done.out


@pytest.fixture
def loaves(empty: Breadcrumb) -> Breadcrumb:
    """Three pages that say nearly the same, one with an address for which a shell needs quotes, and a fourth page."""
    urls = [canonicalize(f"{HOST}/{path}") for path in ("loaf?a=1&b=2", "loaf/2", "loaf/3", "alone")]
    session = Session(empty.data, CrawlJob(urls))
    for number, url in enumerate(lease_all(session)):
        drawn = random.Random(url == urls[-1]).randbytes(ORDERS)
        session.store.page(a_page(url, "loaf " * (4 - number) + f"number {number}", signature=drawn))
    session.close("finished")
    catch_up(empty.data)
    return empty


def test_similar_pages_are_shown_by_the_command_that_stands_under_a_result(loaves: Breadcrumb) -> None:
    out = loaves.run("search", "loaf").out
    assert "1 to 2 of 2 and 2 similar pages under them" in out
    found = re.search(r"2 similar pages: (--similar .+)", out)
    assert found
    first = loaves.run("search", "loaf", *shlex.split(found[1]), "--json", "-n", "2")
    told = json.loads(first.out)
    rest = json.loads(loaves.run("search", "loaf", *shlex.split(found[1]), "--json", "-n", "2", "--page", "2").out)
    assert (first.code, told["total"], told["folded"]) == (0, 3, 0)
    hits = told["hits"] + rest["hits"]
    assert sorted(hit["url"].removeprefix(HOST) for hit in hits) == ["/loaf/2", "/loaf/3", "/loaf?a=1&b=2"]
    assert {hit["similar"] for hit in hits} == {0}
    assert "similar page" not in loaves.run("search", "loaf", *shlex.split(found[1])).out


def test_an_address_that_the_index_does_not_have_has_no_similar_pages(loaves: Breadcrumb) -> None:
    words = ("search", "loaf", "--similar", f"{HOST}/unknown?a=1&b=2")
    done = loaves.run(*words)
    assert (done.code, done.err) == (1, "")
    assert "page is not in the index" in " ".join(done.out.split())
    assert f"./breadcrumb why '{HOST}/unknown?a=1&b=2'" in done.out
    told = loaves.run(*words, "--json")
    assert (told.code, json.loads(told.out)["total"], json.loads(told.out)["hits"]) == (1, 0, [])
    assert loaves.run("search", "zeppelin", "--similar", f"{HOST}/loaf/2").out.startswith("No results for zeppelin")
