"""Health for a monitor: a word whether all is well."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from crawldb.database import FILE_NAME
from tests.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_health_names_the_generation_the_crawl_and_the_disk(client: FlaskClient) -> None:
    told = client.get("/healthz").json
    assert told is not None
    assert (told["ok"], told["generation"], told["documents"]) == (True, 1, 38)
    assert told["as_of"].startswith("20")
    assert told["crawl"]["running"] is False
    assert 0 <= told["crawl"]["age_seconds"] < 3600
    assert told["crawl"]["ending"] == "finished"
    assert 0 < told["disk"]["free_bytes"] <= told["disk"]["total_bytes"]
    assert told["alarms"] == []


def test_without_an_index_health_is_bad_and_says_what_would_help(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["ok"] is False
    named = gateway(tmp_path, folder=" --data x -s INDEX=opensearch://a:9200/b").get("/healthz").json
    assert named is not None
    assert "./breadcrumb index --data x -s INDEX=opensearch://a:9200/b)" in named["error"]
    first, more = named["alarms"][0].split(". ", 1)
    assert first.endswith("seeds=URL --data x -s INDEX=opensearch://a:9200/b makes one")
    assert more.endswith("./breadcrumb check --data x -s INDEX=opensearch://a:9200/b.")


def test_without_the_crawl_database_questions_are_answered_and_health_says_what_is_missing(
    bakery: Path, tmp_path: Path
) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True, ignore=lambda *_: [FILE_NAME, f"{FILE_NAME}.seal"])
    client = gateway(tmp_path)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json["ok"], answer.json["crawl"]) == (200, True, None)  # type: ignore[index]  # json may be None, for Flask
    assert "holds no crawl yet" in answer.json["alarms"][0]  # type: ignore[index]  # as above
