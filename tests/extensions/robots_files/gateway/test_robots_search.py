"""Does the tab for robots.txt files show which answer, by which lines, and what helps where none does?"""

from __future__ import annotations

import html
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.tables.robots_files import ImportedFile, put_imported
from tests.gateway.conftest import EVIL, FETCHED_AT, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def found(client: FlaskClient, question: str, **more: str) -> str:
    answer = client.get("/search", query_string={"in": "robots", "q": question, **more})
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.text).split())


def without_markup(page: str) -> str:
    return re.sub("<[^>]*>", "", page)


def test_the_lines_that_decide_are_shown_and_lead_to_the_file(client: FlaskClient) -> None:
    page = found(client, "agent:GPTBot disallow:/")
    assert "1 file of 3, in" in page
    assert "https://mill.example/robots.txt</a></h2>" in page
    assert '<li value="4" class="decides"><code dir="ltr">User-agent: GPTBot</code>' in page
    assert '<li value="5" class="decides"><code dir="ltr">Disallow: /</code> <span class="by">disallow:/</span>' in page
    assert "imported, seen on 21 Nov 2026" in without_markup(page)
    assert "in one group User-agent: gptbot and Disallow: /" in page


def test_a_result_is_judged_in_four_readings_as_it_was(client: FlaskClient) -> None:
    page = found(client, "agent:GPTBot", all="1")
    address = page.partition('<h2 dir="auto"><a href="')[2].partition('"')[0]
    version = html.unescape(client.get(html.unescape(address)).text)
    assert (
        "https://mill.example/robots.txt: the newest version, imported from a collection, seen on 21 Nov 2026"
        in version
    )
    assert "It is checked as if it were current" in version
    assert "User-agent: GPTBot" in version
    gone = client.get("/inside/robots?version=4711&part=").text
    assert "This version of a robots.txt is no longer stored" in gone
    assert client.get("/inside/robots?version=4711&part=" + "../" * 9).status_code == 200
    assert client.get("/inside/robots?version=nan").status_code == 400


def test_older_versions_answer_when_they_are_asked_for(client: FlaskClient) -> None:
    question = "disallow:/wheel/"
    assert "1 file of 3" in found(client, question)
    page = found(client, question, all="1")
    assert "2 versions of 4" in page
    assert "an older version" in page
    assert "Newest versions alone" in page


def test_finding_nothing_says_what_is_near_and_what_holds_by_itself(client: FlaskClient) -> None:
    page = found(client, "agent:GPTBott disallow:/")
    assert "No robots.txt answers" in page
    told = without_markup(page)
    assert "No file names “gptbott”. Near it: gptbot (1 file)" in told
    assert "By itself Disallow: / holds in 2 files" in told
    assert "What you can search for" in page


def test_both_tabs_keep_the_words_and_the_form_keeps_its_tab(client: FlaskClient) -> None:
    page = found(client, "rye")
    assert '<a href="/search?q=rye">Pages</a>' in page
    assert '<input type="hidden" name="in" value="robots">' in page
    assert "completions.js" not in page, "suggestions are words of pages"
    pages = client.get("/search?q=rye").text
    assert '<a href="/search?in=robots&amp;q=rye">robots.txt files</a>' in pages
    assert "aria-current=page" in pages


def test_an_empty_question_shows_what_can_be_asked(client: FlaskClient) -> None:
    page = html.unescape(client.get("/search?in=robots").text)
    assert "4 versions of robots.txt files" in page
    assert 'placeholder="agent:GPTBot disallow:/"' in page
    assert "/search?in=robots&q=lint%3Amisspelt" in page
    sent = client.get("/search?in=robots&q=")
    assert (sent.status_code, sent.location) == (302, "/search?in=robots")


def test_pages_of_results_follow_each_other(client: FlaskClient) -> None:
    first = found(client, "date:2026-11", n="3")
    assert first.count("<article>") == 3
    assert 'rel="next" href="/search?in=robots&q=date%3A2026-11&page=2&n=3"' in first
    assert found(client, "date:2026-11", n="3", page="2").count("<article>") == 1
    assert "There is no page 9 of results" in found(client, "date:2026-11", page="9")


@pytest.mark.parametrize("query", ["in=x", "in=robots&q=" + "x" * 1_001, "in=robots&q=a&page=0", "in=robots&q=a&n=-1"])
def test_what_makes_no_sense_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/search?{query}").status_code == 400


@pytest.mark.parametrize(
    "question", [EVIL, '"', "((", "agent:", "' OR 1=1 --", "crawl-delay:>", "\x00\ud800", "-", "NEAR(a b"]
)
def test_no_question_is_an_error_and_nothing_of_a_file_is_markup(client: FlaskClient, question: str) -> None:
    answer = client.get("/search", query_string={"in": "robots", "q": question.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 200
    assert EVIL not in answer.text
    shown = client.get("/search", query_string={"in": "robots", "q": "site:crumb.example script"})
    assert "&lt;script&gt;" in shown.text
    assert "<script>alert" not in shown.text


def test_a_long_file_is_shown_by_few_of_its_lines(tmp_path: Path) -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%05d\n" % number for number in range(1_500))
    with CrawlDatabase(tmp_path) as database, database.transaction():
        put_imported(database, ImportedFile("long", "", FETCHED_AT, body), "a collection")
    answer = gateway(tmp_path).get("/search?in=robots&q=disallow:*")
    assert "more lines that match the query" in answer.text
    assert len(answer.data) < 20_000


def test_without_any_file_it_says_how_to_get_some(tmp_path: Path) -> None:
    CrawlDatabase(tmp_path).close()
    client = gateway(tmp_path)
    for address in ("/search?in=robots", "/search?in=robots&q=agent:*"):
        assert "./breadcrumb robots --import FILES" in client.get(address).text
    assert gateway(tmp_path / "nothing").get("/search?in=robots&q=a").status_code == 503


def test_it_answers_without_an_index_of_pages_and_after_its_own_is_damaged(bakery: Path, tmp_path: Path) -> None:
    shutil.copy(bakery / FILE_NAME, tmp_path / FILE_NAME)
    client = gateway(tmp_path)
    assert "1 file of 3" in found(client, "agent:gptbot")
    (tmp_path / "robots_index.sqlite3").write_bytes(b"no database at all" * 500)
    assert "1 file of 3" in found(client, "agent:gptbot")
