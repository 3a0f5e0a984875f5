"""A request log of the gateway in JSON is one of the forms that an audit reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.audit.log_reader import read_json_line
from tests.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path


def test_an_audit_reads_the_request_log_of_the_gateway(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    settings = {"request_log_format": "json", "request_log_queries": True}
    gateway(tmp_path, request_log=str(log), **settings).get("/robots.txt?q=rye+bread")
    [line] = log.read_text().splitlines()
    _, visit = read_json_line(line, 1)
    assert visit is not None
    assert (visit.url, visit.status) == ("/robots.txt?q=rye+bread", 200)
