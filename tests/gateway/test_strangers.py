"""What does a stranger see who opens every view? Nothing that a visitor wrote to the owner, nor of the admin."""

from __future__ import annotations

import logging
import shutil
from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from flask import current_app

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts, open_to_write
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.submission import note_admin, propose_block
from gateway.served_crawl import MORE
from indexer.segments.generation import index_folder
from reports.shown_commands import pieces
from tests.gateway.conftest import SITE, gateway, index
from tests.gateway.operators.test_admin_page import TOKEN, log_in
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

RYE = canonicalize(f"{SITE}/rye.html")
REASON, CONTACT = "quokkaflavoured grievances", "wombatlady@marsupial.example"
DECISION, ADDRESS = "numbatwise potoroo", "198.51.100.77"
PLANTED = (*REASON.split(), CONTACT, "wombatlady", *DECISION.split(), ADDRESS, TOKEN, "wants ", "asked 1 time")
TYPED = ("", REASON, CONTACT, "rye bread", RYE)


@pytest.fixture(params=["whole", "divided"])
def written_to(request: pytest.FixtureRequest, bakery: Path, tmp_path: Path) -> Path:
    """A crawl of whose page and site a visitor has complained, and with which an admin has dealt."""
    if request.param == "whole":
        shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    else:
        for number in (1, 2):
            part = Partition(number, 2)
            session = Session(folder_of(tmp_path, part), CrawlJob((RYE,), partition=part))
            for url in lease_all(session):
                session.store.page(a_page(url, "rye bread"))
            session.close("finished")
            index(folder_of(tmp_path, part))
    with Parts.in_folder(tmp_path) as parts:
        for proposed_target in (RYE, SITE):
            propose_block(parts, proposed_target, REASON, CONTACT, 5)
    with open_to_write(tmp_path) as databases:
        note_admin(databases, f"decline {SITE}: {DECISION}", ADDRESS)
    return tmp_path


def paths(client: FlaskClient, words: tuple[str, ...] = TYPED) -> Iterator[str]:
    """Each view that a GET reaches, alone, about what was complained of and with its words, as a page and as JSON."""
    with client.application.app_context():
        rules = sorted({rule.rule for rule in current_app.url_map.iter_rules() if "GET" in (rule.methods or ())})
    for rule, typed, form in product((rule for rule in rules if "<" not in rule), words, ("", "json")):
        about = {"q": typed, "url": RYE, "with": f"{SITE}/", "term": typed} if typed else {}
        asked = about | ({"format": form} if form else {})
        yield f"{rule}?{urlencode(asked)}" if asked else rule
    yield from ("/inside/traps?site=bakery.localhost:8400", "/inside/crawl?every=10")


def found_by(client: FlaskClient, planted: tuple[str, ...] = PLANTED) -> list[tuple[str, str]]:
    """Each address whose answer has more of what was planted than the address itself."""
    found = []
    for path in paths(client):
        answer = client.get(path)
        told = f"{answer.headers}{answer.text}"
        typed = path.replace("+", " ").replace("%40", "@")
        found += [(path, word) for word in planted if word in told and word not in typed]
    return found


@pytest.mark.slow
def test_no_view_feed_or_number_shows_a_stranger_what_a_visitor_wrote_an_admin_did_or_where_the_folder_lies(
    written_to: Path,
) -> None:
    client = gateway(written_to, admin_token=TOKEN, folder=f" --data {written_to}")
    client.environ_base["HTTP_X_FORWARDED_FOR"] = "192.0.2.7"
    client.post("/admin/act", data={"action": "block", "target": RYE, "words": DECISION})
    client.post("/admin/login", data={"admin_token": TOKEN})  # forms without their tokens open nothing
    assert found_by(client, (*PLANTED, str(written_to))) == []


