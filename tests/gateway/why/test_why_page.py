"""The page about one URL: the decisions, and the parts of its score."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands.frame.command_settings import CommandSettings
from commands.frame.data_folder import policy_under
from crawldb.database import CrawlDatabase
from frontier.takedown import forget
from indexer.ranking.score import FACTORS_IN_WORDS
from tests.commands.conftest import Breadcrumb
from tests.gateway.conftest import PAGES, SITE, crawl, gateway, index
from urls.signals import Signal, SignalName

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def labels(page: str) -> list[str]:
    return re.findall(r'<span class="label">(\w+)</span>', page)


def test_it_tells_what_was_decided_in_the_order_in_which_it_was(client: FlaskClient) -> None:
    answer = client.get("/why", query_string={"url": "HTTP://Bakery.localhost:8400/rye.html#crust"})
    assert answer.status_code == 200
    told = labels(answer.text)
    order = ["URL", "found", "fetched", "page", "filters", "state"]
    assert sorted(dict.fromkeys(label for label in told if label in order), key=order.index) == order
    assert [told.index(label) for label in order] == sorted(told.index(label) for label in order)


def test_the_parts_of_a_score_add_up_to_the_score_shown(client: FlaskClient) -> None:
    page = client.get("/why", query_string={"url": f"{SITE}/rye.html", "q": "rye bread"}).text
    [shown] = re.findall(r"Score for “<bdi>rye bread</bdi>”: ([\d.]+)", page)
    parts = re.findall(r'<tr>\s*<th scope="row" dir.*?class="number">([\d.]+)</td>', page, re.DOTALL)
    assert len(parts) > 2
    assert f"{sum(map(float, parts)):.4f}" == shown


def test_the_terminal_explains_a_score_with_the_same_words_and_numbers(client: FlaskClient, bakery: Path) -> None:
    asked = ("why", f"{SITE}/rye.html", "--q", "rye", "bread")
    terminal = Breadcrumb(bakery, bakery)
    page = client.get("/why", query_string={"url": asked[1], "q": "rye bread"}).text
    told = " ".join(terminal.run(*asked).out.split())
    [total] = re.findall(r"result 1 of \d+:?\s*([\d.]+) = the sum of:", told)
    parts = re.findall(r"(\d\.\d{4}) ([\w ]+?)(?:(?: near each other)? in ([\w ]+))?: ", told)
    assert f"Score for “<bdi>rye bread</bdi>”: {total}" in page
    assert f"{sum(float(value) for value, _, _ in parts):.4f}" == total
    rows = re.findall(
        r'<th scope="row" dir="auto">([\w ]+)</th>\s*<td>([\w ]+)</td>\s*<td class="number">([\d.]+)', page
    )
    assert sorted((value, word, field) for word, field, value in rows) == sorted(
        (value, word, field or "the page") for value, word, field in parts
    )
    factors = re.findall(r"weight ([\d.]+) x idf ([\d.]+) x cap ([\d.]+) x saturation ([\d.]+) x share ([\d.]+)", told)
    assert len(factors) == sum(" " not in word for _, word, _ in parts) < len(parts), (
        "and words that are near each other"
    )
    for number in {number for each in factors for number in each}:
        assert f'<td class="number">{number}</td>' in page
    for words in (FACTORS_IN_WORDS, "The same word counts for less in a field that is longer than the mean."):
        assert words in told
        assert words in html.unescape(page)
    by_browser = client.get(f"/why?url={SITE}/rye.html&q=rye+bread&format=json").json
    assert by_browser is not None
    assert json.loads(terminal.run(*asked, "--json").out)["rank"] == by_browser["rank"]


def test_without_a_question_it_explains_the_score_for_the_title(client: FlaskClient) -> None:
    assert "Score for “<bdi>Rye bread</bdi>”" in client.get(f"/why?url={SITE}/rye.html").text


def test_a_page_that_does_not_answer_is_said_not_to(client: FlaskClient) -> None:
    assert (
        "No score: it has none of the words “helicopter”." in client.get(f"/why?url={SITE}/rye.html&q=helicopter").text
    )


def test_a_refused_url_shows_who_refused_it(client: FlaskClient) -> None:
    page = client.get(f"/why?url={SITE}/private/").text
    assert "robots.txt, line 2: Disallow: /private/" in page
    assert "It is a result only by these link texts (LINK_ONLY_RESULTS), because robots.txt disallows it." in page
    assert "Cached" not in page


def test_a_duplicate_links_to_the_page_that_it_is_a_copy_of(client: FlaskClient) -> None:
    page = client.get(f"/why?url={SITE}/copy-of-rye.html").text
    assert '<a href="/why?url=http%3A%2F%2Fbakery.localhost%3A8400%2Frye.html">' in page


def test_a_url_that_was_never_discovered_is_not_found(client: FlaskClient) -> None:
    answer = client.get("/why?url=http://elsewhere.example/page")
    assert answer.status_code == 404
    assert "This URL was never discovered" in answer.text


def test_what_was_never_discovered_is_judged_by_the_settings_of_the_crawl(bakery: Path) -> None:
    client = gateway(bakery, policy_of=policy_under(CommandSettings(["SKIP_QUERIES=yes"])))
    page = client.get(f"/why?url={SITE}/new?page=1").text
    assert "SKIP_QUERIES leaves those out" in page


def test_an_address_without_its_scheme_is_headed_by_all_of_it(client: FlaskClient) -> None:
    page = client.get("/why?url=bakery.localhost:8400").text
    assert "<title>Why? bakery.localhost:8400 · Breadcrumb</title>" in page
    assert f'Did you mean <a href="/why?url={quote(SITE, safe="")}%2F">' in page


def test_what_is_no_url_is_said_to_be_none(client: FlaskClient) -> None:
    answer = client.get("/why?url=ftp://a.example/")
    assert answer.status_code == 404
    assert "only http:// and https:// addresses are fetched" in answer.text
    assert '<a href="ftp:' not in answer.text


def test_the_same_as_json(client: FlaskClient) -> None:
    told = client.get(f"/why?url={SITE}/rye.html&q=rye&format=json").json
    assert told is not None
    assert {"url", "canonical", "steps", "robots", "state", "journal", "page", "duplicate_of", "terms", "rank"} <= set(
        told
    )
    assert told["terms"]["rye"] == 2
    assert told["rank"]["place"] == 1
    assert client.get("/why?url=http://elsewhere.example/&format=json").status_code == 404
    assert client.get("/why?format=json").status_code == 400


def test_a_stored_page_that_waits_for_the_index_says_so(tmp_path: Path) -> None:
    crawl(tmp_path)
    page = gateway(tmp_path).get(f"/why?url={SITE}/rye.html").text
    assert "there is no index yet" in page
    assert "./breadcrumb index" in page.partition("What would change that:")[2][:100]


def test_a_forgotten_page_tells_who_asked_for_it(tmp_path: Path) -> None:
    crawl(tmp_path)
    with CrawlDatabase(tmp_path) as database:
        forget(database, f"{SITE}/rye.html")
    assert "a person took it out with forget" in gateway(tmp_path).get(f"/why?url={SITE}/rye.html").text


def test_without_a_url_it_asks_for_one(client: FlaskClient) -> None:
    page = client.get("/why").text
    assert '<label class="broad" for="url"><span>URL of the page, or a part of it</span>' in page
    assert '<input type="text" inputmode="url" id="url" name="url"' in page


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(url=st.text(max_size=60) | st.text(max_size=60).map(lambda text: f"http://{text}"), query=st.text(max_size=60))
def test_any_url_has_an_account_or_none(client: FlaskClient, url: str, query: str) -> None:
    parameters = {"url": url.encode("utf-8", "replace").decode(), "q": query.encode("utf-8", "replace").decode()}
    assert client.get("/why", query_string=parameters).status_code in {200, 404}
    assert client.get("/cached", query_string=parameters).status_code in {200, 400, 404}


def test_what_a_sign_of_spoofing_takes_is_a_row_below_zero(tmp_path: Path) -> None:
    stuffed = Signal(SignalName.STUFFING, 1.0, "“rye” is 90 of 100 words")
    crawl(tmp_path, (replace(PAGES[0], title="Rye", text="rye bread", signals=(stuffed,)),), ())
    index(tmp_path)
    client = gateway(tmp_path)
    page = client.get("/why", query_string={"url": PAGES[0].url, "q": "rye"}).text
    [shown] = re.findall(r"Score for “<bdi>rye</bdi>”: ([\d.]+)", page)
    parts = re.findall(r'<tr>\s*<th scope="row".*?class="number">(-?[\d.]+)</td>', page, re.DOTALL)
    assert float(parts[-2]) < 0, "the last row is the sum"
    assert f"{sum(map(float, parts[:-1])):.4f}" == shown == parts[-1]
    bars = re.findall(r"<title>[^<]*: (-?[\d.]+) of the score</title>", page)
    assert f"{sum(map(float, bars)):.4f}" == shown, "and a bar to the left"
    assert min(map(float, bars)) < 0
    assert "“rye” is 90 of 100 words" in page
    assert "(stuffing 1.00: “rye” is 90 of 100 words)" in page, "it stands in the account as well"
    told = client.get("/why", query_string={"url": PAGES[0].url, "q": "rye", "format": "json"}).get_json()
    assert told["page"]["signals"] == [{"name": "stuffing", "value": 1.0, "evidence": "“rye” is 90 of 100 words"}]


def test_a_page_that_is_no_result_shows_the_steps_and_where_it_fell(client: FlaskClient) -> None:
    page = client.get(f"/why?url={SITE}/rye.html&q=helicopter").text
    assert '<li><span class="step">indexed</span> <span>the index has it</span></li>' in page
    assert '<li aria-current="step"><span class="step">words</span> <span><strong>dropped here:</strong>' in page
    assert '<li class="not-asked"><span class="step">rank</span>' in page
