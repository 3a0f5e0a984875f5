"""Who may act in the browser, on what, and what it leaves: the same as the command, and a row of the journal."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from crawldb.tables.journal import Journal
from crawldb.tables.open_work import stopped_work
from frontier.submission import propose_block
from gateway.operators.admin_session import (
    ACTIONS,
    ATTEMPTS,
    KINDS,
    MAX_WAIT,
    AdminSessions,
    TooManyAttempts,
    WrongToken,
)
from tests.gateway.conftest import SITE, gateway
from tests.samples import SEED, a_page, lease_all

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from frontier.session import Session

TOKEN = "correct horse battery"
RYE = f"{SITE}/rye.html"


@pytest.fixture
def folder(bakery: Path, tmp_path: Path) -> Path:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    return tmp_path


def token_in(page: str) -> str:
    [*_, last] = re.findall(r'name="token" value="([^"]+)"', page)
    return str(last)


def log_in(client: FlaskClient, token: str = TOKEN, base_url: str = "http://localhost") -> TestResponse:
    form = token_in(client.get("/admin", base_url=base_url).text)
    return client.post("/admin/login", data={"admin_token": token, "token": form}, base_url=base_url)


def act(client: FlaskClient, action: str, target: str, words: str = "", **headers: str) -> TestResponse:
    data = {"action": action, "target": target, "words": words, "token": token_in(client.get("/admin").text)}
    return client.post("/admin/act", data=data, headers=headers)


@pytest.fixture
def admin(folder: Path) -> FlaskClient:
    client = gateway(folder, admin_token=TOKEN)
    assert log_in(client).status_code == 303
    return client


def notes(folder: Path) -> list[str]:
    with CrawlDatabase(folder, readonly=True) as database:
        return [entry.reason for entry in Journal(database).latest(rule="admin")]


@pytest.mark.parametrize("token", ["", "fifteen letters"])
def test_without_a_token_that_is_long_enough_it_is_off_and_says_so(bakery: Path, token: str) -> None:
    client = gateway(bakery, admin_token=token)
    answer = client.get("/admin")
    assert answer.status_code == 403
    assert "it needs a token of at least 16 characters" in answer.text
    form = token_in(client.get("/bot").text)
    assert client.post("/admin/login", data={"admin_token": token, "token": form}).status_code == 403
    assert client.post("/admin/act", data={"action": "block", "target": SITE}).status_code == 403


def test_the_cookie_is_for_the_admin_page_alone_and_no_script_sees_it(folder: Path) -> None:
    cookie = log_in(gateway(folder, admin_token=TOKEN)).headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/admin"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    behind = gateway(folder, admin_token=TOKEN, bot_url="https://search.example.org/bot")
    behind.environ_base["HTTP_X_FORWARDED_PROTO"] = "https"
    assert "Secure" in log_in(behind, base_url="http://search.example.org").headers["Set-Cookie"].split("; ")
    for path in ("/search?q=rye", "/stats", "/bot"):
        assert "Set-Cookie" not in behind.get(path).headers


def test_a_wrong_token_opens_nothing_and_after_five_that_begin_alike_the_next_one_waits(folder: Path) -> None:
    client = gateway(folder, admin_token=TOKEN)
    for wrong in ("correct horse batterx", TOKEN + " ", "corr", "corrëkt horse battery", "correct"):
        assert log_in(client, wrong).status_code == 403
    late = log_in(client, "correct again")
    assert (late.status_code, late.headers["Retry-After"]) == (429, "1")
    assert "try again in 1 s" in late.text
    assert "admin_token" in client.get("/admin").text


def test_guesses_from_the_owners_own_address_never_shut_the_owner_out(folder: Path) -> None:
    client = gateway(folder, admin_token=TOKEN)
    for guess in ("", "körrekt", "Correct horse battery", *map(str, range(20, 60))):
        assert log_in(client, guess).status_code in {403, 429}
    assert log_in(client).status_code == 303


@given(st.lists(st.text(min_size=0, max_size=8).filter(lambda guess: not guess.startswith(TOKEN[:4])), max_size=60))
def test_whatever_others_guess_the_token_opens_at_once(guesses: list[str]) -> None:
    sessions = AdminSessions(TOKEN, lambda: 0.0)
    for guess in guesses:
        with pytest.raises((WrongToken, TooManyAttempts)):
            sessions.log_in(guess, "192.0.2.1")
    assert sessions.log_in(TOKEN, "192.0.2.1")


def test_waits_double_up_to_a_minute_and_end_with_the_right_token() -> None:
    now, waits = [0.0], []
    sessions = AdminSessions(TOKEN, lambda: now[0])
    for _ in range(ATTEMPTS + 15):
        with pytest.raises((WrongToken, TooManyAttempts)) as told:
            sessions.log_in("correct?", "192.0.2.1")
        if isinstance(told.value, TooManyAttempts):
            waits.append(told.value.seconds)
            now[0] += told.value.seconds
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, MAX_WAIT, MAX_WAIT]
    assert sessions.log_in(TOKEN, "192.0.2.1")
    for _ in range(ATTEMPTS):
        with pytest.raises(WrongToken):
            sessions.log_in("correct?", "192.0.2.1")


def test_who_guesses_is_remembered_within_bounds_and_sessions_end_after_a_day_of_work() -> None:
    now = [0.0]
    sessions = AdminSessions(TOKEN, lambda: now[0])
    for number in range(2 * KINDS):
        with pytest.raises(WrongToken):
            sessions.log_in(f"{number}", "192.0.2.1")
    assert len(sessions._wrong) == KINDS
    session = sessions.log_in(TOKEN, "192.0.2.1")
    for _ in range(ACTIONS):
        sessions.act(session)
    with pytest.raises(TooManyAttempts):
        sessions.act(session)
    now[0] += 8 * 3600
    assert sessions.find(session.key) is None


OUTSIDE = {"REMOTE_ADDR": "192.0.2.9"}
PROXY = {"HTTP_X_FORWARDED_PROTO": "https"}


@pytest.mark.parametrize(
    ("came", "host", "opens"),
    [
        pytest.param({}, "localhost:8080", True, id="from this machine"),
        pytest.param({"REMOTE_ADDR": "::1"}, "[::1]:8080", True, id="from this machine by IPv6"),
        pytest.param({"REMOTE_ADDR": "::ffff:127.0.0.1"}, "localhost", True, id="by IPv4 to a socket of IPv6"),
        pytest.param(PROXY, "search.example.org", True, id="by https to a proxy on this machine"),
        pytest.param(
            {"HTTP_X_FORWARDED_PROTO": "http, https"}, "search.example.org", True, id="the nearest proxy's word"
        ),
        pytest.param({"HTTP_X_FORWARDED_PROTO": "http"}, "search.example.org", False, id="by http to a proxy"),
        pytest.param({"HTTP_X_FORWARDED_PROTO": "https, http"}, "search.example.org", False, id="a visitor's own word"),
        pytest.param({}, "search.example.org", False, id="a proxy that says nothing"),
        pytest.param({"HTTP_X_FORWARDED_FOR": "192.0.2.9"}, "localhost", False, id="a proxy that hides the name"),
        pytest.param(OUTSIDE, "search.example.org", False, id="from a network"),
        pytest.param(OUTSIDE | PROXY, "search.example.org", False, id="who says https, and came by http"),
        pytest.param(OUTSIDE, "localhost", False, id="from the network under another name"),
    ],
)
def test_the_page_opens_where_nobody_on_the_way_can_read_the_token(
    bakery: Path, came: dict[str, str], host: str, opens: bool
) -> None:
    client = gateway(bakery, admin_token=TOKEN, bot_url="https://search.example.org/bot")
    form = token_in(client.get("/bot").text)
    client.environ_base.update(came)
    for path in ("/admin", "/admin/login", "/admin/act", "/admin/logout"):
        data = {"admin_token": TOKEN, "token": form}
        asked = client.get if path == "/admin" else client.post
        answer = asked(path, data=data, base_url=f"http://{host}")
        assert ("does not open over plain HTTP" in answer.text) is not opens
        assert opens or (answer.status_code, answer.headers.get("Set-Cookie")) == (403, None)
        assert opens or "The token has been sent in plain text: change it" in answer.text
    assert client.get("/search?q=rye", base_url=f"http://{host}").status_code == 200


def test_a_setting_accepts_that_others_on_the_way_read_the_token(bakery: Path) -> None:
    client = gateway(bakery, admin_token=TOKEN, admin_over_http=True, allowed_hosts=("mill",))
    client.environ_base.update(OUTSIDE)
    assert log_in(client, base_url="http://mill").status_code == 303


def test_a_block_does_what_the_command_does_and_is_noted(admin: FlaskClient, folder: Path) -> None:
    answer = act(admin, "block", RYE, "its owner asked")
    assert answer.status_code == 200
    done = BeautifulSoup(answer.text, "lxml").select_one("p[role=status]")
    assert done is not None
    assert done.text.startswith(f"Done: {RYE}: blocked; 1 page removed. The index is up to date")
    assert "rye.html" not in admin.get("/search?q=patience").text.replace("copy-of-rye.html", "")
    assert notes(folder) == [f"admin, from 127.0.0.1: block {RYE}: its owner asked"]
    assert f"block {RYE}: its owner asked" in admin.get("/admin").text
    assert act(admin, "lift", RYE).status_code == 200
    assert act(admin, "lift", RYE).status_code == 422


def test_pages_are_forgotten_addresses_handed_in_and_complaints_declined(admin: FlaskClient, folder: Path) -> None:
    assert "1 page forgotten" in act(admin, "forget", RYE).text
    assert "is a seed now (queued)" in act(admin, "submit", "http://mill.example/new").text
    with Parts.in_folder(folder) as parts:
        propose_block(parts, SITE, "mine", "", 5)
    assert "asks to block bakery.localhost:8400" in admin.get("/admin").text
    assert "nothing changed; the proposal is closed" in act(admin, "decline", "bakery.localhost:8400").text
    assert "asks to block bakery.localhost:8400" not in admin.get("/admin").text
    assert len(notes(folder)) == 3


@pytest.mark.parametrize(
    ("action", "target", "said"),
    [
        ("block", "http://b.example/", "the crawl has not discovered"),
        ("block", "ftp://x/", "http"),
        ("block", " ", "the target is missing"),
        ("forget", f"{SITE}/nothing", "nothing of"),
        ("release", "/calendar?day", "calendar"),
        ("apply", "bakery.localhost:8400", "the stored pages no longer suggest it"),
        ("decline", "bakery.localhost:8400", "no open proposal asks to block"),
        ("drop", "tables", "there is no action"),
    ],
)
def test_what_can_not_be_done_is_told_with_422(admin: FlaskClient, action: str, target: str, said: str) -> None:
    answer = act(admin, action, target)
    assert (answer.status_code, said in answer.text) == (422, True)


def test_a_trap_is_released_while_a_crawl_runs(session: Session) -> None:
    loop = "http://a.example/x/x/x/"
    lease_all(session)
    session.store.page(a_page(SEED, links=(loop,)))
    client = gateway(session.database.path.parent, admin_token=TOKEN)
    log_in(client)
    assert loop in client.get("/admin").text
    assert "the next crawl fetches 1 URL of it" in act(client, "release", loop).text
    assert lease_all(session) == [loop]


@pytest.mark.parametrize("action", ["block", "forget"])
def test_an_action_that_broke_off_stands_in_the_list_of_open_work(
    admin: FlaskClient, folder: Path, action: str
) -> None:
    with CrawlDatabase(folder) as database:
        database.connection.execute("CREATE TRIGGER full BEFORE DELETE ON page BEGIN SELECT raise(ABORT, 'full'); END")
        assert act(admin, action, RYE, "its owner asked").status_code >= 500
        database.connection.execute("DROP TRIGGER full")
    assert "1 command did not finish" in admin.get("/healthz").text
    with CrawlDatabase(folder) as database:
        [open_work] = stopped_work([database])
    assert (open_work.command, open_work.words) == (action, (RYE,))
    assert act(admin, action, RYE, "its owner asked").status_code == 200
    assert "stopped before the end" not in admin.get("/healthz").text


def test_another_site_can_do_nothing_through_a_browser_that_is_logged_in(admin: FlaskClient, folder: Path) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "none"}, {"Origin": "https://evil.example"}):
        assert act(admin, "block", SITE, **headers).status_code == 403
    for token in ("", "guessed", "gëraten"):
        data = {"action": "block", "target": SITE, "token": token}
        assert admin.post("/admin/act", data=data).status_code == 403
        assert admin.post("/admin/logout", data={"token": token}).status_code == 403
    assert admin.get("/admin/act").status_code == 405
    assert notes(folder) == []


def test_whoever_logs_out_has_no_session_left(admin: FlaskClient) -> None:
    kept = admin.get_cookie("breadcrumb_admin", path="/admin")
    assert kept is not None
    assert admin.post("/admin/logout", data={"token": token_in(admin.get("/admin").text)}).status_code == 303
    admin.set_cookie("breadcrumb_admin", kept.value, path="/admin")
    assert "admin_token" in admin.get("/admin").text


def test_nothing_of_it_is_kept_by_a_browser(admin: FlaskClient) -> None:
    assert admin.get("/admin").headers["Cache-Control"] == "no-store"