@pytest.mark.parametrize(
    "sent", [{"HTTP_X_FORWARDED_FOR": "192.0.2.7"}, {"HTTP_VIA": "1.1 proxy"}, {"REMOTE_ADDR": "192.0.2.7"}]
)
def test_only_a_visitor_on_this_machine_is_shown_commands_with_the_data_folder(
    bakery: Path, sent: dict[str, str]
) -> None:
    client = gateway(bakery, folder=" --data /srv/numbat")
    for path in ("/why?url=http://nowhere.example/", f"/why?url={RYE}"):
        here, shown = client.get(path), client.get(path, environ_overrides=sent)
        assert "/srv/numbat" in here.text
        assert (shown.status_code, "/srv/numbat" in shown.text) == (here.status_code, False)


def blocks_of_the_database(folder: Path) -> None:
    file = folder / "crawl.sqlite3"
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def all_of_the_database(folder: Path) -> None:
    (folder / "crawl.sqlite3").write_bytes(b"no database" * 1000)


def missing_database(folder: Path) -> None:
    (folder / "crawl.sqlite3").unlink()


def stored_pages(folder: Path) -> None:
    with CrawlDatabase(folder) as database, database.transaction() as connection:
        connection.execute("UPDATE page SET content = x'00'")


def missing_segments(folder: Path) -> None:
    for segment in index_folder(folder).glob("build-*/*.seg"):
        segment.unlink()


def cut_segments(folder: Path) -> None:
    for segment in index_folder(folder).glob("build-*/*.seg"):
        segment.write_bytes(b"")


HARMS = (
    blocks_of_the_database, all_of_the_database, missing_database, stored_pages, missing_segments, cut_segments,
)  # fmt: skip


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_damaged_crawl_is_told_to_strangers_without_its_folder_and_to_the_log_with_it(
    written_to: Path, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    part = folder_of(written_to, Partition(1, 2))
    harm(part if part.exists() else written_to)
    client = gateway(written_to, allow_submit=True)
    client.application.config["FORM_TOKEN"] = "known"
    answers = {path: client.get(path) for path in paths(client, ("rye bread",))}
    form = {"token": "known", "url": RYE, "site": RYE, "reason": "mine", "contact": ""}
    answers |= {f"POST {path}": client.post(path, data=form) for path in ("/submit", "/bot")}
    assert {answer.status_code for answer in answers.values()} & {500} == set()
    assert [path for path, answer in answers.items() if str(written_to) in answer.text] == []
    told = [answer.text for answer in answers.values() if "the operator can see the gateway" in answer.text]
    assert told
    assert [text for text in told if "<code>./breadcrumb check</code>" not in text and MORE not in text] == []
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert any(str(written_to) in line for line in logged) or harm is stored_pages
    assert len(logged) == len({*logged}), "a fault that is met again within a minute is logged once"


def test_the_commands_in_the_log_name_the_data_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = gateway(tmp_path, folder=" --data numbat")
    for path in ("/search?q=rye", f"/why?url={RYE}"):
        assert client.get(path).status_code == 503
    commands = [piece for record in caplog.records for is_command, piece in pieces(record.getMessage()) if is_command]
    assert commands
    assert [command for command in commands if "--data numbat" not in command] == []


@pytest.mark.slow
def test_who_has_the_token_reads_every_word_on_the_admin_page_alone(written_to: Path) -> None:
    client = gateway(written_to, admin_token=TOKEN)
    log_in(client)
    page = client.get("/admin").text
    assert [each for each in (f"{REASON} ({CONTACT})", DECISION, ADDRESS) if each not in page] == []
    assert {path.partition("?")[0] for path, _ in found_by(client)} == {"/admin"}


def test_the_owner_is_told_in_public_that_complaints_wait_and_where_to_read_them(written_to: Path) -> None:
    client = gateway(written_to)
    told = "2 complaints wait for a decision"
    assert told in client.get("/stats").text
    assert "<code>./breadcrumb block</code>" in client.get("/stats").text
    assert any(alarm.startswith(told) for alarm in client.get("/healthz").get_json()["alarms"])
    assert [{*each} for each in client.get("/stats?format=json").get_json()["complaints"]] == [{"at", "times"}] * 2
