"""Crawls over HTTP: only with the token, only of known sites, one at a time; a restart changes nothing that it says."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from commands.__main__ import main
from commands.frame.command_settings import CommandSettings
from commands.serve import gateway as made_gateway
from crawldb.databases import open_to_write
from crawldb.lock import CrawlLock
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.crawl_api.crawls import FOLDER
from extensions.crawl_api.views import MAX_SEEDS
from frontier import takedown
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.submission import admin_notes
from gateway.served_crawl import EXTENSION
from tests.child import wait_until
from tests.extensions.described import check
from tests.gateway.conftest import SITE
from tests.journey.conftest import Site, html
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

TOKEN = "0123456789abcdef-rye"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
HERE = "/api/crawls"


def client(data_dir: Path, *settings: str) -> FlaskClient:
    """A client of a gateway that has just started."""
    given = [f"DATA_DIR={data_dir}", f"ADMIN_TOKEN={TOKEN}", *settings]
    return made_gateway(data_dir, CommandSettings(given)).test_client()


@pytest.fixture
def data_dir(bakery: Path, tmp_path: Path) -> Path:
    return shutil.copytree(bakery, tmp_path / "bakery")


def refused(client: FlaskClient, status: int, *words: str, **given: Any) -> None:
    """A request to start a crawl gets this status and a sentence with these words, and no crawl starts."""
    answer = check(client, "post", HERE, **({"headers": WITH_TOKEN} | given))
    assert answer.status_code == status, answer.text
    for word in words:
        assert word in answer.json["error"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert not (client.application.extensions[EXTENSION].data_dir / FOLDER / "1").exists()


def test_nobody_starts_one_without_the_token(data_dir: Path) -> None:
    own = client(data_dir)
    for headers, words in (
        ({}, "a token is missing"),
        ({"Authorization": f"Basic {TOKEN}"}, "a token is missing"),
        ({"Authorization": "Bearer "}, "a token is missing"),
        ({"Authorization": "Bearer wrong"}, "wrong token"),
    ):
        refused(own, 401, words, "Authorization: Bearer TOKEN", headers=headers)
        assert own.post(HERE, headers=headers).headers["WWW-Authenticate"].startswith("Bearer")
        assert own.get(f"{HERE}/1", headers=headers).status_code == 401
        assert own.delete(f"{HERE}/1", headers=headers).status_code == 401
    for _ in range(5):
        own.post(HERE, headers={"Authorization": "Bearer wrong"})
    guessed = own.post(HERE, headers={"Authorization": "Bearer wrong"})
    assert (guessed.status_code, int(guessed.headers["Retry-After"]) >= 1) == (429, True)
    refused(client(data_dir, "ADMIN_TOKEN=short"), 403, "at least 16 characters", "ADMIN_TOKEN", "serve")


def test_neither_a_cookie_nor_a_field_is_a_token(data_dir: Path) -> None:
    """So a page elsewhere can't act through the browser of somebody who is logged in."""
    own = client(data_dir)
    form = re.search('name="token" value="([^"]+)"', own.get("/admin").text)
    assert form is not None
    assert own.post("/admin/login", data={"admin_token": TOKEN, "token": form[1]}).status_code == 303
    assert "Log out" in own.get("/admin").text
    refused(own, 401, "a token is missing", headers={}, data={"admin_token": TOKEN, "token": form[1]})
    assert own.post(f"{HERE}?admin_token={TOKEN}").status_code == 401


