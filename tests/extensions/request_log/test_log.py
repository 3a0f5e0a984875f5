"""The request log: one line for each request and response, without people's queries, and never a second line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.frame.command_settings import CommandSettings
from commands.frame.exits import CommandError
from commands.serve import gateway as made_gateway
from extensions.request_log.log import (
    MAX_BYTES,
    RequestLogEntry,
    RequestLogSettings,
    common_line,
    json_entry,
    log_requests,
    target_of_request,
)
from gateway import create_app
from spiders.own_settings import FORMER

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

COMMON = re.compile(r'(\S+) - - \[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000)\] "([^"]*)" (\d{3}) (\d+|-)')


def gateway(data_dir: Path, *settings: str) -> FlaskClient:
    """A client of the gateway as `serve` makes it with these settings."""
    return made_gateway(data_dir, CommandSettings([f"DATA_DIR={data_dir}", *settings])).test_client()


def test_a_line_of_the_common_log_format_without_the_words_of_a_query(bakery: Path, tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    client = gateway(bakery, f"REQUEST_LOG={log}")
    client.get("/search?q=secret+illness")
    client.post("/search", data={"q": "secret illness"})
    client.get('/no such"\x1b[31mpath')
    searched, posted, missing = log.read_text().splitlines()
    match = COMMON.fullmatch(searched)
    assert match is not None
    assert (match[1], match[3], match[4]) == ("127.0.0.1", "GET /search?- HTTP/1.1", "200")
    assert int(match[5]) > 1000
    assert '"POST /search HTTP/1.1" 200' in posted
    assert '"GET /no%20such%22%1B%5B31mpath HTTP/1.1" 404' in missing
    assert "secret" not in log.read_text()


def test_with_the_setting_the_words_stay(bakery: Path, tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    settings = (f"REQUEST_LOG={log}", "REQUEST_LOG_FORMAT=json", "REQUEST_LOG_QUERIES=yes")
    gateway(bakery, *settings).get("/search?q=rye+bread")
    [line] = log.read_text().splitlines()
    entry = json.loads(line)
    assert (entry["url"], entry["status"], entry["method"]) == ("/search?q=rye+bread", 200, "GET")
    assert 0 < entry["took"] < 60


def test_a_log_that_is_full_begins_anew_and_the_older_ones_are_kept(bakery: Path, tmp_path: Path) -> None:
    app = create_app(bakery)
    log_requests(app, bakery, RequestLogSettings(str(tmp_path / "requests.log"), bytes=200))
    client = app.test_client()
    for _ in range(20):
        client.get("/robots.txt")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["requests.log", *(f"requests.log.{number}" for number in range(1, 6))]
    assert all(path.stat().st_size <= 200 for path in tmp_path.iterdir())


def test_without_the_setting_nothing_is_written_and_on_standard_error_where_it_says_so(
    bakery: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gateway(bakery).get("/robots.txt")
    assert capfd.readouterr().err == ""
    gateway(bakery, "REQUEST_LOG=-").get("/robots.txt")
    assert COMMON.fullmatch(capfd.readouterr().err.strip())


def test_other_extensions_find_the_place_of_the_log_in_the_configuration(tmp_path: Path) -> None:
    app = made_gateway(tmp_path, CommandSettings([f"DATA_DIR={tmp_path}", "REQUEST_LOG=requests.log"]))
    assert app.config["REQUEST_LOG"] == "requests.log"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (("REQUEST_LOG_FORMAT=xml", "REQUEST_LOG=-"), "choose common or json"),
        (("REQUEST_LOG=/dev/null/requests.log",), "give the name of a file in the data folder"),
    ],
)
def test_a_log_that_can_not_be_written_is_told_at_the_start(tmp_path: Path, told: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        gateway(tmp_path, *told)


def test_the_constant_has_the_value_that_is_said_of_the_former_setting() -> None:
    assert FORMER["REQUEST_LOG_BYTES"] == str(MAX_BYTES)


_ANY = st.text(max_size=30) | st.text(alphabet='"\\\r\n\t\x1b[ \u2028\udc80é', max_size=10)


@given(address=_ANY, method=_ANY, path=_ANY, query=_ANY, private=st.booleans())
def test_whatever_is_asked_a_line_is_one_line_of_printable_ascii(
    address: str, method: str, path: str, query: str, private: bool
) -> None:
    path, query = path.replace("\udc80", ""), query.encode("utf-8", "replace").decode("latin-1")
    target = target_of_request(path, query, with_queries=not private)
    answered = RequestLogEntry(0.0, address, method, target, "HTTP/1.1", 200, None, 0.1)
    line = common_line(answered)
    assert line.isascii()
    assert line.isprintable()
    assert COMMON.fullmatch(line)
    entry = json_entry(answered)
    assert entry.isascii()
    assert entry.isprintable()
    assert json.loads(entry)["url"] == target
