"""A request log of the gateway in JSON is one of the forms that an audit reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from extension_points import built_in
from extensions.audit.log_reader import read_json_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif("request_log" not in built_in(), reason="that extension is not here")
def test_an_audit_reads_the_request_log_of_the_gateway(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    settings = [f"DATA_DIR={tmp_path}", f"REQUEST_LOG={log}", "REQUEST_LOG_FORMAT=json", "REQUEST_LOG_QUERIES=yes"]
    gateway(tmp_path, CommandSettings(settings)).test_client().get("/robots.txt?q=rye+bread")
    [line] = log.read_text().splitlines()
    _, visit = read_json_line(line, 1)
    assert visit is not None
    assert (visit.url, visit.status) == ("/robots.txt?q=rye+bread", 200)