def test_the_token_does_not_cross_a_network_in_plain_text(data_dir: Path) -> None:
    from_afar = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    refused(client(data_dir), 403, "plain HTTP", "change it", **from_afar)
    refused(
        client(data_dir, "ADMIN_OVER_HTTP=yes"), 415, headers=WITH_TOKEN | {"Content-Type": "text/plain"}, **from_afar
    )


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        pytest.param("{", 400, ("JSON object", "line 1"), id="no JSON"),
        pytest.param("[" * 9_000, 400, ("JSON object",), id="deep"),
        pytest.param("[1]", 422, ("JSON object",), id="no object"),
        pytest.param('{"page": 3}', 422, ("'page'", "seeds, pages, each and mode"), id="unknown key"),
        pytest.param('{"pages": 0}', 422, ("pages", "from 1 up"), id="no pages"),
        pytest.param('{"pages": true}', 422, ("pages",), id="no number"),
        pytest.param('{"each": "3"}', 422, ("each",), id="a text"),
        pytest.param('{"mode": "some"}', 422, ("all, due or discover",), id="mode"),
        pytest.param('{"mode": []}', 422, ("mode",), id="a list for a mode"),
        pytest.param('{"seeds": []}', 422, (f"1 to {MAX_SEEDS}",), id="no seeds"),
        pytest.param('{"seeds": "http://a.example/"}', 422, ("list",), id="a seed alone"),
        pytest.param('{"seeds": ["rye bread"]}', 422, ("'rye bread'", "no URL"), id="no URL"),
        pytest.param('{"seeds": ["/etc/passwd"]}', 422, ("no URL",), id="a file"),
        pytest.param(
            f'{{"seeds": ["{SITE}/", "http://wheat.example/"]}}', 422, ("wheat.example", "submit"), id="unknown"
        ),
        pytest.param('{"seeds": ["http://bakery.localhost:8401/"]}', 422, ("8401",), id="another port"),
        pytest.param(
            '{"seeds": ["http://bakery.localhost@wheat.example/"]}', 422, ("wheat.example",), id="a user name"
        ),
        pytest.param(f'{{"seeds": ["{SITE}/{"a/" * 40}"]}}', 422, ("repeated-path",), id="a trap"),
        pytest.param(f'{{"seeds": ["{SITE}/{"a" * 17_000}"]}}', 413, (), id="large"),
    ],
)
def test_a_request_that_cannot_be_done_says_why(data_dir: Path, body: str, status: int, words: tuple[str, ...]) -> None:
    refused(client(data_dir), status, *words, data=body, content_type="application/json")


def test_a_body_of_another_type_is_refused(data_dir: Path) -> None:
    refused(client(data_dir), 415, "Content-Type: application/json", "x-www-form-urlencoded", data={"pages": "3"})


def test_a_blocked_site_is_refused(data_dir: Path) -> None:
    with open_to_write(data_dir) as (database,):
        takedown.block(database, SITE.removeprefix("http://"), "its owner wants that")
    refused(client(data_dir), 422, "blocked", json={"seeds": [f"{SITE}/rye.html"]})


