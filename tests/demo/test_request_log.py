"""What is left of a robot's visit? A file with each request, as long as there is room."""

from __future__ import annotations

import json
import resource
from typing import TYPE_CHECKING, Any

import pytest

from demo import PracticeWeb
from demo.messages import Request
from demo.server import RequestLog
from tests.demo.test_connection import ask

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = Request(1_800_000_000.5, "bakery.localhost:8400", "/", 200, "A/1", "", client="127.0.0.1")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_log_has_who_asked_for_what_and_how(tmp_path: Path) -> None:
    with PracticeWeb(0, tmp_path / "log") as web:
        ask(web, "/breads/rye.html?x=1", User_Agent='A "robot"\\/1', From="a@example.org", If_None_Match='"a"')
        ask(web, "/caf%C3%A9", method="HEAD", If_Modified_Since="today")
        first, second = rows(tmp_path / "log")  # while it runs: each line is there at once
    host = f"bakery.localhost:{web.port}"
    assert first.pop("end") <= second.pop("end")
    assert 0 <= first.pop("took") < 60
    assert first == {
        "client": "127.0.0.1", "host": host, "method": "GET", "url": "/breads/rye.html?x=1", "status": 200,
        "agent": 'A "robot"\\/1', "from": "a@example.org", "if_none_match": '"a"',
    }  # fmt: skip
    assert (second["method"], second["status"], second["if_modified_since"]) == ("HEAD", 404, "today")
    assert "if_none_match" not in second


def test_the_log_of_the_last_time_is_kept_once(tmp_path: Path) -> None:
    for path in ("/1", "/2", "/3"):
        with PracticeWeb(0, tmp_path / "log") as web:
            ask(web, path)
    assert [row["url"] for row in rows(tmp_path / "log")] == ["/3"]
    assert [row["url"] for row in rows(tmp_path / "log.1")] == ["/2"]


def test_a_full_log_says_so_once_and_the_web_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = RequestLog(tmp_path / "log", most=400)
    for _ in range(9):
        log.write(REQUEST)
    log.close()
    assert rows(tmp_path / "log")[-1] == {"full": 400}
    assert 1 < len(rows(tmp_path / "log")) < 9
    assert capsys.readouterr().err.count("later requests are not logged") == 1


def test_a_full_disk_ends_the_log_and_not_the_web(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with PracticeWeb(0, tmp_path / "log") as web:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            statuses = [ask(web, "/")[0].status for _ in range(3)]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert statuses == [200, 200, 200]
    assert capsys.readouterr().err.count("can't be written (File too large); later requests are not logged") == 1


def test_a_log_that_cannot_be_opened_leaves_the_port_free(tmp_path: Path) -> None:
    web = PracticeWeb(0, tmp_path / "no" / "log")
    with pytest.raises(FileNotFoundError):
        web.start()
    web.stop()
    assert web.port == 0
