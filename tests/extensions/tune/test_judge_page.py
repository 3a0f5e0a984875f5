"""`/admin/judge`: can the operator alone mark results, and do the marks reach `tune --clicks`?"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from extensions.tune.tables import marked_results
from frontier import takedown
from indexer.evaluation import JudgedPage, read_judged_pages
from tests.gateway.conftest import SITE, gateway
from tests.gateway.operators.test_admin_page import TOKEN, log_in, token_in

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.commands.conftest import Breadcrumb

RYE = f"{SITE}/rye.html"
PAGE = "/admin/judge?q=rye+bread"


@pytest.fixture
def folder(bakery: Breadcrumb) -> Path:
    return bakery.data


@pytest.fixture
def operator(folder: Path) -> FlaskClient:
    client = gateway(folder, admin_token=TOKEN)
    assert log_in(client).status_code == 303
    return client


def send(client: FlaskClient, action: str, url: str = RYE, **fields: str) -> TestResponse:
    token = token_in(client.get(PAGE).text)
    return client.post("/admin/judge", data={"action": action, "q": "rye bread", "url": url, "token": token} | fields)


def marks(folder: Path) -> list[tuple[str, str]]:
    with CrawlDatabase(folder, readonly=True) as database:
        return [(each.query, each.url) for each in marked_results([database])]


def test_a_mark_is_kept_shown_exported_and_removed(operator: FlaskClient, folder: Path) -> None:
    assert "This was right" in operator.get(PAGE).text
    done = send(operator, "right")
    assert (done.status_code, done.headers["Location"]) == (303, "/admin/judge?q=rye+bread")
    assert send(operator, "right").status_code == 303  # a second click changes nothing
    assert marks(folder) == [("rye bread", RYE)]
    page = operator.get(PAGE).text
    assert "<strong>Right.</strong>" in page
    assert "1 mark for 1 query." in page
    assert read_judged_pages(operator.get("/admin/judge.tsv").data) == (JudgedPage(2, "rye bread", RYE, 1),)
    assert send(operator, "remove").status_code == 303
    assert not marks(folder)
    assert "None yet." in operator.get("/admin/judge").text


def test_what_it_keeps_is_query_page_and_time(folder: Path) -> None:
    with CrawlDatabase(folder, readonly=True) as database:
        columns = [row[1] for row in database.connection.execute("PRAGMA table_info(tune_judgement)")]
    assert columns == ["query", "url", "at"]


def test_a_stranger_sees_a_login_and_can_mark_nothing(folder: Path) -> None:
    stranger = gateway(folder, admin_token=TOKEN)
    for path in (PAGE, "/admin/judge.tsv"):
        page = stranger.get(path)
        assert "admin_token" in page.text
        assert "rye.html" not in page.text
    assert send(stranger, "right").status_code == 403
    assert not marks(folder)


def test_without_a_token_it_is_off_and_the_search_page_does_not_name_it(folder: Path) -> None:
    off = gateway(folder)
    assert off.get(PAGE).status_code == off.post("/admin/judge").status_code == 403
    assert "/admin/judge" not in off.get("/search?q=rye").text
    assert "/admin/judge?q=rye" in gateway(folder, admin_token=TOKEN).get("/search?q=rye").text


def test_a_form_of_another_site_marks_nothing(operator: FlaskClient, folder: Path) -> None:
    assert send(operator, "right", token="made up").status_code == 403
    foreign = {"action": "right", "q": "rye", "url": RYE, "token": token_in(operator.get(PAGE).text)}
    answer = operator.post("/admin/judge", data=foreign, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert not marks(folder)


def test_over_plain_http_from_a_network_it_does_not_open(operator: FlaskClient) -> None:
    assert operator.get(PAGE, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"action": "left"}, "an action has a query, a URL and a name: right or remove"),
        ({"action": "right", "q": " "}, "an action has a query"),
        ({"action": "right", "url": f"{SITE}/nowhere"}, "is no stored page, or not marked for this query"),
        ({"action": "remove"}, "is no stored page, or not marked for this query"),
    ],
)
def test_what_can_not_be_done_is_told(operator: FlaskClient, folder: Path, fields: dict[str, str], said: str) -> None:
    answer = send(operator, **fields)
    assert (answer.status_code, said in answer.text) == (400, True)
    assert not marks(folder)


def test_no_page_of_it_is_kept_by_a_browser(operator: FlaskClient) -> None:
    assert operator.get(PAGE).headers["Cache-Control"] == "no-store"
    assert operator.get("/admin").text.count('href="/admin/judge"') == 1


def test_forgetting_a_page_forgets_its_marks(operator: FlaskClient, folder: Path) -> None:
    send(operator, "right")
    with CrawlDatabase(folder) as database:
        takedown.forget(database, RYE)
    assert not marks(folder)


def test_tune_reads_the_marks_by_the_command_of_the_page(operator: FlaskClient, bakery: Breadcrumb) -> None:
    before = bakery.run("tune", "--clicks")
    assert before.code == 2
    assert "--clicks: no result is marked as right yet" in before.err
    send(operator, "right")
    for page in ("/admin", "/admin/judge"):
        [command] = set(re.findall(r"\./breadcrumb (tune [^<]*)", operator.get(page).text))
        marked = bakery.run(*command.split())
        assert (marked.code, marked.err) == (1, "")
        assert "1 query with a right page" in marked.out
    both = bakery.folder / "judged.tsv"
    both.write_text(f"rye bread\t{RYE}\nwheat\t{SITE}/\n")
    assert "2 queries with a right page" in bakery.run("tune", "--clicks", "--queries", str(both)).out


def test_why_tells_why_a_judged_page_is_not_in_the_index(bakery: Breadcrumb) -> None:
    judged = bakery.folder / "judged.tsv"
    judged.write_text(f"secret\t{SITE}/secret.html\n")
    told = " ".join(bakery.run("tune", "--queries", str(judged)).err.split())
    assert f"line 1: {SITE}/secret.html is not in the index, so it is left out." in told
    why = bakery.run(*shlex.split(told[told.index("./breadcrumb why") :])[1:3])
    assert "its meta robots says noindex" in " ".join(why.out.split())