def test_what_a_rejection_advises_works(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable opens the way, and the command makes the site known: then only the other crawl is in the way."""
    lock = CrawlLock(data_dir)
    new = {"json": {"seeds": ["http://wheat.localhost:8400/"]}}
    refused(client(data_dir, "ADMIN_TOKEN="), 403, "BREADCRUMB_ADMIN_TOKEN", "./breadcrumb serve", **new)
    monkeypatch.setenv("BREADCRUMB_ADMIN_TOKEN", TOKEN)
    own = made_gateway(data_dir, CommandSettings([f"DATA_DIR={data_dir}"])).test_client()
    refused(own, 422, "./breadcrumb submit http://wheat.localhost:8400/", **new)
    assert main(["submit", "http://wheat.localhost:8400/", "-s", f"DATA_DIR={data_dir}"]) == 0
    refused(own, 409, "runs already", **new)
    lock.release()


def test_while_somebody_crawls_it_is_refused(data_dir: Path) -> None:
    lock = CrawlLock(data_dir)
    refused(client(data_dir), 409, "runs already", "wait for it")
    lock.release()


def test_without_a_crawl_and_in_parts_it_is_refused(tmp_path: Path) -> None:
    refused(client(tmp_path / "none"), 503, "crawl")
    for number in (1, 2):
        part = Partition(number, 2)
        Session(folder_of(tmp_path, part), CrawlJob((canonicalize(f"{SITE}/"),), partition=part)).close("finished")
    refused(client(tmp_path), 422, "2 parts", "continues it")


@pytest.mark.parametrize("name", ["1", "0", "-1", "x", "1.0", "..%2F1", "9" * 5_000, "%D9%A1"])
def test_a_number_that_nobody_has_is_not_found(data_dir: Path, name: str) -> None:
    for answer in (
        client(data_dir).get(f"{HERE}/{name}", headers=WITH_TOKEN),
        client(data_dir).delete(f"{HERE}/{name}", headers=WITH_TOKEN),
    ):
        assert answer.status_code == 404
        assert "error" in (answer.json or {})


def followed(client: FlaskClient, path: str, *states: str) -> Any:
    """Ask until a crawl is in one of these states; each response is as described."""
    seen: list[Any] = []

    def there() -> bool:
        seen.append(check(client, "get", path, headers=WITH_TOKEN).json)
        return seen[-1]["state"] in states

    wait_until(there)
    return seen[-1]


@pytest.fixture
def known_site(site: Site, tmp_path: Path) -> tuple[Site, Path]:
    """A site, and a data folder that has its home page as a seed, and nothing else."""
    site.pages = {"/": html("Home", "/rye.html", "/oat.html"), "/rye.html": html("Rye"), "/oat.html": html("Oat")}
    Session(tmp_path / "data", CrawlJob((canonicalize(f"{site.url}/"),))).close("stopped")
    return site, tmp_path / "data"


@pytest.mark.slow
def test_a_crawl_is_started_and_followed_to_its_end(known_site: tuple[Site, Path]) -> None:
    site, data_dir = known_site
    own = client(data_dir, "DOWNLOAD_DELAY=0")
    begun = check(own, "post", HERE, headers=WITH_TOKEN, json={"seeds": [f"{site.url}/rye.html?a,b"], "mode": "all"})
    assert (begun.status_code, begun.headers["Location"], begun.json["state"]) == (202, f"{HERE}/1", "running")
    done = followed(own, f"{HERE}/1", "finished", "failed", "killed")
    assert (done["state"], done["exit_code"], done["log"]) == ("finished", 0, [])
    assert done["arguments"] == {"seeds": [f"{site.url}/rye.html?a,b"], "mode": "all"}
    assert done["started_at"] <= done["run"]["started_at"] <= done["run"]["ended_at"] <= done["ended_at"]
    assert done["run"]["requests"] == len(site.log)
    assert {"/", "/rye.html", "/oat.html", "/rye.html?a,b"} <= set(site.asked())
    numbers = check(own, "get", "/stats?format=json").json
    assert (done["urls"], done["run"]) == (numbers["urls"], numbers["last_run"])
    assert check(own, "get", "/api/search?q=rye").json["total"] == 1
    assert own.delete(f"{HERE}/1", headers=WITH_TOKEN).json == {
        "error": "crawl 1 has ended (finished), so there is nothing to stop"
    }
    with open_to_write(data_dir) as (database,):
        [note] = admin_notes(database, 9)
    assert "admin, from 127.0.0.1: crawl {" in note.reason


@pytest.mark.slow
def test_it_outlives_the_gateway_and_another_one_stops_it(known_site: tuple[Site, Path]) -> None:
    site, data_dir = known_site
    site.hold("/oat.html")
    assert client(data_dir, "DOWNLOAD_DELAY=0", "STOP_SECONDS=1").post(HERE, headers=WITH_TOKEN).status_code == 202
    own = client(data_dir)  # the other gateway has gone, and this one has seen nothing
    wait_until(lambda: "/oat.html" in site.asked())
    going = followed(own, f"{HERE}/1", "running")
    assert (going["exit_code"], going["ended_at"], going["run"]["running"]) == (None, None, True)
    second = check(own, "post", HERE, headers=WITH_TOKEN)
    assert (second.status_code, "crawl 1 runs already" in second.json["error"]) == (409, True)
    for _ in range(2):
        assert check(own, "delete", f"{HERE}/1", headers=WITH_TOKEN).status_code == 202
    ended = followed(client(data_dir), f"{HERE}/1", "interrupted", "finished", "failed", "killed")
    assert (ended["state"], ended["exit_code"], ended["run"]["running"]) == ("interrupted", 130, False)
    assert ended["run"]["ending"] not in {None, "killed"}
    assert "the index is not complete" not in (data_dir / FOLDER / "1" / "log").read_text()


@pytest.mark.slow
def test_a_crawl_that_fails_says_what_it_printed(known_site: tuple[Site, Path]) -> None:
    site, data_dir = known_site
    site.pages = {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /\n")}
    own = client(data_dir, "DOWNLOAD_DELAY=0")
    own.post(HERE, headers=WITH_TOKEN)
    failed = followed(own, f"{HERE}/1", "finished", "failed", "killed", "interrupted")
    assert (failed["state"], failed["exit_code"]) == ("failed", 1)
    assert any("robots" in line for line in failed["log"])
